// The traps of group-protocol 7 that concern the coordinator, by number.
#include <gtest/gtest.h>

#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

TEST(GroupTraps, T01AReservedIdIsNoMemberAndBlocksTheJoinPhase) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"});
  const TestMember c2 = world.reserve("C2");
  EXPECT_EQ(world.state(), "S");
  EXPECT_EQ(world.error(world.heartbeat(c2, 1)), ErrorCode::kUnknownMemberId);
  const std::int32_t join = world.join(members[0]);
  EXPECT_TRUE(world.parked(join));
  world.pass(9);
  EXPECT_TRUE(world.parked(join));
  world.pass(1);  // the session of the reserved id ends
  EXPECT_EQ(world.joined(join).generation_id(), 2);
}

TEST(GroupTraps, T02TheInitialDelayAppliesEveryTimeTheGroupLeavesEmpty) {
  BrokerConfig config = test_config();
  config.initial_delay_ms = 3000;
  GroupWorld world(config);
  for (int round = 0; round < 2; ++round) {
    const TestMember c1 = world.reserve("C1");
    const std::int32_t join = world.join(c1);
    world.pass(2);
    EXPECT_TRUE(world.parked(join)) << "everyone has joined, which does not shorten it";
    world.pass(1);
    EXPECT_EQ(world.error(join), ErrorCode::kNone);
    world.leave({c1});
    EXPECT_EQ(world.state(), "E");
  }
}

TEST(GroupTraps, T03TheOldGenerationIsValidUntilTheJoinPhaseEnds) {
  GroupWorld world;
  const auto members = world.stable_group({"C1", "C2"});
  world.join(members[0]);
  EXPECT_EQ(world.generation(), 1);
  EXPECT_EQ(world.error(world.heartbeat(members[1], 1)), ErrorCode::kRebalanceInProgress);
  EXPECT_EQ(world.error(world.commit(members[1], 1, "orders", 0, 7)), ErrorCode::kNone);
  EXPECT_EQ(world.joined(world.join(members[1])).generation_id(), 2);
}

TEST(GroupTraps, T04IdentityErrorsWinOverGenerationErrors) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"});
  EXPECT_EQ(world.error(world.heartbeat({"C9", "C9-x"}, 0)), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(world.error(world.heartbeat(members[0], 0)), ErrorCode::kIllegalGeneration);
}

TEST(GroupTraps, T05AGenerationIsIssuedAgainAfterACrashBeforeTheLeadersSync) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"});
  const std::int32_t join = world.join(members[0]);
  EXPECT_EQ(world.joined(join).generation_id(), 2);
  world.restart();
  EXPECT_EQ(world.state(), "S");
  EXPECT_EQ(world.generation(), 1);
  EXPECT_EQ(world.error(world.heartbeat(members[0], 2)), ErrorCode::kIllegalGeneration);
  EXPECT_EQ(world.joined(world.join(members[0])).generation_id(), 2);
}

TEST(GroupTraps, T06OnlyTheSameBytesInTheSameOrderAreTheSameMetadata) {
  GroupWorld world;
  JoinTerms terms;
  terms.protocols = {"range", "sticky"};
  const auto members = world.completing_group({"C1", "C2"}, terms);
  EXPECT_EQ(world.error(world.join(members[1], terms)), ErrorCode::kNone);
  EXPECT_EQ(world.state(), "C");
  terms.protocols = {"sticky", "range"};
  EXPECT_TRUE(world.parked(world.join(members[1], terms)));
  EXPECT_EQ(world.state(), "P");
}

TEST(GroupTraps, T07ALeadersJoinRebalancesInStableAndNotInCompleting) {
  GroupWorld world;
  const auto completing = world.completing_group({"C1", "C2"});
  const wire::JoinGroupResponse again = world.joined(world.join(completing[0]));
  EXPECT_EQ(again.error_code(), 0);
  EXPECT_EQ(again.members_size(), 2);
  EXPECT_EQ(world.state(), "C");
  world.sync(completing[0], 1, {});
  EXPECT_EQ(world.state(), "S");
  world.join(completing[0]);
  EXPECT_EQ(world.state(), "P");
}

TEST(GroupTraps, T08AParkedJoinOutlivesTheSessionAndTheAnswerArmsItAnew) {
  GroupWorld world;
  JoinTerms patient;
  patient.session_ms = 60'000;
  patient.rebalance_ms = 50'000;
  JoinTerms hasty;
  hasty.rebalance_ms = 50'000;
  const TestMember c1 = world.reserve("C1", hasty);
  const TestMember c2 = world.reserve("C2", patient);
  world.join(c1, hasty);
  world.join(c2, patient);
  world.settle();
  world.sync(c1, 1, {});
  world.sync(c2, 1);
  const std::int32_t join = world.join(c1, hasty);
  world.pass(49);
  EXPECT_TRUE(world.parked(join)) << "longer than its session of 10 ticks";
  world.pass(1);
  EXPECT_EQ(world.error(join), ErrorCode::kNone);
  world.pass(9);
  EXPECT_EQ(world.error(world.heartbeat(c1, 2)), ErrorCode::kNone);
  world.pass(10);
  EXPECT_EQ(world.error(world.heartbeat(c1, 2)), ErrorCode::kUnknownMemberId);
}

