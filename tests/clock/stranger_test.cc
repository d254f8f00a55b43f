// Who comes under the name of somebody that the scenario or the journal starts: a replay would
// start another one, so the run must not take him for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/clock/clock_story.h"

namespace fencepost::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

wire::Hello hello_of(const std::string& name, const std::string& group) {
  wire::Hello hello;
  hello.set_name(name);
  hello.set_role("consumer");
  wire::Property* property = hello.add_properties();
  property->set_name("group.id");
  property->set_value(group);
  return hello;
}

wire::Plan plan_that_starts(const std::string& name, std::int64_t tick) {
  wire::Plan plan;
  wire::ProcessSpec& spec = *plan.add_processes();
  const wire::Hello like = hello_of(name, "billing");
  spec.set_name(name);
  spec.set_role(like.role());
  *spec.mutable_properties() = like.properties();
  wire::Rule& rule = *plan.add_rules();
  rule.set_at_tick(tick);
  wire::Action& action = *rule.add_actions();
  action.set_kind(wire::Action::START);
  action.add_processes(name);
  return plan;
}

TEST(Stranger, WithOtherPropertiesIsTurnedAwayWhenTheScenarioStartsItsOwn) {
  ClockStory story(plan_that_starts("C", 0));
  EXPECT_EQ(story.core().hello(hello_of("C", "other")), "");
  story.open();
  EXPECT_THAT(story.acts(), ElementsAre("START C"));
  EXPECT_THAT(story.turned_away(), ElementsAre("C"));
  EXPECT_EQ(story.core().hello(hello_of("C", "other")), "another C is to start now");
  EXPECT_EQ(story.core().hello(hello_of("C", "billing")), "");
  story.catch_up();
  EXPECT_TRUE(story.captured("0 JOIN C"));
  EXPECT_THAT(story.journal(), IsEmpty());
}

TEST(Stranger, WithTheSamePropertiesIsAsGoodAsTheScenariosOwn) {
  ClockStory story(plan_that_starts("C", 0));
  story.core().hello(hello_of("C", "billing"));
  story.open();
  EXPECT_THAT(story.acts(), IsEmpty());
  EXPECT_TRUE(story.captured("0 JOIN C"));
}

TEST(Stranger, JoinsFromOutsideWhileNobodyOfItsNameIsToStart) {
  ClockStory story(plan_that_starts("C", 5));
  story.core().hello(hello_of("C", "other"));
  story.open();
  EXPECT_THAT(story.journal(), ElementsAre("0 JOIN C"));
}

TEST(Stranger, IsNotTakenInAReplay) {
  wire::Plan plan;
  plan.set_replay(true);
  wire::Decision& join = *plan.add_journal();
  join.set_tick(0);
  join.set_kind(wire::Decision::JOIN);
  join.set_process("C");
  join.set_role("consumer");
  *join.mutable_properties() = hello_of("C", "billing").properties();
  ClockStory story(plan);
  EXPECT_EQ(story.core().hello(hello_of("C", "billing")),
            "this is a replay: it takes nobody but those of its journal");
  story.open();
  EXPECT_THAT(story.acts(), ElementsAre("START C"));
  EXPECT_EQ(story.core().hello(hello_of("C", "other")), "another C is to start now");
  EXPECT_EQ(story.core().hello(hello_of("C", "billing")), "");
}

TEST(StopBeforeClose, IsNotWaitedForWhenTheScenarioClosesIt) {
  wire::Plan plan;
  wire::Rule& rule = *plan.add_rules();
  rule.set_at_tick(1);
  wire::Action& action = *rule.add_actions();
  action.set_kind(wire::Action::CLOSE);
  action.add_processes("A");
  ClockStory story(plan);
  story.hello("A").open().quiet();
  story.stopped("A");
  story.open();
  EXPECT_THAT(story.acts(), ElementsAre("CLOSE A"));
  EXPECT_THAT(story.capture(), testing::IsSupersetOf({"1 CLOSE A", "1 FREEZE A!"}));
  EXPECT_TRUE(story.core().idle()) << "nobody waits for it";
}

}  // namespace
}  // namespace fencepost::test
