// What a rule's trigger matches.
#include "clock/core/script.h"

#include <gtest/gtest.h>

#include "common/events.h"

namespace fencepost::test {
namespace {

using clock::Script;

wire::Match on_event(const std::string& process, const std::string& event) {
  wire::Match match;
  match.set_process(process);
  match.set_event(event);
  return match;
}

TEST(Match, ComparesEveryFieldThatIsPresent) {
  wire::Match match = on_event("C2", "record.processing");
  wire::Attribute* where = match.add_where();
  where->set_key("record");
  where->set_value("p2.3");
  const wire::Event right = events::make("record.processing", {{"record", "p2.3"}});
  const wire::Event other = events::make("record.processing", {{"record", "p2.4"}});
  EXPECT_TRUE(clock::matches_event(match, "C2", right));
  EXPECT_FALSE(clock::matches_event(match, "C1", right));
  EXPECT_FALSE(clock::matches_event(match, "C2", other));
}

TEST(Match, FindsAnItemOfAList) {
  wire::Match match = on_event("B1", "log.appended");
  wire::Attribute* where = match.add_where();
  where->set_key("records");
  where->set_value("inv(p2.5)");
  EXPECT_TRUE(clock::matches_event(
      match, "B1", events::make("log.appended", {{"records", "inv(p2.4),inv(p2.5)"}})));
  EXPECT_FALSE(
      clock::matches_event(match, "B1", events::make("log.appended", {{"records", "inv(p2.50)"}})));
}

TEST(Match, OfAPacketMayAskForAnErrorDeepInsideTheAnswer) {
  wire::Match match;
  match.set_api("OffsetCommit");
  match.set_error(true);
  wire::Frame frame;
  auto* partition = frame.mutable_offset_commit_response()->add_topics()->add_partitions();
  EXPECT_FALSE(clock::matches_packet(match, frame));
  partition->set_error_code(25);
  EXPECT_TRUE(clock::matches_packet(match, frame));
}

TEST(Breakpoint, FiresOnTheNthMatchOnly) {
  wire::Plan plan;
  *plan.add_rules()->mutable_when() = on_event("A", "x");
  plan.mutable_rules(0)->mutable_when()->set_nth(2);
  Script script(plan);
  std::vector<std::size_t> fired;
  for (int i = 0; i < 4; ++i) {
    script.observe_event("A", events::make("x", {}));
    fired.push_back(script.take_due(Tick(i)).size());
  }
  EXPECT_EQ(fired, (std::vector<std::size_t>{0, 1, 0, 0}));
}

TEST(Breakpoint, WithEveryGoesOnFiring) {
  wire::Plan plan;
  *plan.add_rules()->mutable_when() = on_event("A", "x");
  plan.mutable_rules(0)->set_every(true);
  Script script(plan);
  for (int i = 0; i < 3; ++i) {
    script.observe_event("A", events::make("x", {}));
    EXPECT_EQ(script.take_due(Tick(i)).size(), 1u);
  }
}

TEST(Timeline, GivesTheRulesOfATickInFileOrder) {
  wire::Plan plan;
  *plan.add_rules()->mutable_when() = on_event("A", "x");
  plan.add_rules()->set_at_tick(5);
  plan.add_rules()->set_at_tick(2);
  *plan.add_rules()->mutable_when() = on_event("A", "x");
  Script script(plan);
  EXPECT_EQ(script.next_due(Tick(0)), Tick(2));
  EXPECT_EQ(script.take_due(Tick(2)), std::vector<int>{2});
  script.observe_event("A", events::make("x", {}));
  EXPECT_EQ(script.next_due(Tick(3)), Tick(3));
  EXPECT_EQ(script.take_due(Tick(5)), (std::vector<int>{0, 1, 3}));
}

}  // namespace
}  // namespace fencepost::test
