// Tries random scenarios, and says how to repeat the one that breaks a promise.
#pragma once

#include <gtest/gtest.h>

#include "lab/search/search.h"
#include "tests/scratch.h"

namespace fencepost::lab {

class Search : public testing::Test {
 protected:
  void expect_none(std::uint64_t first, std::uint64_t count, Worlds worlds = Worlds::kInProcess) {
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      const auto found = attempt(draw_scenario(seed), worlds);
      EXPECT_FALSE(found) << found->subject << ": " << found->detail
                          << "\nrepeat it with: fencepost search --from " << seed << " --seeds 1";
    }
  }
  std::optional<Violation> attempt(const RandomScenario& scenario,
                                   Worlds worlds = Worlds::kInProcess) {
    return try_scenario(scenario, scratch_.path() / "run", worlds);
  }

  test::Scratch scratch_;
};

}  // namespace fencepost::lab
