#include "lab/packets.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "lab/commands/command.h"
#include "lab/run_directory.h"

namespace fencepost::lab {
namespace {

struct PacketsArguments {
  std::string directory;
  bool events = false;
};

int print_packets(const PacketsArguments& arguments) {
  const RunDirectory run(arguments.directory);
  const bool is_file = std::filesystem::is_regular_file(arguments.directory);
  const std::string capture = is_file ? arguments.directory : run.capture().string();
  list_packets(capture, std::cout, {.events = arguments.events});
  return kExitHolds;
}

}  // namespace

void add_packets(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<PacketsArguments>();
  CLI::App* command = app.add_subcommand("packets", "List the packets of a run");
  command->add_option("DIR", arguments->directory, "The run directory, or a capture.bin")
      ->required();
  command->add_flag("-e,--events", arguments->events, "Show what nodes report, too");
  command->footer(
      "Columns as in Wireshark, with the tick: No. Tick Time Source Dest Protocol Length Info\n\n"
      "Examples:\n"
      "  fencepost packets runs/commit-after-crash-k2\n"
      "  fencepost packets runs/commit-after-crash-k2 --events | grep C2\n");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return print_packets(*arguments); }; });
}

}  // namespace fencepost::lab
