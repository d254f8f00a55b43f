// Tries random scenarios, and says how to repeat the one that breaks a promise.
#pragma once

#include <gtest/gtest.h>

#include "lab/search/search.h"
#include "tests/scratch.h"

namespace fencepost::lab {

class Search : public testing::Test {
 protected:
  void expect_none(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      const auto found = attempt(draw_scenario(seed));
      EXPECT_FALSE(found) << found->subject << ": " << found->detail
                          << "\nrepeat it with: fencepost search --from " << seed << " --seeds 1";
    }
  }
  std::optional<Violation> attempt(const RandomScenario& scenario) {
    return try_scenario(scenario, scratch_.path() / "run");
  }

  test::Scratch scratch_;
};

}  // namespace fencepost::lab
