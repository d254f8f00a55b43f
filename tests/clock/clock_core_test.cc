// The rules of DESIGN 3, one promise a test.
#include "clock/core/clock_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/clock/clock_story.h"

namespace fencepost::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using Did = ClockStory::Did;

wire::Rule& add_rule(wire::Plan& plan, wire::Action::Kind kind, const std::string& process) {
  wire::Rule& rule = *plan.add_rules();
  rule.add_actions()->set_kind(kind);
  rule.mutable_actions(0)->add_processes(process);
  return rule;
}

TEST(Ticks, GrantsGoOnlyToThoseWhoHaveSomethingToDo) {
  ClockStory story;
  story.hello("A").hello("B").open();
  EXPECT_THAT(story.grants(), ElementsAre("A@0", "B@0"));
  story.done("A", Did{.wake = 5});
  story.done("B");
  EXPECT_EQ(story.core().next_due(), Tick(5));
  story.open();
  EXPECT_THAT(story.grants(), ElementsAre("A@5"));
}

TEST(Ticks, AMessageTakesOneTick) {
  ClockStory story;
  story.hello("A").hello("B").open();
  story.done("A", Did{.sends = {"B"}});
  story.done("B");
  story.grants();
  story.open();
  EXPECT_THAT(story.grants(), ElementsAre("B@1 <A.1"));
}

TEST(Ticks, AWakeThatIsNotLaterThanItsStepIsDueInTheNextTick) {
  ClockStory story;
  story.hello("A").open();
  story.done("A", Did{.wake = 0});
  EXPECT_EQ(story.core().next_due(), Tick(1));
}

TEST(Ticks, StepsAreRecordedByNameNotByOrderOfDone) {
  ClockStory story;
  story.hello("B").hello("A").open();
  story.done("B");
  story.done("A");
  EXPECT_THAT(story.capture(), ElementsAre("0 JOIN A!", "0 JOIN B!", "0 step A", "0 step B"));
}

TEST(Ticks, AFactOpensTheTickThatPacingHasReachedThoughNothingIsDue) {
  ClockStory story;
  story.hello("A").open().quiet();
  EXPECT_EQ(story.core().next_due(), std::nullopt);
  story.gone("A");
  EXPECT_TRUE(story.core().has_facts());
  story.open(7);
  EXPECT_THAT(story.journal(), Contains("7 KILL A"));
}

TEST(Done, OfAnotherTickIsRefused) {
  ClockStory story;
  story.hello("A").open();
  wire::Done wrong;
  wrong.set_tick(9);
  EXPECT_FALSE(story.core().done({"A", Incarnation(1)}, wrong));
  EXPECT_TRUE(story.done("A"));
  EXPECT_FALSE(story.core().done({"A", Incarnation(1)}, wrong));
}

TEST(Done, WithAFrameInAnothersNameIsRefused) {
  ClockStory story;
  story.hello("A").open();
  wire::Done forged;
  forged.set_tick(0);
  wire::Frame* frame = forged.add_emissions()->mutable_frame();
  frame->mutable_header()->set_source("B");
  frame->mutable_header()->set_source_incarnation(1);
  frame->mutable_heartbeat_request();
  EXPECT_FALSE(story.core().done({"A", Incarnation(1)}, forged));
}

TEST(Kill, BeforeDoneVoidsTheStep) {
  ClockStory story;
  story.hello("A").hello("B").open();
  story.done("B");
  story.gone("A");
  EXPECT_THAT(story.journal(), Contains("0 KILL A"));
  EXPECT_THAT(story.capture(), Not(Contains("0 step A")));
  EXPECT_TRUE(story.captured("0 step B"));
}

TEST(Kill, AfterDoneHoldsFromTheNextTick) {
  ClockStory story;
  story.hello("A").hello("B").open();
  story.done("A");
  story.gone("A");
  story.done("B");
  EXPECT_TRUE(story.captured("0 step A"));
  story.open();
  EXPECT_THAT(story.journal(), Contains("1 KILL A"));
}

TEST(Kill, FreesTheNameForTheNextIncarnation) {
  ClockStory story;
  story.hello("A").open().quiet();
  story.hello("A");
  EXPECT_FALSE(story.core().has_facts()) << "a second Hello of a live name waits";
  story.gone("A").open();
  EXPECT_THAT(story.journal(), ElementsAre("0 JOIN A", "1 KILL A", "1 JOIN A"));
  EXPECT_EQ(story.core().participants().at("A").id.incarnation, Incarnation(2));
}

