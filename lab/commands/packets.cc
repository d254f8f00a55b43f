#include "lab/packets.h"

#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/capture_file.h"
#include "lab/clock_client.h"
#include "lab/clusters.h"
#include "lab/commands/command.h"
#include "lab/commands/only.h"
#include "lab/live_watch.h"
#include "lab/run_directory.h"

namespace fencepost::lab {
namespace {

struct PacketsArguments {
  std::string directory;
  std::string clock;
  bool follow = false;
  LiveLines::Options lines;  // of a run that is going on
};

Cluster cluster_of_run(const std::string& directory, const ClusterChoice& choice) {
  try {
    return choose_cluster(choice);
  } catch (const ClockError& error) {
    throw std::runtime_error(fmt::format(
        "the run in {} has ended ({}); without --follow, `packets` lists what was recorded",
        directory, error.what()));
  }
}

// A process may be one that the plan does not have, so those that joined are asked as well.
void check_recorded(const std::vector<std::string>& words, const std::string& capture) {
  if (words.empty()) return;
  wire::Plan joined;
  CaptureReader reader(capture);
  while (const auto record = reader.next()) {
    if (!record->has_lifecycle() || record->lifecycle().kind() != wire::Lifecycle::JOIN) continue;
    if (record->lifecycle().incarnation() > 1) continue;
    joined.add_processes()->set_name(record->lifecycle().process());
  }
  check_only(words, joined);
}

// The live list, of a run in this directory or of the clock at that address.
int follow(const PacketsArguments& arguments) {
  ClusterChoice choice{.name = {}, .clock = arguments.clock};
  if (choice.clock.empty()) {
    std::ifstream file(std::filesystem::path(arguments.directory) / "clock.address");
    if (!(file >> choice.clock)) {
      throw std::runtime_error(arguments.directory + ": no run has begun there");
    }
  }
  const Cluster cluster = arguments.clock.empty() ? cluster_of_run(arguments.directory, choice)
                                                  : choose_cluster(choice);
  LiveOptions options;
  options.lines = arguments.lines;
  fit_to_terminal(options.lines);
  options.greeting = [&](const wire::Status& status) { return table_of(status) + "\n"; };
  watch_live(cluster.address, options);
  return kExitHolds;
}

int print_packets(const PacketsArguments& arguments) {
  if (arguments.directory.empty() == arguments.clock.empty()) {
    throw std::runtime_error("packets needs a run directory, or --clock HOST:PORT of a run");
  }
  if (!arguments.directory.empty()) require_run(arguments.directory);
  if (arguments.follow || !arguments.clock.empty()) return follow(arguments);
  const RunDirectory run(arguments.directory);
  const bool is_file = std::filesystem::is_regular_file(arguments.directory);
  const std::string capture = is_file ? arguments.directory : run.capture().string();
  check_recorded(arguments.lines.only, capture);
  list_packets(capture, std::cout,
               {.events = arguments.lines.events, .only = arguments.lines.only});
  return kExitHolds;
}

}  // namespace

void add_packets(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<PacketsArguments>();
  CLI::App* command = app.add_subcommand("packets", "List the packets of a run");
  command->add_option("DIR", arguments->directory, "The run directory, or a capture.bin");
  command->add_flag("-f,--follow", arguments->follow,
                    "A run that is going on: the packets as they happen, as `up` shows them");
  command->add_option("--clock", arguments->clock,
                      "The same, of the run whose clock listens at HOST:PORT");
  add_line_options(*command, arguments->lines);
  command->footer(
      "Columns as in Wireshark, with the tick: No. Tick Time Source Dest Protocol Length Info.\n"
      "Of a run that has ended every packet is listed, with --all or without.\n\n"
      "Examples:\n"
      "  fencepost packets runs/commit-after-crash-k2\n"
      "  fencepost packets runs/commit-after-crash-k2 --events | grep C2\n"
      "  fencepost packets runs/commit-after-crash-k2 --only OffsetCommit,C2\n"
      "  fencepost packets --clock 127.0.0.1:19000 --only JoinGroup,SyncGroup\n");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return print_packets(*arguments); }; });
}

}  // namespace fencepost::lab
