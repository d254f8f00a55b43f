// Where a person may go on: the clock stops before anybody reacts to what a `pause` matched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/clock/clock_story.h"

namespace fencepost::test {
namespace {

using testing::ElementsAre;
using Did = ClockStory::Did;

wire::Plan plan_with_pause_on_ping() {
  wire::Plan plan;
  wire::Rule& rule = *plan.add_rules();
  rule.mutable_when()->set_event("ping");
  rule.set_text("{when: {event: ping}, pause: true}");
  rule.add_actions()->set_kind(wire::Action::PAUSE);
  return plan;
}

TEST(Breakpoint, IsAheadOfTheTickInWhichItsRuleActs) {
  ClockStory story(plan_with_pause_on_ping());
  story.hello("A").open();
  EXPECT_EQ(story.core().breakpoint_ahead(), std::nullopt);
  story.done("A", Did{.event = "ping", .wake = 9});
  EXPECT_EQ(story.core().next_due(), Tick(1)) << "not when A wakes";
  EXPECT_EQ(story.core().breakpoint_ahead(), "{when: {event: ping}, pause: true}");
  story.open();
  EXPECT_EQ(story.core().breakpoint_ahead(), std::nullopt) << "once";
}

TEST(Breakpoint, KillMadeThereHoldsInThatTick) {
  ClockStory story(plan_with_pause_on_ping());
  story.hello("A").hello("B").open();
  story.done("A", Did{.sends = {"B"}, .event = "ping"});
  story.done("B");
  ASSERT_TRUE(story.core().breakpoint_ahead());
  story.gone("B");
  story.open();
  EXPECT_THAT(story.journal(), testing::Contains("1 KILL B"));
}

TEST(Breakpoint, IsPassedOverInAReplay) {
  wire::Plan plan = plan_with_pause_on_ping();
  plan.mutable_rules(0)->set_at_tick(0);
  plan.set_replay(true);
  EXPECT_EQ(ClockStory(plan).core().breakpoint_ahead(), std::nullopt);
}

TEST(Expectation, OfNamesHoldsTheFirstTick) {
  wire::Plan plan;
  plan.add_expect_names("A");
  plan.add_expect_names("B");
  ClockStory story(plan);
  story.hello("A");
  EXPECT_FALSE(story.core().has_facts());
  EXPECT_EQ(story.core().next_due(), std::nullopt);
  EXPECT_THAT(story.core().waiting_for(), ElementsAre("B (to join)"));
  story.hello("B").open();
  EXPECT_THAT(story.journal(), ElementsAre("0 JOIN A", "0 JOIN B"));
}

TEST(Expectation, OfNamesIsNoMatterInAReplay) {
  wire::Plan plan;
  plan.add_expect_names("A");
  plan.set_replay(true);
  wire::Decision& join = *plan.add_journal();
  join.set_tick(0);
  join.set_kind(wire::Decision::JOIN);
  join.set_process("A");
  join.set_role("consumer");
  ClockStory story(plan);
  story.open();
  EXPECT_THAT(story.acts(), ElementsAre("START A"));
}

}  // namespace
}  // namespace fencepost::test