TEST(Exit, IsNoKill) {
  ClockStory story;
  story.hello("A").open();
  story.done("A", Did{.exit = 0});
  story.gone("A");
  EXPECT_FALSE(story.core().has_facts());
  EXPECT_TRUE(story.captured("0 EXIT A"));
  EXPECT_TRUE(story.core().participants().empty());
}

TEST(Freeze, OfAnIdleProcessHoldsNothing) {
  ClockStory story;
  story.hello("A").open().quiet();
  story.stopped("A").open();
  EXPECT_THAT(story.journal(), Contains("1 FREEZE A"));
}

TEST(Freeze, InTheMiddleOfAStepHoldsItUntilTheThaw) {
  ClockStory story;
  story.hello("A").hello("B").open();
  story.done("B");
  story.stopped("A");
  EXPECT_THAT(story.journal(), Contains("0 FREEZE A holding"));
  EXPECT_TRUE(story.captured("0 step B")) << "the tick closes without it";
  story.continued("A").open(4);
  EXPECT_THAT(story.journal(), Contains("4 THAW A"));
  EXPECT_FALSE(story.core().idle()) << "the thaw's tick waits for the held step";
  EXPECT_TRUE(story.done("A", Did{.sends = {"B"}}));
  EXPECT_TRUE(story.captured("4 step A of 0"));
  EXPECT_TRUE(story.captured("4 A>B ARRIVES 5")) << "its frames leave at the thaw";
}

TEST(Freeze, ADoneThatArrivesLateWaitsForTheThaw) {
  ClockStory story;
  story.hello("A").open();
  story.stopped("A");
  EXPECT_TRUE(story.done("A", Did{.event = "late"}));
  EXPECT_FALSE(story.captured("0 step A"));
  story.continued("A").open(3);
  EXPECT_TRUE(story.captured("3 step A of 0"));
}

TEST(Freeze, AKillVoidsAHeldStepEvenIfItsDoneHasArrived) {
  ClockStory story;
  story.hello("A").open();
  story.stopped("A");
  story.done("A");
  story.gone("A").open(3);
  EXPECT_TRUE(story.captured("3 KILL A!"));
  EXPECT_FALSE(story.captured("3 step A of 0"));
}

TEST(Freeze, AStopAndContinueThatNobodyObservedIsNothing) {
  ClockStory story;
  story.hello("A").hello("B").open();
  story.stopped("A").continued("A");
  story.quiet();
  EXPECT_FALSE(story.core().has_facts());
  EXPECT_THAT(story.journal(), ElementsAre("0 JOIN A", "0 JOIN B"));
}

TEST(Freeze, FramesAndTimersWaitForTheThaw) {
  ClockStory story;
  story.hello("A").hello("B").open();
  story.done("A", Did{.wake = 2});
  story.done("B", Did{.sends = {"A"}});
  story.stopped("A").open();
  story.quiet();
  story.grants();
  EXPECT_EQ(story.core().next_due(), std::nullopt);
  story.continued("A").open(6);
  EXPECT_THAT(story.grants(), ElementsAre("A@6 <B.1")) << "nothing was held, so all is due at once";
}

TEST(Freeze, AfterAHeldStepTheRestFollowsOneTickLater) {
  ClockStory story;
  story.hello("A").hello("B").open();
  story.stopped("A");
  story.done("B", Did{.sends = {"A"}});
  story.continued("A").open(6);
  story.grants();
  story.done("A", Did{.wake = 1});
  story.open();
  EXPECT_THAT(story.grants(), ElementsAre("A@7 <B.1"));
}

TEST(Close, ReachesTheNodeWithItsNextGrant) {
  ClockStory story;
  story.hello("A").open().quiet();
  story.grants();
  story.closing("A").open();
  EXPECT_THAT(story.grants(), ElementsAre("A@1 CLOSE"));
  story.quiet();
  story.closing("A");
  EXPECT_FALSE(story.core().has_facts()) << "once is enough";
}

TEST(Connections, ARequestToAnAbsentProcessIsRefusedAfterTwoTicks) {
  ClockStory story;
  story.hello("A").open();
  story.done("A", Did{.sends = {"Z"}});
  EXPECT_TRUE(story.captured("0 A>Z REFUSED"));
  story.grants();
  story.open();
  EXPECT_THAT(story.grants(), ElementsAre("A@2 <gone Z"));
}

TEST(Connections, TheDeathOfAnEndIsToldAfterTheLastFrameInFlight) {
  ClockStory story;
  story.hello("A").hello("B").open();
  story.done("A", Did{.sends = {"B"}});
  story.done("B");
  story.open();
  story.done("B", Did{.sends = {"A:1"}});
  story.grants();
  story.gone("B").open();
  EXPECT_THAT(story.grants(), ElementsAre("A@2 <B.1"));
  story.quiet();
  story.open();
  EXPECT_THAT(story.grants(), ElementsAre("A@3 <gone B"));
}

