#include <spdlog/fmt/fmt.h>

#include <cstdio>
#include <memory>
#include <string>

#include "lab/commands/command.h"
#include "lab/diff.h"
#include "lab/journal_file.h"
#include "lab/run_scenario.h"

namespace fencepost::lab {
namespace {

struct ReplayArguments {
  std::string directory;
  bool in_process = false;
  std::string out;  // empty: DIR/replay
};

int replay(const ReplayArguments& arguments) {
  const RunDirectory original(arguments.directory);
  wire::Plan plan = original.read_plan();
  plan.set_replay(true);
  plan.clear_journal();
  const JournalFile journal = load_journal(original.journal().string());
  for (const wire::Decision& decision : journal.decisions) *plan.add_journal() = decision;
  const RunDirectory again(arguments.out.empty() ? original.path() / "replay"
                                                 : std::filesystem::path(arguments.out));
  again.prepare();
  RunSettings settings;
  settings.world = arguments.in_process ? World::kInProcess : World::kProcesses;
  write_file(again.plan(), plan.SerializeAsString());
  const RunOutcome outcome = run_plan(plan, settings, again);
  if (outcome.failure) {
    std::fprintf(stderr, "not reproducible: %s\n", outcome.failure->c_str());
    return kExitNotReproducible;
  }
  const std::string expected = sha256_of_file(original.capture().string());
  if (outcome.capture_sha256 == expected) {
    std::printf("the same capture\ncapture sha256:%s\n", expected.c_str());
    return kExitHolds;
  }
  const auto difference = first_difference(original.capture().string(), again.capture().string());
  std::printf("%s", difference.value_or("the captures differ in their framing only\n").c_str());
  std::printf("capture sha256:%s\n", outcome.capture_sha256.c_str());
  return kExitFails;
}

}  // namespace

void add_replay(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<ReplayArguments>();
  CLI::App* command = app.add_subcommand("replay", "Run what is in a run directory once more");
  command->add_option("DIR", arguments->directory, "The run directory")->required();
  command->add_flag("--in-process", arguments->in_process,
                    "All nodes in this process, without sockets");
  command->add_option("--out", arguments->out, "Where the replay goes (default: DIR/replay)");
  command->footer(
      "What came from outside during the run is taken from its journal.\n"
      "Exit status: 0 the same capture, 1 a different one, 2 unusable input, 3 the replay is "
      "void.\n\n"
      "Example:\n"
      "  fencepost replay runs/commit-after-crash-k2 --in-process\n");
  command->callback([arguments, &chosen] { chosen = [arguments] { return replay(*arguments); }; });
}

}  // namespace fencepost::lab
