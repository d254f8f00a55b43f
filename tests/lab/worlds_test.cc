// A run is a value: over processes and in process the same capture, and another one for another
// seed.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "lab/run_scenario.h"
#include "lab/scenario.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {
namespace fs = std::filesystem;

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  const fs::path scenarios = fs::path(FENCEPOST_SOURCE_DIR) / "scenarios";
  for (const std::string folder : {"demos", "situations"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(scenarios / folder)) {
      const std::string name = entry.path().stem().string();
      if (name != "setting") names.push_back(folder + "/" + name);
    }
  }
  names.push_back("probe");
  std::sort(names.begin(), names.end());
  return names;
}

class Worlds : public testing::TestWithParam<std::string> {
 protected:
  Worlds()
      : directory_(scratch_.path() / "run"),
        plan_(load_scenario(
                  (fs::path(FENCEPOST_SOURCE_DIR) / "scenarios" / (GetParam() + ".yaml")).string())
                  .scenario.value()
                  .plan) {}

  std::string run(World world) {
    directory_.prepare();
    const RunOutcome outcome = run_plan(plan_, {.world = world}, directory_);
    EXPECT_EQ(outcome.failure, std::nullopt);
    EXPECT_FALSE(outcome.disturbed);
    return outcome.capture_sha256;
  }

  test::Scratch scratch_;
  RunDirectory directory_;
  wire::Plan plan_;
};

TEST_P(Worlds, GiveTheSameCapture) {
  const std::string in_process = run(World::kInProcess);
  EXPECT_EQ(run(World::kProcesses), in_process);
  EXPECT_EQ(run(World::kInProcess), in_process);
}

TEST_P(Worlds, DependOnTheSeed) {
  const std::string before = run(World::kInProcess);
  plan_.set_seed(plan_.seed() + 1);
  EXPECT_NE(run(World::kInProcess), before) << "member ids are drawn from the seed";
}

INSTANTIATE_TEST_SUITE_P(All, Worlds, testing::ValuesIn(scenario_names()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
});

}  // namespace
}  // namespace fencepost::lab
