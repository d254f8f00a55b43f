#include "tests/lab/judged_run.h"

#include "lab/commands/run.h"
#include "lab/expectations.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

std::vector<Verdict> verdicts_of(const Scenario& scenario, const RunDirectory& directory) {
  const History history = read_history(directory.capture().string(), scenario.expectations);
  std::vector<Verdict> verdicts = judge(scenario.expectations, history, &scenario.plan);
  for (Verdict& check : check_all(history)) verdicts.push_back(std::move(check));
  return verdicts;
}

}  // namespace

std::vector<std::string> what_fails(const std::string& text) {
  LoadedScenario loaded = parse_scenario(text, "scenario.yaml");
  if (!loaded.scenario) return {to_string(loaded.mistakes.front()) + "\n" + text};
  Scenario& scenario = *loaded.scenario;
  if (scenario.expectations.list.empty()) return {"it expects nothing"};
  identify(scenario.plan, std::nullopt);
  const test::Scratch scratch;
  const RunDirectory directory(scratch.path() / "run");
  directory.prepare();
  const RunOutcome outcome = run_plan(scenario.plan, {.world = World::kInProcess}, directory);
  if (outcome.failure) return {*outcome.failure};
  std::vector<std::string> failing;
  for (const Verdict& verdict : verdicts_of(scenario, directory)) {
    if (verdict.outcome == Verdict::Outcome::kValid) continue;
    failing.push_back(verdict.subject + ": " + verdict.detail);
  }
  return failing;
}

}  // namespace fencepost::lab
