#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/capture_file.h"
#include "lab/commands/command.h"
#include "lab/commands/run.h"
#include "lab/diff.h"
#include "lab/journal_file.h"
#include "lab/replay_plan.h"
#include "lab/run_scenario.h"

namespace fencepost::lab {
namespace {

struct ReplayArguments {
  std::string directory;
  bool in_process = false;
  std::string out;  // empty: DIR/replay
};

std::string words_of(const wire::Decision& decision) {
  std::string verb = wire::Decision::Kind_Name(decision.kind());
  std::ranges::transform(verb, verb.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return fmt::format("tick {}, {} {}", decision.tick(), verb, decision.process());
}

// Nobody else would notice: what is asked of a process that is not there, or beyond the last tick,
// does not happen, and the replay's own journal does not have it.
void say_what_had_no_effect(const JournalFile& journal, const RunDirectory& again, Tick last) {
  constexpr std::size_t kShown = 10;
  std::set<std::string> happened;
  for (const auto& decision : load_journal(again.journal().string()).decisions) {
    happened.insert(words_of(decision));
  }
  std::vector<std::string> missing;
  for (const wire::Decision& decision : journal.decisions) {
    if (decision.kind() == wire::Decision::END || happened.contains(words_of(decision))) continue;
    const bool too_late = Tick(decision.tick()) > last;
    missing.push_back(words_of(decision) +
                      (too_late ? fmt::format(" (the last tick is {})", last.value()) : ""));
  }
  for (std::size_t index = 0; index < std::min(missing.size(), kShown); ++index) {
    std::printf("the journal's decision had no effect: %s\n", missing[index].c_str());
  }
  if (missing.size() > kShown) std::printf("and %zu more had none\n", missing.size() - kShown);
}

// As `run` would tell it, if the scenario in the directory can still be read. What is expected of a
// run that ends by itself says nothing about one that a person has ended.
std::string leave_story(const RunDirectory& original, const RunDirectory& again) {
  LoadedScenario loaded = load_scenario(original.scenario().string());
  Scenario scenario = loaded.scenario ? std::move(*loaded.scenario) : Scenario();
  scenario.plan = again.read_plan();
  if (!original.read_plan().has_until()) scenario.expectations = {};
  std::string story = make_report(scenario, again).story;
  leave_report(again, story, "REPLAY of " + original.path().string());
  return story;
}

// What differs, in words; nothing if it is the same.
std::optional<std::string> difference(const RunDirectory& original, const RunDirectory& again,
                                      const std::string& sha256) {
  const std::string recorded = original.capture().string();
  if (!extent_of(recorded).whole)
    return compare_prefix(recorded, again.capture().string()).difference;
  if (sha256 == sha256_of_file(recorded)) return std::nullopt;
  return first_difference(recorded, again.capture().string())
      .value_or("the captures differ in their framing only\n");
}

std::string sameness(const RunDirectory& original, const RunDirectory& again) {
  const std::string recorded = original.capture().string();
  if (extent_of(recorded).whole) return "the same capture";
  return fmt::format("the same as far as the recorded run goes ({} records)",
                     compare_prefix(recorded, again.capture().string()).records);
}

// A run that was edited by hand is a new one: its story comes first.
int compare(const RunDirectory& original, const RunDirectory& again, const std::string& sha256) {
  const std::string story = leave_story(original, again);
  const std::optional<std::string> differs = difference(original, again, sha256);
  const std::string path = again.path().string();
  if (differs) {
    std::printf("%s\nWHERE IT DIFFERS from %s\n%s", story.c_str(), original.path().string().c_str(),
                differs->c_str());
  } else {
    std::printf("%s\n", sameness(original, again).c_str());
  }
  std::printf("run directory %s\ncapture sha256:%s\n", path.c_str(), sha256.c_str());
  return differs ? kExitFails : kExitHolds;
}

int replay(const ReplayArguments& arguments) {
  require_run(arguments.directory);
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
  say_what_had_no_effect(journal, again, outcome.last_tick);
  return compare(original, again, outcome.capture_sha256);
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
