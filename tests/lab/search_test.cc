// Random scenarios: none breaks a promise; and one that does would be found, and cut down.
#include <gtest/gtest.h>

#include "tests/lab/searching.h"

namespace fencepost::lab {
namespace {

TEST_F(Search, FindsNothingInTheFirstFifty) { expect_none(1, 50); }

TEST_F(Search, DrawsTheSameFromTheSameSeed) {
  EXPECT_EQ(to_yaml(draw_scenario(7)), to_yaml(draw_scenario(7)));
  EXPECT_NE(to_yaml(draw_scenario(7)), to_yaml(draw_scenario(8)));
}

// Members that commit first, and one that dies in its batch: what it had committed and not done is
// lost, against the promise.
RandomScenario losing() {
  RandomScenario scenario;
  scenario.seed = 1;
  scenario.until = 120;
  scenario.head = {
      "tick.ms: 1000",
      "topics: {orders: 2, invoices: 1}",
      "defaults:",
      "  broker: {group.initial.rebalance.delay.ms: 0}",
      "  consumer: {session.timeout.ms: 6000, heartbeat.interval.ms: 1000, max.poll.records: 3,"
      " enable.auto.commit: false, auto.offset.reset: earliest, commit: before}",
      "processes:",
      "  B1: {role: broker}",
      "  P1: {role: producer, records: {orders: 9}, interval.ms: 1000}"};
  for (const char* name : {"C1", "C2", "C3"}) {
    scenario.members.push_back(
        std::string(name) +
        ": {role: consumer, group.id: g, subscribe: [orders], output: invoices}");
  }
  scenario.faults = {
      {.rules = {"{at: 50, stop: C1}", "{at: 53, cont: C1}"}},
      {.rules = {"{at: 40, slow: {process: C2, ticks: 4}}"}},
      {.rules = {"{when: {process: C2, event: record.processing, nth: 2}, kill: C2}"}},
      {.rules = {"{at: 60, close: C3}"}},
      {.rules = {"{at: 70, partition: C1}", "{at: 72, heal: true}"}}};
  return scenario;
}

TEST_F(Search, FindsWhatIsLostAndCutsItDownToTheOneFaultThatLosesIt) {
  const RandomScenario scenario = losing();
  const auto violation = attempt(scenario);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->subject, "lost: 0");
  const RandomScenario fewest =
      shrink(scenario, *violation, [&](const RandomScenario& fewer) { return attempt(fewer); });
  ASSERT_EQ(fewest.faults.size(), 1U);
  EXPECT_EQ(fewest.faults[0].rules, scenario.faults[2].rules);
}

TEST_F(Search, KeepsAllFaultsThatAreNeededTogether) {
  const RandomScenario scenario = losing();
  const auto needs_two = [&](const RandomScenario& tried) -> std::optional<Violation> {
    int needed = 0;
    for (const Fault& fault : tried.faults) {
      if (fault.rules == scenario.faults[0].rules) ++needed;
      if (fault.rules == scenario.faults[3].rules) ++needed;
    }
    if (needed < 2) return std::nullopt;
    return Violation{"both", ""};
  };
  const RandomScenario fewest = shrink(scenario, {"both", ""}, needs_two);
  EXPECT_EQ(fewest.faults.size(), 2U);
}

// A member that is stopped to the end: its partitions pass to the others, so nothing is nobody's.
// But where it is the only one, they have no owner.
TEST_F(Search, FindsPartitionsThatNobodyOwnsInTheEnd) {
  RandomScenario scenario = losing();
  scenario.at_least_once = false;
  scenario.members.resize(1);
  scenario.faults = {{.rules = {"{at: 50, stop: C1}"}}};
  const auto violation = attempt(scenario);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->subject, "every partition has an owner in the end");
}

}  // namespace
}  // namespace fencepost::lab
