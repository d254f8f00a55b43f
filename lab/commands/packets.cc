#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "lab/clock_client.h"
#include "lab/clusters.h"
#include "lab/commands/command.h"
#include "lab/commands/packet_options.h"
#include "lab/live_watch.h"
#include "lab/packets/packet_list.h"
#include "lab/pcapng/export.h"
#include "lab/run_directory.h"
#include "lab/wire_schema.h"

namespace fencepost::lab {
namespace {

struct PacketsArguments {
  std::string directory;
  std::string clock;
  std::string pcapng;     // the file to write
  std::string dissector;  // the same
  bool follow = false;
  bool details = false;
  bool no_marks = false;
  PacketFormat format = PacketFormat::kText;
  PacketOptions packets;
};

// As asked for, of a run that has ended.
PacketList::Options list_options(const PacketsArguments& arguments) {
  PacketList::Options options;
  options.format = arguments.format;
  options.details = arguments.details;
  options.filter = filter_of(arguments.packets);
  options.marks = arguments.packets.events ? Marks::kEvents : Marks::kStates;
  if (arguments.no_marks) options.marks = Marks::kNone;
  return options;
}

// The same of a run that goes on. Programs that read it get everything, as from the file.
PacketList::Options follow_options(const PacketsArguments& arguments) {
  if (arguments.format != PacketFormat::kText) return list_options(arguments);
  PacketList::Options options = live_options(arguments.packets);
  options.details = arguments.details;
  if (arguments.no_marks) options.marks = Marks::kNone;
  fit_to_terminal(options);
  return options;
}

Cluster cluster_of_run(const std::string& directory, const ClusterChoice& choice) {
  try {
    return choose_cluster(choice);
  } catch (const ClockError& error) {
    throw std::runtime_error(fmt::format(
        "the run in {} has ended ({}); without --follow, `packets` lists what was recorded",
        directory, error.what()));
  }
}

// Processes may join that the plan does not have: those that have are asked for, too.
void check_live(const PacketFilter& filter, const PacketsArguments& arguments,
                const wire::Status& status) {
  FilterNames known;
  add_names(known, status);
  if (!arguments.directory.empty()) add_names(known, RunDirectory(arguments.directory).read_plan());
  check_names(filter, known);
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
  options.list = follow_options(arguments);
  check_live(options.list.filter, arguments, cluster.status);
  if (arguments.format == PacketFormat::kText) {
    options.greeting = [&](const wire::Status& status) { return table_of(status) + "\n"; };
  }
  watch_live(cluster.address, options);
  return kExitHolds;
}

// What could not be read is said behind what could.
int report_on(const RecordedPackets& recorded, std::uint32_t shown) {
  if (shown == 0 && recorded.trace().packets() > 0) {
    fmt::print(stderr, "no packet of {} matches\n", recorded.trace().packets());
  }
  if (recorded.complaint().empty()) return kExitHolds;
  fmt::print(stderr, "fencepost: {}{}\n", recorded.complaint(),
             recorded.is_damaged() ? "; what comes before it is listed" : "");
  return recorded.is_damaged() ? kExitUnusable : kExitHolds;
}

int list_recorded(const PacketsArguments& arguments, const std::string& capture) {
  const PacketList::Options options = list_options(arguments);
  const RecordedPackets recorded(
      capture, arguments.pcapng.empty() ? depth_for(options) : PacketTrace::Depth::kCauses);
  check_names(options.filter,
              {.processes = recorded.trace().processes(), .groups = recorded.trace().groups()});
  if (!arguments.pcapng.empty()) {
    require_not_of_run(arguments.pcapng, capture);
    const PacketWalk walk(options.filter, options.marks);
    const std::uint32_t written = export_pcapng(recorded, walk, arguments.pcapng);
    fmt::print(stderr, "{} ({} packets): open it in Wireshark\n", arguments.pcapng, written);
    return report_on(recorded, written);
  }
  const std::uint32_t shown = recorded.list(std::cout, options);
  std::cout.flush();
  // Nobody reads on (`| head`): then nobody reads this either.
  return std::cout ? report_on(recorded, shown) : kExitHolds;
}

int print_packets(const PacketsArguments& arguments) {
  if (!arguments.dissector.empty()) {
    require_not_of_run(arguments.dissector, arguments.directory);
    write_file(arguments.dissector, dissector_lua());
    fmt::print(stderr, "{}: a plugin for Wireshark (docs/wireshark/README.md)\n",
               arguments.dissector);
    if (arguments.directory.empty() && arguments.clock.empty()) return kExitHolds;
  }
  if (arguments.directory.empty() && arguments.clock.empty()) {
    throw std::runtime_error("packets needs a run directory, or --clock HOST:PORT of a run");
  }
  if (!arguments.directory.empty() && !arguments.clock.empty()) {
    throw std::runtime_error("a run directory or --clock HOST:PORT, not both");
  }
  if (!arguments.directory.empty()) require_run(arguments.directory);
  if (arguments.follow || !arguments.clock.empty()) {
    if (arguments.pcapng.empty()) return follow(arguments);
    throw std::runtime_error(
        "--pcapng is for a run that is recorded: use it without --follow and --clock "
        "(docs/wireshark/README.md: live capture)");
  }
  const RunDirectory run(arguments.directory);
  const bool is_file = std::filesystem::is_regular_file(arguments.directory);
  return list_recorded(arguments, is_file ? arguments.directory : run.capture().string());
}

constexpr const char* kFooter =
    "Columns as in Wireshark, with the tick: No. Tick Time Source Destination Protocol Length "
    "Info;\n"
    "then how the packet fared, and the number of its answer or request. Lines with *** are no\n"
    "packets: processes, rules, groups. Different options must all hold; of several values of one\n"
    "option any. --follow leaves out what repeats all the time; --all shows it. docs/packets.md\n\n"
    "Exit status: 0 listed, 2 unusable input, or a capture that is damaged.\n\n"
    "Examples:\n"
    "  fencepost packets runs/commit-after-crash-k2\n"
    "  fencepost packets runs/commit-after-crash-k2 --group billing --no-heartbeats\n"
    "  fencepost packets runs/commit-after-crash-k2 --between C2,B1 --ticks 40..60\n"
    "  fencepost packets runs/commit-after-crash-k2 --packet 42 -V\n"
    "  fencepost packets runs/commit-after-crash-k2 --errors --format json\n"
    "  fencepost packets runs/commit-after-crash-k2 --pcapng run.pcapng\n"
    "  fencepost packets --dissector ~/.local/lib/wireshark/plugins/fencepost.lua\n"
    "  fencepost packets --clock 127.0.0.1:19000 --only JoinGroup,SyncGroup\n";

}  // namespace

void add_packets(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<PacketsArguments>();
  CLI::App* command = app.add_subcommand("packets", "List the packets of a run");
  command->add_option("DIR", arguments->directory, "The run directory, or a capture.bin");
  command->add_flag("-f,--follow", arguments->follow,
                    "A run that is going on: the packets as they happen, as `up` shows them");
  command->add_option("--clock", arguments->clock,
                      "The same, of the run whose clock listens at HOST:PORT");
  add_packet_options(*command, arguments->packets);
  command
      ->add_option("--packet", arguments->packets.numbers,
                   "The packets with these numbers: 42,50..60")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("-V,--verbose", arguments->details, "Every field of each packet");
  command->add_flag("--no-marks", arguments->no_marks, "Packets only, without the lines between");
  const std::map<std::string, PacketFormat> formats = {
      {"text", PacketFormat::kText}, {"json", PacketFormat::kJson}, {"tsv", PacketFormat::kTsv}};
  command
      ->add_option_function<std::string>(
          "--format",
          [arguments, formats](const std::string& word) { arguments->format = formats.at(word); },
          "text (default), json: an object a line, or tsv")
      ->check(CLI::IsMember({"text", "json", "tsv"}));
  command->add_option("--pcapng", arguments->pcapng,
                      "Write them to this file for Wireshark (docs/wireshark/README.md)");
  command->add_option("--dissector", arguments->dissector,
                      "Write Wireshark's plugin to this file, fencepost.lua; needs no DIR");
  command->footer(kFooter);
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return print_packets(*arguments); }; });
}

}  // namespace fencepost::lab
