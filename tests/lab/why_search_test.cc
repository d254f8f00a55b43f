// Every rebalance, eviction and error of random scenarios has a chain that ends at a start, a rule,
// a person or a deadline.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include "lab/commands/run.h"
#include "lab/run_scenario.h"
#include "lab/search/random_scenario.h"
#include "lab/why/expected.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

std::vector<std::string> unexplained(const why::Explainer& explainer) {
  std::vector<std::string> found;
  for (const auto& some : {explainer.rebalances(), explainer.evictions(), explainer.errors()}) {
    for (const why::Explanation& one : some) {
      if (one.explained()) continue;
      std::string chains;
      for (const why::Chain& chain : one.causes) chains += "[" + why::as_expected(chain) + "] ";
      found.push_back(fmt::format("{} {} {} at tick {}: {}", why::name_of(one.what), one.subject,
                                  one.error, one.when.tick.value(), chains));
    }
  }
  return found;
}

TEST(RandomScenarios, AreExplained) {
  const test::Scratch scratch;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    LoadedScenario loaded = parse_scenario(to_yaml(draw_scenario(seed)), "scenario.yaml");
    ASSERT_TRUE(loaded.scenario.has_value());
    identify(loaded.scenario->plan, seed);
    const RunDirectory directory(scratch.path() / "run");
    directory.prepare();
    run_plan(loaded.scenario->plan, {.world = World::kInProcess}, directory);
    const History history =
        read_history(directory.capture().string(), Expectations{}, Reading::kWithEvidence);
    for (const std::string& one : unexplained(why::Explainer(history, &loaded.scenario->plan))) {
      ADD_FAILURE() << "seed " << seed << ": " << one;
    }
  }
}

}  // namespace
}  // namespace fencepost::lab
