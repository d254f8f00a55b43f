// Rebalances, evictions and errors of random scenarios have chains that end at a start, a rule, a
// person or a deadline: all but one in a hundred, which are known to end early (docs/why.md).
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include "lab/commands/run.h"
#include "lab/run_scenario.h"
#include "lab/search/random_scenario.h"
#include "lab/why/expected.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

std::vector<std::string> unexplained(const why::Explainer& explainer, std::size_t& all) {
  std::vector<std::string> found;
  for (const auto& some : {explainer.rebalances(), explainer.evictions(), explainer.errors()}) {
    for (const why::Explanation& one : some) {
      ++all;
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
  std::size_t all = 0;
  std::vector<std::string> ending_early;
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
    for (const std::string& one :
         unexplained(why::Explainer(history, &loaded.scenario->plan), all)) {
      ending_early.push_back(fmt::format("seed {}: {}", seed, one));
    }
  }
  EXPECT_LE(ending_early.size() * 100, all) << ending_early.size() << " of " << all << ":\n"
                                            << fmt::format("{}", fmt::join(ending_early, "\n"));
}

}  // namespace
}  // namespace fencepost::lab
