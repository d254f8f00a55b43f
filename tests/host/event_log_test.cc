#include "common/host/event_log.h"

#include <gtest/gtest.h>

#include <string>

#include "common/events.h"

namespace fencepost {
namespace {

wire::Event group_state(std::string_view from, std::string_view to) {
  return events::make(events::kGroupState, {{"group", "billing"},
                                            {"from", std::string(from)},
                                            {"to", std::string(to)},
                                            {"generation", "2"},
                                            {"reason", "member C3-aa joined"},
                                            {"members", "C1-bb,C3-aa"}});
}

wire::Event member_removed(std::string_view reason) {
  return events::make(events::kMemberRemoved, {{"group", "billing"},
                                               {"member", "C2-cc"},
                                               {"client", "C2"},
                                               {"reason", std::string(reason)}});
}

TEST(EventLine, OfAGroupIsInKafkasWords) {
  EXPECT_EQ(event_line(group_state("Stable", "PreparingRebalance")),
            "group.state: Preparing to rebalance group billing in state Stable with old generation "
            "2 (reason: member C3-aa joined)");
  EXPECT_EQ(event_line(group_state("PreparingRebalance", "CompletingRebalance")),
            "group.state: Stabilized group billing generation 2 with 2 members");
  EXPECT_EQ(event_line(group_state("CompletingRebalance", "Stable")),
            "group.state: Assignment received from leader for group billing for generation 2");
  EXPECT_EQ(event_line(group_state("PreparingRebalance", "Empty")),
            "group.state: Group billing with generation 2 is now empty (reason: member C3-aa "
            "joined)");
}

TEST(EventLine, OfAGroupThatKafkaHasNoWordsForNamesItsAttributes) {
  EXPECT_EQ(event_line(group_state("Empty", "Dead")),
            "group.state group=billing from=Empty to=Dead generation=2 reason=\"member C3-aa "
            "joined\" members=C1-bb,C3-aa");
}

TEST(EventLine, OfAMemberThatGoesSaysWhetherItHasFailed) {
  EXPECT_EQ(event_line(member_removed("session of member C2-cc expired")),
            "member.removed: Member C2-cc in group billing has failed, removing it from the group "
            "(reason: session of member C2-cc expired)");
  EXPECT_EQ(event_line(member_removed("member C2-cc left: the consumer is being closed")),
            "member.removed: Member C2-cc has left group billing through explicit `LeaveGroup` "
            "request");
}

TEST(EventLine, HoldsEveryAttributeInOrder) {
  const wire::Event event =
      events::make(events::kPartitionsAssigned,
                   {{"group", "billing"}, {"member", ""}, {"partitions", "orders-0,orders-1"}});
  EXPECT_EQ(event_line(event),
            "partitions.assigned group=billing member=\"\" partitions=orders-0,orders-1");
}

TEST(EventLine, IsOneLineWhateverAValueHolds) {
  const wire::Event event =
      events::make(events::kMemberAdded, {{"client", "a\nb \"c\"\x7f=\xc3\xa9"}});
  EXPECT_EQ(event_line(event), "member.added client=\"a\\x0ab \\\"c\\\"\\x7f=\xc3\xa9\"");
  EXPECT_EQ(event_line(member_removed("one\ntwo")),
            "member.removed: Member C2-cc in group billing has failed, removing it from the group "
            "(reason: one two)");
}

std::string logged(const std::string& level, const wire::Event& event) {
  testing::internal::CaptureStderr();
  ProcessLog log("B1", level);
  log_event(log, event);
  return testing::internal::GetCapturedStderr();
}

TEST(EventLog, TellsOfMembersAndNotOfEveryRecord) {
  const wire::Event removed = member_removed("session of member C2-cc expired");
  const wire::Event record = events::make(events::kRecordRead, {{"record", "o2.3"}});
  const wire::Event failed = events::make(events::kCommitFailed, {{"group", "billing"}});
  EXPECT_NE(logged("info", removed).find(" info [B1] member.removed: Member C2-cc"),
            std::string::npos);
  EXPECT_EQ(logged("info", record), "");
  EXPECT_NE(logged("debug", record).find(" debug [B1] record.read record=o2.3"), std::string::npos);
  EXPECT_NE(logged("warn", failed).find(" warning [B1] commit.failed group=billing"),
            std::string::npos);
  EXPECT_EQ(logged("warn", removed), "");
}

}  // namespace
}  // namespace fencepost
