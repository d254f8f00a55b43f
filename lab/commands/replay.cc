#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "common/capture_file.h"
#include "lab/commands/command.h"
#include "lab/commands/run.h"
#include "lab/diff.h"
#include "lab/journal_file.h"
#include "lab/run_scenario.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

struct ReplayArguments {
  std::string directory;
  bool in_process = false;
  std::string out;  // empty: DIR/replay
};

// Whether a capture has its end. A run whose clock or runner was killed leaves one without.
bool is_whole(const std::string& path) {
  try {
    CaptureReader reader(path);
    bool ended = false;
    while (const auto record = reader.next()) ended = record->has_end();
    return ended;
  } catch (const std::runtime_error&) {
    return false;
  }
}

// The plan of the run, with what came from outside.
wire::Plan plan_to_replay(const RunDirectory& original, const JournalFile& journal) {
  wire::Plan plan = original.read_plan();
  plan.set_replay(true);
  plan.clear_journal();
  for (const wire::Decision& decision : journal.decisions) *plan.add_journal() = decision;
  return plan;
}

// Nobody else would notice: a replay takes each decision in its tick, and these have none.
void say_what_came_too_late(const JournalFile& journal, Tick last) {
  // It ends before its own tick closes, and takes what stands before it.
  const bool took_end =
      journal.ended && Tick(journal.decisions.back().tick()) <= last + TickSpan(1);
  if (took_end) return;
  const auto late = [&](const wire::Decision& one) { return Tick(one.tick()) > last; };
  const auto count = std::count_if(journal.decisions.begin(), journal.decisions.end(), late);
  if (count == 0) return;
  const auto first = std::find_if(journal.decisions.begin(), journal.decisions.end(), late);
  std::printf("the journal has %s beyond the last tick (%lld), the first at tick %lld: not taken\n",
              counted(count, "decision").c_str(), static_cast<long long>(last.value()),
              static_cast<long long>(first->tick()));
}

// As `run` would tell it, if the scenario in the directory can still be read.
void leave_story(const RunDirectory& original, const RunDirectory& again) {
  LoadedScenario loaded = load_scenario(original.scenario().string());
  Scenario scenario = loaded.scenario ? std::move(*loaded.scenario) : Scenario();
  scenario.plan = again.read_plan();
  leave_report(again, make_report(scenario, again).story, "REPLAY of " + original.path().string());
  std::printf("run directory %s\n", again.path().string().c_str());
}

int compare(const RunDirectory& original, const RunDirectory& again, const std::string& sha256) {
  const std::string recorded = original.capture().string();
  if (!is_whole(recorded)) {
    const PrefixComparison result = compare_prefix(recorded, again.capture().string());
    if (result.difference) {
      std::printf("%s", result.difference->c_str());
      return kExitFails;
    }
    std::printf("the same as far as the recorded run goes (%llu records)\n",
                static_cast<unsigned long long>(result.records));
    return kExitHolds;
  }
  if (sha256 == sha256_of_file(recorded)) {
    std::printf("the same capture\n");
    return kExitHolds;
  }
  const auto difference = first_difference(recorded, again.capture().string());
  std::printf("%s", difference.value_or("the captures differ in their framing only\n").c_str());
  return kExitFails;
}

int replay(const ReplayArguments& arguments) {
  const RunDirectory original(arguments.directory);
  const JournalFile journal = load_journal(original.journal().string());
  const wire::Plan plan = plan_to_replay(original, journal);
  const RunDirectory again(arguments.out.empty() ? original.path() / "replay"
                                                 : std::filesystem::path(arguments.out));
  if (std::filesystem::weakly_canonical(again.path() / "") ==
      std::filesystem::weakly_canonical(original.path() / "")) {
    std::fprintf(stderr, "--out is the run itself: a replay goes into a directory of its own\n");
    return kExitUnusable;
  }
  again.prepare();
  RunSettings settings;
  settings.world = arguments.in_process ? World::kInProcess : World::kProcesses;
  write_file(again.plan(), plan.SerializeAsString());
  const RunOutcome outcome = run_plan(plan, settings, again);
  if (outcome.failure) {
    std::fprintf(stderr, "not reproducible: %s\n", outcome.failure->c_str());
    return kExitNotReproducible;
  }
  if (outcome.interrupted) {
    std::fprintf(stderr, "interrupted: nothing was compared\n");
    return kExitUnknown;
  }
  say_what_came_too_late(journal, outcome.last_tick);
  leave_story(original, again);
  const int code = compare(original, again, outcome.capture_sha256);
  std::printf("capture sha256:%s\n", outcome.capture_sha256.c_str());
  return code;
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
      "What came from outside during the run is taken from its journal. A run that was cut short\n"
      "is compared as far as it goes. The replay leaves packets.log and summary.txt, too.\n"
      "Exit status: 0 the same capture, 1 a different one, 2 unusable input, 3 the replay is\n"
      "void, 4 interrupted.\n\n"
      "Example:\n"
      "  fencepost replay runs/commit-after-crash-k2 --in-process\n");
  command->callback([arguments, &chosen] { chosen = [arguments] { return replay(*arguments); }; });
}

}  // namespace fencepost::lab
