// Chains of causes in runs with faults of the network, late timers and groups that went away.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "lab/commands/run.h"
#include "lab/run_scenario.h"
#include "lab/scenario.h"
#include "lab/why/expected.h"
#include "lab/why/why.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

LoadedScenario scenario(const test::Scratch& scratch, const std::string& timeline,
                        const std::string& more) {
  const std::string text = fmt::format(
      "name: faults\n"
      "include: setting.yaml\n"
      "processes:\n"
      "  P1: {{role: producer, schedule: {{20: {{orders: 3}}, 30: {{orders: 3}}}}}}\n"
      "  P2: {{role: producer, schedule: {{20: {{payments: 3}}, 50: {{p2: 3}}}}}}\n"
      "  C1: {{role: consumer, group.id: billing, subscribe: [orders, payments], output: "
      "invoices}}\n"
      "  C2: {{role: consumer, group.id: billing, subscribe: [orders, payments], output: "
      "invoices}}\n"
      "timeline: {}\n{}",
      timeline, more);
  const std::filesystem::path setting("scenarios/demos/setting.yaml");
  std::filesystem::copy_file(std::filesystem::path(FENCEPOST_SOURCE_DIR) / setting,
                             scratch.path() / "setting.yaml",
                             std::filesystem::copy_options::overwrite_existing);
  const std::filesystem::path file = scratch.path() / "faults.yaml";
  std::ofstream(file) << text;
  return load_scenario(file.string());
}

struct Played {
  wire::Plan plan;
  History history;
};

class WhyFaults : public testing::Test {
 protected:
  Played run(const std::string& timeline, const std::string& more = "until: 140\n") {
    LoadedScenario loaded = scenario(scratch_, timeline, more);
    if (!loaded.scenario) throw std::runtime_error("the scenario has mistakes");
    identify(loaded.scenario->plan, 1);
    const RunDirectory directory(scratch_.path() / "run");
    directory.prepare();
    run_plan(loaded.scenario->plan, {.world = World::kInProcess}, directory);
    return {loaded.scenario->plan,
            read_history(directory.capture().string(), Expectations{}, Reading::kWithEvidence)};
  }

  test::Scratch scratch_;
};

// What began the rebalance with this number, in words.
std::string cause_of(const Played& run, std::size_t number) {
  for (const why::Explanation& one : why::Explainer(run.history, &run.plan).rebalances()) {
    if (one.number == number && !one.causes.empty()) return why::clauses(one.causes.front());
  }
  return "";
}

TEST_F(WhyFaults, APartitionLastsUntilTheNetworkIsHealed) {
  const Played parted = run("[{at: 40, partition: [[C2], [B1, C1]]}, {at: 60, heal: true}]");
  EXPECT_EQ(cause_of(parted, 2),
            "C2's session timed out, last heard at tick 40, session.timeout.ms=6000 is 6 ticks; C2 "
            "and B1 were parted from tick 40 to 60 (rule {at: 40, partition: [[C2], [B1, C1]]})");
}

TEST_F(WhyFaults, ALostHeartbeatMakesTheClientLoseItsCoordinatorLater) {
  const Played dropped =
      run("[{at: 40, drop: {from: C2, to: B1, api: Heartbeat}}, {at: 55, heal: true}]");
  EXPECT_EQ(cause_of(dropped, 3),
            "C2's session timed out, last heard at tick 70, session.timeout.ms=6000 is 6 ticks; C2 "
            "took its coordinator for lost at tick 70 and looked for it, since a request of tick "
            "40 had no answer, request.timeout.ms=30000 (the default) is 30 ticks; Heartbeat "
            "requests between C2 and B1 were lost from tick 40 to 46 (rule {at: 40, drop: {from: "
            "C2, to: B1, api: Heartbeat}})");
}

// A SyncGroup of a group that is Stable does not arm the session (group-protocol 1.5).
TEST_F(WhyFaults, ASessionRunsFromWhenTheCoordinatorArmedIt) {
  const Played dropped =
      run("[{at: 40, drop: {from: B1, to: C2, api: Heartbeat}}, {at: 70, heal: true}]");
  const std::string found = cause_of(dropped, 4);
  EXPECT_TRUE(found.starts_with(
      "C2's session timed out, last answered at tick 87, session.timeout.ms=6000 is 6 ticks; C2 "
      "took its coordinator for lost at tick 89"))
      << found;
}

TEST_F(WhyFaults, AnIdIsUnknownWhenItsGroupWasRemoved) {
  const Played removed = run("[{at: 45, kill: [C1, C2]}, {at: 150, start: C1}]",
                             "until: 220\ndefaults: {broker: {offsets.retention.minutes: 1, "
                             "offsets.retention.check.interval.ms: 5000}}\n");
  bool found = false;
  for (const why::Explanation& one : why::Explainer(removed.history, &removed.plan).errors()) {
    if (one.error != "UNKNOWN_MEMBER_ID" || one.when.tick != Tick(155)) continue;
    found = true;
    EXPECT_EQ(why::as_expected(one.causes.front()), "{group.removed: billing, tick: 155}");
  }
  EXPECT_TRUE(found);
}

// C2 was assigned o2 and p2 by the third rebalance, and removed before it read them.
TEST_F(WhyFaults, WhoIsRemovedBeforeItReadsWasTheOwnerAllTheSame) {
  const Played dropped =
      run("[{at: 40, drop: {from: B1, to: C2, api: Heartbeat}}, {at: 70, heal: true}]");
  ASSERT_GE(dropped.history.rebalances.size(), 4U);
  const Rebalance& before = dropped.history.rebalances[2];
  const Rebalance& rebalance = dropped.history.rebalances[3];
  EXPECT_EQ(before.after.at({"orders", PartitionId(2)}), "C2");
  EXPECT_EQ(rebalance.before, before.after);
}

TEST(WhyScenario, AnEmptyChainIsAMistakeWithItsPlace) {
  const test::Scratch scratch;
  const LoadedScenario loaded = scenario(
      scratch, "[{at: 40, kill: C2}]", "until: 60\nexpect: {why: [{rebalance: 2, because: []}]}\n");
  EXPECT_FALSE(loaded.scenario.has_value());
  ASSERT_EQ(loaded.mistakes.size(), 1U);
}

}  // namespace
}  // namespace fencepost::lab
