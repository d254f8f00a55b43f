#include "lab/commands/run.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <memory>

#include "common/capture_file.h"
#include "lab/clusters.h"
#include "lab/commands/command.h"
#include "lab/expectations.h"
#include "lab/history.h"
#include "lab/overrides.h"
#include "lab/packets/packet_list.h"
#include "lab/progress.h"
#include "lab/story.h"

namespace fencepost::lab {
namespace {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

Verdict::Outcome outcome_of(const Judgement& judgement) {
  std::vector<Verdict> all = judgement.expectations;
  all.insert(all.end(), judgement.checks.begin(), judgement.checks.end());
  return worst(all);
}

int exit_code_of(const RunOutcome& outcome, const Judgement& judgement) {
  const Verdict::Outcome verdict = outcome_of(judgement);
  if (outcome.interrupted) return kExitUnknown;
  if (outcome.disturbed || verdict == Verdict::Outcome::kInvalid) return kExitFails;
  return verdict == Verdict::Outcome::kUnknown ? kExitUnknown : kExitHolds;
}

std::string closing_line(const RunOutcome& outcome, const Judgement& judgement) {
  if (outcome.failure) return "NOT REPRODUCIBLE: " + *outcome.failure;
  if (outcome.interrupted) return "INTERRUPTED: what is expected was not judged";
  if (outcome.disturbed) {
    return "DISTURBED: something happened that the scenario does not say; it can be replayed";
  }
  const auto count = [&](Verdict::Outcome wanted) {
    const auto& list = judgement.expectations;
    return std::count_if(list.begin(), list.end(),
                         [&](const Verdict& one) { return one.outcome == wanted; });
  };
  std::string text = fmt::format("{} of {} expectations hold", count(Verdict::Outcome::kValid),
                                 judgement.expectations.size());
  if (const auto unknown = count(Verdict::Outcome::kUnknown)) {
    text += fmt::format(", {} unknown", unknown);
  }
  if (worst(judgement.checks) == Verdict::Outcome::kInvalid) text += "; A CHECK FAILED";
  return text;
}

// The expectations and checks that do not hold, for whoever does not read the story.
std::string failures(const Judgement& judgement) {
  std::string text;
  for (const auto* list : {&judgement.expectations, &judgement.checks}) {
    for (const Verdict& verdict : *list) {
      if (verdict.outcome == Verdict::Outcome::kValid) continue;
      text += fmt::format("{:<8} {}{}\n", to_string(verdict.outcome), verdict.subject,
                          verdict.detail.empty() ? "" : "   " + verdict.detail);
    }
  }
  return text;
}

int report(const Scenario& scenario, const RunOutcome& outcome, const RunDirectory& directory,
           bool quiet) {
  if (outcome.failure) return report_void(scenario, outcome, directory);
  const auto [story, judgement] = make_report(scenario, directory);
  const std::string closing = closing_line(outcome, judgement);
  leave_report(directory, story, closing);
  print(quiet ? failures(judgement) : story + "\n");
  if (!quiet) {
    print(fmt::format("look into it with {} report {} (or why, packets, diagram)\n", own_command(),
                      directory.path().string()));
  }
  print(fmt::format("{}\nrun directory {}\ncapture sha256:{}\n", closing, directory.path().string(),
                    outcome.capture_sha256));
  return exit_code_of(outcome, judgement);
}

}  // namespace

std::optional<Scenario> load_or_complain(const std::string& file) {
  LoadedScenario loaded = load_scenario(file);
  for (const Mistake& mistake : loaded.mistakes) {
    std::fprintf(stderr, "%s\n", to_string(mistake).c_str());
  }
  return std::move(loaded.scenario);
}

void add_seed(CLI::App& command, std::optional<std::uint64_t>& seed) {
  command
      .add_option_function<std::string>(
          "--seed",
          [&seed](const std::string& text) {
            std::uint64_t number = 0;
            const char* const end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, number);
            if (error != std::errc() || stop != end) {
              throw CLI::ValidationError("--seed",
                                         "\"" + text + "\" is not a number from 0 to 2^64 - 1");
            }
            seed = number;
          },
          "Instead of the scenario's seed")
      ->type_name("UINT");
}