TEST(GroupTraps, T08ANewMembersParkedJoinIsGivenUpAfterFiveMinutes) {
  GroupWorld world;
  JoinTerms patient;
  patient.session_ms = 1'800'000;
  patient.rebalance_ms = 1'000'000;
  world.stable_group({"C1"}, patient);
  const std::int32_t join = world.join(world.reserve("C2"));
  world.pass(299);
  EXPECT_TRUE(world.parked(join));
  world.pass(1);
  EXPECT_EQ(world.error(join), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(world.joined(join).member_id(), "");
}

TEST(GroupTraps, T09ALateFollowerGetsItsStoredAssignment) {
  GroupWorld world;
  const auto members = world.completing_group({"C1", "C2"});
  world.sync(members[0], 1, {{members[1].id, "yours"}});
  EXPECT_EQ(world.synced(world.sync(members[1], 1)).assignment(), "yours");
}

TEST(GroupTraps, T10AForgottenMemberGetsEmptyBytesWithoutAnError) {
  GroupWorld world;
  const auto members = world.completing_group({"C1", "C2"});
  const std::int32_t sync = world.sync(members[1], 1);
  world.sync(members[0], 1, {{members[0].id, "mine"}, {"C7-nobody", "lost"}});
  EXPECT_EQ(world.error(sync), ErrorCode::kNone);
  EXPECT_EQ(world.synced(sync).assignment(), "");
}

TEST(GroupTraps, T11CommitsAreRefusedInCompletingAndAcceptedInPreparing) {
  GroupWorld world;
  const auto members = world.completing_group({"C1", "C2"});
  EXPECT_EQ(world.error(world.commit(members[0], 1, "orders", 0, 1)),
            ErrorCode::kRebalanceInProgress);
  EXPECT_EQ(world.committed("orders", 0), -1);
  world.join(members[0], {.metadata = "other"});
  EXPECT_EQ(world.error(world.commit(members[1], 1, "orders", 0, 1)), ErrorCode::kNone);
  EXPECT_EQ(world.committed("orders", 0), 1);
}

TEST(GroupTraps, T12ACommitWithoutGroupNeedsAGroupWithoutMembers) {
  GroupWorld world;
  EXPECT_EQ(world.error(world.commit({"A1", ""}, 5, "orders", 0, 1)), ErrorCode::kGroupIdNotFound);
  EXPECT_EQ(world.error(world.commit({"A1", ""}, -1, "orders", 0, 1)), ErrorCode::kNone);
  EXPECT_EQ(world.state(), "E");
  EXPECT_EQ(world.error(world.commit({"A1", ""}, 0, "orders", 0, 2)), ErrorCode::kUnknownMemberId);
  world.stable_group({"C1"});
  EXPECT_EQ(world.error(world.commit({"A1", ""}, -1, "orders", 0, 2)), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(world.committed("orders", 0), 1);
}

TEST(GroupTraps, T13ABatchOfLeavesSucceedsAsAWholeAndCausesOneRebalance) {
  GroupWorld world;
  const auto members = world.stable_group({"C1", "C2", "C3"});
  const std::size_t before = world.events_named(events::kGroupState).size();
  const auto answer = world.answer(world.leave({{"C9", "C9-x"}, members[1], members[2]}));
  const auto& response = answer->leave_group_response();
  EXPECT_EQ(response.error_code(), 0);
  EXPECT_EQ(response.members(0).error_code(), to_wire(ErrorCode::kUnknownMemberId));
  EXPECT_EQ(response.members(1).error_code(), 0);
  EXPECT_EQ(response.members(2).error_code(), 0);
  EXPECT_EQ(world.events_named(events::kGroupState).size(), before + 1);
  EXPECT_EQ(world.state(), "P");
}

TEST(GroupTraps, T14ThereIsNoPollTimerAtTheCoordinator) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"});
  for (int tick = 0; tick < 1000; ++tick) {
    world.pass(1);
    ASSERT_EQ(world.error(world.heartbeat(members[0], 1)), ErrorCode::kNone);
  }
}

TEST(GroupTraps, T20ASoleMemberCannotSwitchToADisjointProtocolList) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"});
  JoinTerms other;
  other.protocols = {"sticky"};
  EXPECT_EQ(world.error(world.join(members[0], other)), ErrorCode::kInconsistentGroupProtocol);
  EXPECT_EQ(world.state(), "S");
}

TEST(GroupTraps, T20AfterAReloadOnlyTheRecordedProtocolCounts) {
  GroupWorld world;
  JoinTerms both;
  both.protocols = {"range", "sticky"};
  world.stable_group({"C1"}, both);
  JoinTerms other;
  other.protocols = {"sticky"};
  EXPECT_EQ(world.error(world.join({"C2", ""}, other)), ErrorCode::kMemberIdRequired);
  world.restart();
  EXPECT_EQ(world.error(world.join({"C2", ""}, other)), ErrorCode::kInconsistentGroupProtocol);
}

TEST(GroupTraps, T24AnEmptyGroupsRetentionCountsFromWhenItBecameEmpty) {
  BrokerConfig config = test_config();
  config.retention_minutes = 10;        // 600 ticks
  config.retention_check_ms = 100'000;  // 100 ticks
  GroupWorld world(config);
  const auto members = world.stable_group({"C1"});
  world.commit(members[0], 1, "orders", 0, 1);
  world.leave(members);
  world.pass(550);
  EXPECT_EQ(world.error(world.commit({"A1", ""}, -1, "orders", 1, 1)), ErrorCode::kNone);
  world.pass(49);
  EXPECT_EQ(world.committed("orders", 1), 1);
  world.pass(1);
  EXPECT_EQ(world.committed("orders", 1), -1) << "committed 50 ticks ago";
  EXPECT_EQ(world.state(), "A");
}

TEST(GroupTraps, T24AnEmptyGroupWithoutOffsetsVanishesAtTheNextSweep) {
  GroupWorld world;
  world.pass(595);
  const TestMember c1 = world.reserve("C1");
  EXPECT_EQ(world.state(), "E");
  world.pass(5);
  EXPECT_EQ(world.state(), "A");
  EXPECT_EQ(world.error(world.join(c1)), ErrorCode::kUnknownMemberId);
}

}  // namespace
}  // namespace fencepost::broker
