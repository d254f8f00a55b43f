#include <spdlog/fmt/fmt.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/commands/command.h"
#include "lab/commands/packet_options.h"
#include "lab/diagram/sequence.h"
#include "lab/diagram/trace.h"
#include "lab/packets/packet_filter.h"
#include "lab/run_directory.h"
#include "lab/run_index.h"

namespace fencepost::lab {
namespace {
namespace fs = std::filesystem;

struct DiagramArguments {
  std::string directory;
  std::string mermaid;
  std::string trace;
  std::string ticks;
  std::vector<std::string> only;
  std::vector<std::string> hosts;
  std::int64_t limit = static_cast<std::int64_t>(SequenceOptions::kLimit);
  bool all = false;
};

// A run directory, or a capture.bin by itself.
struct Source {
  std::string capture;
  std::optional<wire::Plan> plan;
  fs::path folder;
};

Source source_of(const std::string& directory) {
  require_run(directory);
  if (fs::is_regular_file(directory)) return {directory, {}, fs::path(directory).parent_path()};
  const RunDirectory run(directory);
  Source source{run.capture().string(), {}, directory};
  if (fs::exists(run.plan())) source.plan = run.read_plan();
  return source;
}

void check_words(const DiagramArguments& arguments, const RunIndex& index) {
  FilterNames known;
  known.processes.insert(index.processes().begin(), index.processes().end());
  known.processes.erase("");  // nobody: of rules
  PacketFilter filter;
  filter.only = arguments.only;
  filter.hosts = arguments.hosts;
  check_names(filter, known);
}

SequenceOptions options_of(const DiagramArguments& arguments) {
  SequenceOptions options;
  if (!arguments.ticks.empty()) {
    const auto range = parse_range(arguments.ticks);
    if (!range) {
      throw std::runtime_error(
          fmt::format("--ticks {}: should be a range of ticks such as 10..20, 10.., ..20 or 15",
                      arguments.ticks));
    }
    options.from = Tick(range->first);
    options.to = Tick(range->last);
  }
  if (arguments.limit < 0) throw std::runtime_error("--limit: should be 0 (all) or more");
  options.limit = static_cast<std::size_t>(arguments.limit);
  options.only = arguments.only;
  options.hosts = arguments.hosts;
  options.all = arguments.all;
  return options;
}

void write(const std::string& file, const std::string& text, const std::string& capture) {
  if (file == "-") {
    std::cout << text;
    return;
  }
  require_not_of_run(file, capture);
  write_file(file, text);
  fmt::print(stderr, "{}\n", file);
}

int draw(const DiagramArguments& arguments) {
  if (arguments.mermaid == "-" && arguments.trace == "-") {
    throw std::runtime_error("--mermaid - and --trace -: only one goes to standard output");
  }
  const Source source = source_of(arguments.directory);
  const SequenceOptions options = options_of(arguments);
  const RunIndex index(source.capture, source.plan ? &*source.plan : nullptr);
  check_words(arguments, index);
  const Tick last = index.entries().empty() ? Tick(0) : index.entries().back().tick;
  if (options.from && *options.from > last) {
    throw std::runtime_error(
        fmt::format("--ticks {}: the run ends at tick {}", arguments.ticks, last.value()));
  }
  const bool both = arguments.mermaid.empty() && arguments.trace.empty();
  if (both || !arguments.mermaid.empty()) {
    write(both ? (source.folder / kDiagramFile).string() : arguments.mermaid,
          sequence_diagram(index, source.plan ? &*source.plan : nullptr, options), source.capture);
  }
  if (both || !arguments.trace.empty()) {
    write(both ? (source.folder / kTraceFile).string() : arguments.trace,
          trace_of(index, source.capture), source.capture);
  }
  return kExitHolds;
}

}  // namespace

void add_diagram(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<DiagramArguments>();
  CLI::App* command = app.add_subcommand(
      "diagram", "Draw a run: a Mermaid sequence diagram, and a trace for Perfetto");
  command->add_option("DIR", arguments->directory, "The run directory, or a capture.bin")
      ->required();
  command->add_option("--mermaid", arguments->mermaid,
                      "Write the sequence diagram to this file; - is standard output");
  command->add_option("--trace", arguments->trace,
                      "Write the trace to this file; - is standard output");
  command->add_option("--ticks", arguments->ticks,
                      "Sequence diagram: only these ticks, e.g. 10..20");
  command
      ->add_option("--only", arguments->only,
                   "Sequence diagram: packets of these APIs and processes, e.g. JoinGroup,C2")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--host", arguments->hosts,
                   "Sequence diagram: only what these processes send, get and live through")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--limit", arguments->limit,
                   "Sequence diagram: at most so many messages; 0: all")
      ->capture_default_str();
  command->add_flag("--all", arguments->all,
                    "Sequence diagram: draw Heartbeats that succeed and empty Fetches, too");
  command->footer(
      "Without --mermaid and --trace both are written, to DIR/diagram.mmd and DIR/trace.json.\n"
      "Mermaid is shown by GitHub, GitLab and https://mermaid.live; the trace, which is always of\n"
      "the whole run, by https://ui.perfetto.dev and by chrome://tracing.\n\n"
      "Examples:\n"
      "  fencepost diagram runs/zombie-sigstop\n"
      "  fencepost diagram runs/zombie-sigstop --mermaid zombie.mmd --ticks 50..75\n"
      "  fencepost diagram runs/range-eager --mermaid - --only JoinGroup,SyncGroup,LeaveGroup\n"
      "  fencepost diagram runs/range-eager --trace range.json\n");
  command->callback([arguments, &chosen] { chosen = [arguments] { return draw(*arguments); }; });
}

}  // namespace fencepost::lab
