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

}  // namespace
}  // namespace fencepost::test
