#include "lab/search/search.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <exception>
#include <numeric>

#include "lab/commands/run.h"
#include "lab/expectations.h"
#include "lab/run_scenario.h"
#include "lab/search/settlement.h"
#include "lab/story.h"

namespace fencepost::lab {
namespace {

std::optional<Violation> first_invalid(const std::vector<Verdict>& verdicts) {
  for (const Verdict& verdict : verdicts) {
    if (verdict.outcome != Verdict::Outcome::kInvalid) continue;
    return Violation{verdict.subject,
                     verdict.details.empty() ? verdict.detail : verdict.details.front()};
  }
  return std::nullopt;
}

std::optional<Violation> run_over_processes(const Scenario& scenario,
                                            const std::string& expected_sha256,
                                            const std::filesystem::path& folder) {
  const RunDirectory directory(folder);
  directory.prepare();
  directory.keep(scenario);
  const RunOutcome outcome = run_plan(scenario.plan, {.world = World::kProcesses}, directory);
  if (outcome.failure) return Violation{"void", *outcome.failure};
  if (outcome.disturbed) return Violation{"void", "disturbed, though nobody was there"};
  if (outcome.capture_sha256 == expected_sha256) return std::nullopt;
  return Violation{"two captures", fmt::format("over processes {}, in process {}",
                                               outcome.capture_sha256, expected_sha256)};
}

std::optional<Violation> run_and_judge(const Scenario& scenario, const RunDirectory& directory,
                                       Worlds worlds) {
  const RunOutcome outcome = run_plan(scenario.plan, {.world = World::kInProcess}, directory);
  if (outcome.failure) return Violation{"void", *outcome.failure};
  if (worlds == Worlds::kBoth) {
    const std::filesystem::path folder = directory.path() / "processes";
    auto differs = run_over_processes(scenario, outcome.capture_sha256, folder);
    if (differs) return differs;
    std::filesystem::remove_all(folder);
  }
  const std::string capture = directory.capture().string();
  const History history = read_history(capture, scenario.expectations);
  std::vector<Verdict> verdicts = check_all(history);
  for (Verdict& verdict : judge(scenario.expectations, history, &scenario.plan)) {
    verdicts.push_back(std::move(verdict));
  }
  verdicts.push_back(check_settlement(capture, history));
  return first_invalid(verdicts);
}

// All but those from `first` on, `count` of them.
std::vector<std::size_t> without(const std::vector<std::size_t>& kept, std::size_t first,
                                 std::size_t count) {
  std::vector<std::size_t> fewer = kept;
  const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t last = std::min(first + count, kept.size());
  fewer.erase(from, fewer.begin() + static_cast<std::ptrdiff_t>(last));
  return fewer;
}

}  // namespace

std::optional<Violation> try_scenario(const RandomScenario& scenario,
                                      const std::filesystem::path& folder, Worlds worlds) {
  LoadedScenario loaded = parse_scenario(to_yaml(scenario), "scenario.yaml");
  if (!loaded.scenario) return Violation{"crash", to_string(loaded.mistakes.front())};
  identify(loaded.scenario->plan, scenario.seed);
  const RunDirectory directory(folder);
  directory.prepare();
  directory.keep(*loaded.scenario);
  try {
    return run_and_judge(*loaded.scenario, directory, worlds);
  } catch (const std::exception& error) {
    return Violation{"crash", error.what()};
  }
}

// Leaves out a half, then quarters, and so on down to single faults, as long as it still fails.
RandomScenario shrink(const RandomScenario& scenario, const Violation& violation,
                      const Fails& fails) {
  std::vector<std::size_t> kept(scenario.faults.size());
  std::iota(kept.begin(), kept.end(), 0);
  const auto still_fails = [&](const std::vector<std::size_t>& faults) {
    const std::optional<Violation> found = fails(with_faults(scenario, faults));
    return found && found->subject == violation.subject;
  };
  std::size_t count = std::max<std::size_t>(kept.size() / 2, 1);
  for (bool smaller = true; smaller || count > 1;) {
    if (!smaller) count = (count + 1) / 2;
    smaller = false;
    for (std::size_t first = 0; first < kept.size();) {
      const std::vector<std::size_t> fewer = without(kept, first, count);
      if (still_fails(fewer)) {
        kept = fewer;
        smaller = true;
      } else {
        first += count;
      }
    }
  }
  return with_faults(scenario, kept);
}

}  // namespace fencepost::lab