TEST(Connections, AnAnswerNeverReachesASuccessorOfTheSameName) {
  ClockStory story;
  story.hello("A").hello("B").open();
  story.done("A", Did{.sends = {"B"}});
  story.done("B");
  story.gone("A").hello("A").open();
  story.done("A");
  // B answers the request of A's first life after A's second has begun.
  wire::Done answer;
  answer.set_tick(1);
  wire::Frame* frame = answer.add_emissions()->mutable_frame();
  frame->mutable_header()->set_source("B");
  frame->mutable_header()->set_source_incarnation(1);
  frame->mutable_header()->set_sequence(1);
  frame->mutable_header()->set_destination("A");
  frame->mutable_header()->set_destination_incarnation(1);
  frame->mutable_header()->set_correlation_id(1);
  frame->mutable_heartbeat_response();
  EXPECT_TRUE(story.core().done({"B", Incarnation(1)}, answer));
  EXPECT_TRUE(story.captured("1 B>A CLOSED"));
}

TEST(Scenario, ActionsHoldTheirTickUntilTheyAreConfirmed) {
  wire::Plan plan;
  add_rule(plan, wire::Action::START, "A").set_at_tick(0);
  add_rule(plan, wire::Action::KILL, "A").set_at_tick(2);
  ClockStory story(plan);
  story.open();
  EXPECT_THAT(story.acts(), ElementsAre("START A"));
  EXPECT_THAT(story.grants(), IsEmpty());
  story.hello("A");
  EXPECT_THAT(story.grants(), ElementsAre("A@0"));
  story.quiet().open();
  EXPECT_THAT(story.acts(), ElementsAre("KILL A"));
  EXPECT_FALSE(story.core().idle());
  story.gone("A");
  EXPECT_TRUE(story.core().idle());
  EXPECT_TRUE(story.captured("2 KILL A"));
  EXPECT_THAT(story.journal(), IsEmpty()) << "scripted decisions are derived again";
}

TEST(Scenario, StartsOfOneTickAreSpawnedSideBySideAndJoinInFileOrder) {
  wire::Plan plan;
  wire::Rule& rule = add_rule(plan, wire::Action::START, "B");
  rule.set_at_tick(0);
  rule.mutable_actions(0)->add_processes("A");
  ClockStory story(plan);
  story.open();
  EXPECT_THAT(story.acts(), ElementsAre("START B", "START A"));
  story.hello("A").hello("B").quiet();
  EXPECT_THAT(story.capture(), ElementsAre("0 JOIN B", "0 JOIN A", "0 step A", "0 step B"));
}

TEST(Scenario, ANameThatIsStartedTwiceInATickIsSpawnedOnce) {
  wire::Plan plan;
  add_rule(plan, wire::Action::START, "A").set_at_tick(0);
  add_rule(plan, wire::Action::START, "A").set_at_tick(0);
  ClockStory story(plan);
  story.open();
  EXPECT_THAT(story.acts(), ElementsAre("START A"));
  story.hello("A").quiet();
  EXPECT_THAT(story.acts(), IsEmpty());
  EXPECT_THAT(story.capture(), ElementsAre("0 JOIN A", "0 step A"));
}

TEST(Scenario, AProcessThatIsKilledBeforeItJoinsIsStartedAgain) {
  wire::Plan plan;
  add_rule(plan, wire::Action::START, "A").set_at_tick(0);
  ClockStory story(plan);
  story.open().lost("A");
  EXPECT_THAT(story.acts(), ElementsAre("START A", "START A"));
  EXPECT_FALSE(story.finished());
  for (int i = 0; i < 4; ++i) story.lost("A");
  ASSERT_TRUE(story.finished()) << "but not for ever";
  EXPECT_TRUE(story.finished()->failure);
}

TEST(Scenario, AProcessOfAPersonThatIsKilledBeforeItJoinsIsNothing) {
  ClockStory story;
  story.hello("A").open().quiet().lost("A").lost("B");
  EXPECT_FALSE(story.finished());
  EXPECT_THAT(story.acts(), IsEmpty());
}

TEST(Scenario, AStopThatSomebodyUndoesIsRepeated) {
  wire::Plan plan;
  add_rule(plan, wire::Action::STOP, "A").set_at_tick(1);
  ClockStory story(plan);
  story.hello("A").open().quiet().open();
  EXPECT_THAT(story.acts(), ElementsAre("STOP A"));
  story.continued("A");
  EXPECT_THAT(story.acts(), ElementsAre("STOP A"));
  story.stopped("A");
  EXPECT_TRUE(story.captured("1 FREEZE A"));
}