void identify(wire::Plan& plan, const std::optional<std::uint64_t>& seed) {
  constexpr std::size_t kIdLength = 12;
  if (seed) plan.set_seed(*seed);
  Sha256 hash;
  hash.update(plan.SerializeAsString());
  plan.set_run_id(hash.hex().substr(0, kIdLength));
}

Report make_report(const Scenario& scenario, const RunDirectory& directory) {
  const History history =
      read_history(directory.capture().string(), scenario.expectations, Reading::kWithEvidence);
  Report made;
  made.judgement.expectations = judge(scenario.expectations, history, &scenario.plan);
  made.judgement.checks = check_all(history);
  made.story = tell_story(history, scenario.about, made.judgement, &scenario.plan);
  return made;
}

void leave_report(const RunDirectory& directory, const std::string& story,
                  const std::string& closing) {
  write_file(directory.summary(), story + "\n" + closing + "\n");
  std::ofstream out(directory.packets(), std::ios::trunc);
  RecordedPackets(directory.capture().string(), depth_for({})).list(out, {});
}

// A run that is void may have left less than can be judged (its disk was full): why it is void
// comes first, and the story if there is one.
int report_void(const Scenario& scenario, const RunOutcome& outcome,
                const RunDirectory& directory) {
  const std::string closing = closing_line(outcome, {});
  fmt::print(stderr, "{}\n", closing);
  try {
    leave_report(directory, make_report(scenario, directory).story, closing);
    fmt::print("run directory {}\n", directory.path().string());
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "it left no story: {}\n", error.what());
  }
  return kExitNotReproducible;
}

int run_and_report(const RunArguments& arguments) {
  std::optional<Scenario> scenario = load_or_complain(arguments.file);
  if (!scenario) return kExitUnusable;
  override_properties(scenario->plan, arguments.properties);
  identify(scenario->plan, arguments.seed);
  const std::string& name = scenario->plan.name();
  const RunDirectory directory(arguments.out.empty() ? std::filesystem::path("runs") / name
                                                     : std::filesystem::path(arguments.out));
  directory.prepare();
  directory.keep(*scenario);
  RunSettings settings;
  settings.world = arguments.in_process ? World::kInProcess : World::kProcesses;
  settings.pace_ms = arguments.pace_ms;
  for (const std::string& notice : notices_of(scenario->plan)) fmt::print(stderr, "{}\n", notice);
  RunOutcome outcome;
  {
    ProgressLine progress(scenario->plan);
    settings.on_progress = [&progress](Tick closed) { progress.show(closed); };
    outcome = run_plan(scenario->plan, settings, directory);
  }
  for (const std::string& end : outcome.unexpected_ends) fmt::print(stderr, "{}\n", end);
  return report(*scenario, outcome, directory, arguments.quiet);
}

void add_run(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Run a scenario and judge what it expects");
  command->add_option("FILE", arguments->file, "The scenario (docs/scenarios.md)")->required();
  command->add_flag("--in-process", arguments->in_process,
                    "All nodes in this process, without sockets: the same capture, faster");
  add_seed(*command, arguments->seed);
  add_overrides(*command, arguments->properties);
  command->add_option("--pace", arguments->pace_ms, "Wall time of a tick in ms (0: free run)")
      ->check(CLI::Range(0, 3'600'000));
  command->add_option("--out", arguments->out, "The run directory (default: runs/NAME)");
  command->add_flag("--quiet", arguments->quiet,
                    "Only what fails, the verdict and the capture's hash");
  command->footer(
      "Exit status: 0 expectations hold, 1 they do not, or the run was disturbed from outside,\n"
      "2 unusable input, 3 the run is not reproducible, 4 the run does not show enough to judge.\n"
      "The last line is the hash of the capture: the same scenario and seed give the same.\n\n"
      "Examples:\n"
      "  fencepost run scenarios/demos/01-group-forms.yaml\n"
      "  fencepost run my.yaml --in-process --seed 7 --quiet\n"
      "  fencepost run my.yaml -X C2:max.poll.records=1\n"
      "  fencepost run my.yaml --pace 200        # slow enough to watch\n");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_and_report(*arguments); }; });
}

}  // namespace fencepost::lab
