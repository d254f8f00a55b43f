// Every demo and every situation does what it says it does (in one process; tests/processes has the
// other world), and the page about the language knows every event.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/events.h"
#include "lab/expectations.h"
#include "lab/history.h"
#include "lab/run_scenario.h"
#include "lab/scenario.h"
#include "lab/story.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {
namespace fs = std::filesystem;

const fs::path kSource(FENCEPOST_SOURCE_DIR);

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const std::string folder : {"demos", "situations"}) {
    for (const fs::directory_entry& entry :
         fs::directory_iterator(kSource / "scenarios" / folder)) {
      const std::string name = entry.path().stem().string();
      if (name != "setting") names.push_back(folder + "/" + name);
    }
  }
  names.push_back("probe");
  std::sort(names.begin(), names.end());
  return names;
}

class Scenarios : public testing::TestWithParam<std::string> {
 protected:
  Scenarios() : directory_(scratch_.path() / "run") { directory_.prepare(); }

  test::Scratch scratch_;
  RunDirectory directory_;
};

TEST_P(Scenarios, DoWhatTheySay) {
  const fs::path file = kSource / "scenarios" / (GetParam() + ".yaml");
  const LoadedScenario loaded = load_scenario(file.string());
  for (const Mistake& mistake : loaded.mistakes) ADD_FAILURE() << to_string(mistake);
  ASSERT_TRUE(loaded.scenario.has_value());
  const Scenario& scenario = *loaded.scenario;
  const RunOutcome outcome = run_plan(scenario.plan, {.world = World::kInProcess}, directory_);
  EXPECT_EQ(outcome.failure, std::nullopt);
  EXPECT_FALSE(outcome.disturbed);
  const History history = read_history(directory_.capture().string(), scenario.expectations);
  EXPECT_FALSE(scenario.expectations.list.empty());
  for (const Verdict& verdict : judge(scenario.expectations, history, &scenario.plan)) {
    EXPECT_EQ(verdict.outcome, Verdict::Outcome::kValid)
        << verdict.subject << ": " << verdict.detail;
  }
  for (const Verdict& verdict : check_all(history)) {
    EXPECT_EQ(verdict.outcome, Verdict::Outcome::kValid)
        << verdict.subject << ": " << fmt::format("{}", fmt::join(verdict.details, "; "));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Scenarios, testing::ValuesIn(scenario_names()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return c == '-' || c == '/'; }, '_');
                           return name;
                         });

TEST(ScenarioPage, HasTheTableOfEvents) {
  std::ifstream in(kSource / "docs/scenarios.md");
  const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  for (const events::EventInfo& event : events::all_events()) {
    const std::string row =
        fmt::format("| `{}` | {} | {} |\n", event.name, event.keys, event.meaning);
    EXPECT_NE(page.find(row), std::string::npos) << "docs/scenarios.md lacks the row\n" << row;
  }
}

}  // namespace
}  // namespace fencepost::lab