TEST(Scenario, ABreakpointActsInTheNextTickAndOnce) {
  wire::Plan plan;
  add_rule(plan, wire::Action::STOP, "A").mutable_when()->set_event("ping");
  ClockStory story(plan);
  story.hello("A").hello("B").open();
  story.done("B", Did{.event = "ping", .wake = 1});
  story.done("A", Did{.sends = {"B"}});
  story.open();
  EXPECT_THAT(story.acts(), ElementsAre("STOP A"));
  story.stopped("A");
  EXPECT_TRUE(story.captured("1 FREEZE A"));
  EXPECT_TRUE(story.captured("0 A>B ARRIVES 1")) << "what its victim sent arrives";
  story.done("B", Did{.event = "ping"});
  story.continued("A").open().quiet();
  EXPECT_THAT(story.acts(), IsEmpty());
}

TEST(Scenario, ComesBeforeWhatHappensFromOutsideInTheSameTick) {
  wire::Plan plan;
  add_rule(plan, wire::Action::STOP, "B").set_at_tick(1);
  ClockStory story(plan);
  story.hello("A").hello("B").open().quiet();
  story.gone("A").open();
  story.stopped("B");
  EXPECT_THAT(story.capture(), ElementsAre("0 JOIN A!", "0 JOIN B!", "0 step A", "0 step B",
                                           "1 FREEZE B", "1 KILL A!"));
}

TEST(Run, EndsAfterTheLastTickOfUntil) {
  wire::Plan plan;
  plan.mutable_until()->set_tick(3);
  ClockStory story(plan);
  story.hello("A").open();
  story.done("A", Did{.wake = 3});
  story.open();
  story.done("A", Did{.wake = 4});
  story.open();
  ASSERT_TRUE(story.finished());
  EXPECT_TRUE(story.captured("3 step A"));
  EXPECT_TRUE(story.captured("3 END"));
}

TEST(Run, EndsWithTheTickOfItsEvent) {
  wire::Plan plan;
  plan.mutable_until()->mutable_when()->set_event("enough");
  ClockStory story(plan);
  story.hello("A").open();
  story.done("A", Did{.event = "enough"});
  ASSERT_TRUE(story.finished());
  EXPECT_FALSE(story.finished()->failure);
}

TEST(Run, WaitsForTheNamesItExpectsBeforeItsFirstTick) {
  wire::Plan plan;
  plan.add_expect_names("A");
  plan.add_expect_names("B");
  ClockStory story(plan);
  story.hello("B");
  EXPECT_FALSE(story.core().has_facts());
  story.hello("A");
  EXPECT_TRUE(story.core().has_facts());
  story.open();
  EXPECT_THAT(story.grants(), ElementsAre("A@0", "B@0"));
}

TEST(Run, IsDisturbedByWhatTheScenarioDoesNotSay) {
  ClockStory story;
  story.hello("A").open().quiet();
  story.gone("A").open();
  story.core().end("interrupted");
  story.open();
  ASSERT_TRUE(story.finished());
  EXPECT_TRUE(story.finished()->disturbed);
  EXPECT_THAT(story.journal(), ElementsAre("0 JOIN A", "1 KILL A", "2 END "));
}

TEST(Replay, FailsLoudlyWhenAProcessDiesThatTheJournalKeepsAlive) {
  wire::Plan plan;
  plan.set_replay(true);
  add_rule(plan, wire::Action::START, "A").set_at_tick(0);
  ClockStory story(plan);
  story.open().hello("A");
  story.gone("A");
  ASSERT_TRUE(story.finished());
  ASSERT_TRUE(story.finished()->failure);
  EXPECT_THAT(*story.finished()->failure, testing::HasSubstr("diverged"));
}

TEST(Replay, AnEditedFreezeHoldsOnlyWhereTheProcessIsDue) {
  wire::Plan plan;
  plan.set_replay(true);
  add_rule(plan, wire::Action::START, "A").set_at_tick(0);
  wire::Decision& freeze = *plan.add_journal();
  freeze.set_tick(2);
  freeze.set_kind(wire::Decision::FREEZE);
  freeze.set_process("A");
  freeze.set_holding(true);
  ClockStory story(plan);
  story.open().hello("A");
  story.done("A", Did{.wake = 9});
  story.open().stopped("A");
  EXPECT_THAT(story.journal(), ElementsAre("2 FREEZE A"));
}

}  // namespace
}  // namespace fencepost::test
