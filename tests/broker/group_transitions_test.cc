// The rows of group-protocol 1.5, in its order and by its numbers: state, event, and what comes of
// it beyond the error code, which is a cell of GroupTable.
#include <gtest/gtest.h>

#include "broker/core/topics.h"
#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

// Sessions of 10 ticks; the rebalance timeout is 30.
class GroupTransitions : public testing::Test {
 protected:
  // C1 leads, C2 follows.
  void stable() { members_ = world_.stable_group({"C1", "C2"}); }
  void completing() { members_ = world_.completing_group({"C1", "C2"}); }
  // C1 has rejoined, C2 is awaited.
  void preparing() {
    stable();
    leader_join_ = world_.join(leader());
    ASSERT_EQ(world_.state(), "P");
  }
  // C1 and C2 have joined for the first time, and the initial delay of 3 ticks runs.
  void initial() {
    BrokerConfig config = test_config();
    config.initial_delay_ms = 3000;
    world_ = GroupWorld(config);
    members_ = {world_.reserve("C1"), world_.reserve("C2")};
    leader_join_ = world_.join(leader());
    world_.join(follower());
  }
  const TestMember& leader() const { return members_[0]; }
  const TestMember& follower() const { return members_[1]; }

  bool is_member(const TestMember& member) {
    return world_.group()->members.contains(MemberId(member.id));
  }
  std::size_t group_records() {
    std::size_t count = 0;
    for (const wire::StoredRow& row : world_.rows()) {
      wire::RecordBatch batch;
      wire::OffsetsTopicKey key;
      if (row.topic() != kOffsetsTopic || !batch.ParseFromString(row.batch())) continue;
      for (const wire::Record& record : batch.records()) {
        if (key.ParseFromString(record.key()) && key.has_group_metadata()) ++count;
      }
    }
    return count;
  }
  // Keeps a member alive for so many ticks; it hears this.
  void heartbeat_for(const TestMember& member, int ticks, ErrorCode heard) {
    for (int i = 0; i < ticks; ++i) {
      world_.pass(1);
      ASSERT_EQ(world_.error(world_.heartbeat(member, world_.generation())), heard);
    }
  }
  void both_live_for(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      for (const TestMember& member : members_) {
        EXPECT_EQ(world_.error(world_.heartbeat(member, 1)), ErrorCode::kNone);
      }
      world_.pass(1);
    }
  }

  GroupWorld world_;
  std::vector<TestMember> members_;
  std::int32_t leader_join_ = 0;
};

JoinTerms static_terms() {
  JoinTerms terms;
  terms.instance = "i9";
  return terms;
}

TEST_F(GroupTransitions, R01AbsentAJoinMakesTheGroupAndStoresIt) {
  world_.reserve("C1");
  EXPECT_EQ(world_.state(), "E");
  EXPECT_EQ(group_records(), 1U);
  world_.restart();
  EXPECT_EQ(world_.state(), "E");
}

TEST_F(GroupTransitions, R01AbsentARefusedJoinMakesTheGroupToo) {
  JoinTerms terms;
  terms.protocols.clear();
  EXPECT_EQ(world_.error(world_.join({"C1", ""}, terms)), ErrorCode::kInconsistentGroupProtocol);
  EXPECT_EQ(world_.state(), "E");
}

TEST_F(GroupTransitions, R02AbsentACommitWithoutGenerationMakesASimpleGroup) {
  world_.commit({"A1", ""}, -1, "orders", 0, 4);
  EXPECT_EQ(world_.state(), "E");
  EXPECT_FALSE(world_.group()->protocol_type.has_value());
  EXPECT_EQ(group_records(), 0U);
}

TEST_F(GroupTransitions, R03EmptyAReservedIdLivesForItsSession) {
  const TestMember c1 = world_.reserve("C1");
  world_.pass(9);
  EXPECT_TRUE(world_.group()->pending_join.contains(MemberId(c1.id)));
  world_.pass(1);
  EXPECT_EQ(world_.error(world_.join(c1)), ErrorCode::kUnknownMemberId);
}

TEST_F(GroupTransitions, R04EmptyTheFirstMemberLeadsAndStartsTheInitialWait) {
  initial();
  EXPECT_EQ(world_.group()->leader, MemberId(leader().id));
  EXPECT_EQ(world_.group()->protocol_type, "consumer");
  EXPECT_TRUE(world_.parked(leader_join_)) << "although everyone has joined";
  EXPECT_EQ(world_.state(), "P");
  EXPECT_EQ(world_.generation(), 0);
}

TEST_F(GroupTransitions, R05EmptyAnIdThatIsNeitherReservedNorAMembersIsUnknown) {
  stable();
  world_.leave(members_);
  EXPECT_EQ(world_.error(world_.join(leader())), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(world_.state(), "E");
}

TEST_F(GroupTransitions, R06EmptyAReservedIdMayLeave) {
  const TestMember c1 = world_.reserve("C1");
  EXPECT_EQ(world_.error(world_.heartbeat(c1, 0)), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(world_.error(world_.leave({c1})), ErrorCode::kNone);
  EXPECT_EQ(world_.state(), "E");
  EXPECT_EQ(world_.error(world_.join(c1)), ErrorCode::kUnknownMemberId);
}

TEST_F(GroupTransitions, R07PreparingAReservedIdIsAwaited) {
  preparing();
  const TestMember c3 = world_.reserve("C3");
  world_.join(follower());
  EXPECT_EQ(world_.state(), "P");
  world_.leave({c3});
  EXPECT_EQ(world_.state(), "C");
}

TEST_F(GroupTransitions, R08PreparingANewMemberIsAddedAndMayEndThePhase) {
  preparing();
  const TestMember c3 = world_.reserve("C3");
  world_.join(follower());
  const std::int32_t join = world_.join(c3);
  EXPECT_EQ(world_.state(), "C");
  EXPECT_EQ(world_.joined(join).generation_id(), 2);
  EXPECT_EQ(world_.joined(leader_join_).members_size(), 3);
}

TEST_F(GroupTransitions, R08PreparingANewMemberProlongsTheInitialWait) {
  initial();
  world_.pass(3);
  EXPECT_EQ(world_.state(), "P") << "C2 was added during the wait";
  world_.pass(3);
  EXPECT_EQ(world_.state(), "C");
}

TEST_F(GroupTransitions, R09PreparingARejoinReplacesTheTermsAndTheParkedJoin) {
  preparing();
  JoinTerms terms;
  terms.rebalance_ms = 40'000;
  terms.metadata = "new";
  const std::int32_t again = world_.join(leader(), terms);
  world_.join(follower());
  EXPECT_TRUE(world_.parked(leader_join_)) << "dropped without an answer";
  EXPECT_EQ(world_.joined(again).members(0).metadata(), "new");
  EXPECT_EQ(world_.group()->rebalance_timeout_ms(), 40'000);
}

TEST_F(GroupTransitions, R10PreparingAReturningStaticMemberCountsAsRejoined) {
  stable();
  world_.join({"C9", ""}, static_terms());
  world_.join(leader());
  const std::int32_t back = world_.join({"C9", ""}, static_terms());
  EXPECT_EQ(world_.state(), "P");
  world_.join(follower());
  EXPECT_EQ(world_.state(), "C");
  EXPECT_EQ(world_.joined(back).generation_id(), 2);
}

TEST_F(GroupTransitions, R11PreparingTheInitialWaitEndsWithWhoIsThere) {
  initial();
  world_.pass(6);
  EXPECT_EQ(world_.state(), "C");
  EXPECT_EQ(world_.joined(leader_join_).members_size(), 2);
}

TEST_F(GroupTransitions, R11PreparingTheInitialWaitOfNobodyEndsEmpty) {
  initial();
  world_.leave(members_);
  EXPECT_EQ(world_.state(), "P") << "leaving does not end an initial wait";
  world_.pass(6);
  EXPECT_EQ(world_.state(), "E");
  EXPECT_EQ(world_.generation(), 1);
}

TEST_F(GroupTransitions, R12PreparingTheJoinTimerRemovesWhoHasNotRejoined) {
  preparing();
  heartbeat_for(follower(), 29, ErrorCode::kRebalanceInProgress);
  world_.pass(1);
  EXPECT_EQ(world_.state(), "C");
  EXPECT_FALSE(is_member(follower()));
}

TEST_F(GroupTransitions, R13PreparingASyncHearsOfTheRebalance) {
  preparing();
  EXPECT_EQ(world_.error(world_.sync(follower(), 1)), ErrorCode::kRebalanceInProgress);
}

TEST_F(GroupTransitions, R14PreparingAHeartbeatHearsOfTheRebalanceAndProlongsTheSession) {
  preparing();
  world_.pass(9);
  EXPECT_EQ(world_.error(world_.heartbeat(follower(), 1)), ErrorCode::kRebalanceInProgress);
  world_.pass(9);
  EXPECT_TRUE(is_member(follower()));
  world_.pass(1);
  EXPECT_FALSE(is_member(follower()));
}

TEST_F(GroupTransitions, R15PreparingTheLastWhoIsAwaitedLeavesAndThePhaseEnds) {
  preparing();
  world_.leave({follower()});
  EXPECT_EQ(world_.state(), "C");
  EXPECT_EQ(world_.joined(leader_join_).members_size(), 1);
}

TEST_F(GroupTransitions, R15PreparingAParkedJoinOfWhoLeavesIsAnswered) {
  preparing();
  world_.leave({leader()});
  EXPECT_EQ(world_.error(leader_join_), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(world_.state(), "P");
  world_.leave({follower()});
  EXPECT_EQ(world_.state(), "E");
}

TEST_F(GroupTransitions, R16PreparingASessionEndsAndThePhaseWithIt) {
  preparing();
  world_.pass(10);
  EXPECT_EQ(world_.state(), "C");
  EXPECT_FALSE(is_member(follower()));
  EXPECT_TRUE(is_member(leader())) << "it waits for an answer and cannot heartbeat";
}

TEST_F(GroupTransitions, R16PreparingAReservedIdThatExpiresCanEndAnInitialWait) {
  BrokerConfig config = test_config();
  config.initial_delay_ms = 60'000;
  world_ = GroupWorld(config);
  const TestMember c1 = world_.reserve("C1");
  world_.join(c1);
  world_.reserve("C2");
  world_.pass(9);
  EXPECT_EQ(world_.state(), "P");
  world_.pass(1);
  EXPECT_EQ(world_.state(), "C");
}

TEST_F(GroupTransitions, R17CompletingANewMemberStartsAnotherRebalance) {
  completing();
  const std::int32_t sync = world_.sync(follower(), 1);
  world_.join(world_.reserve("C3"));
  EXPECT_EQ(world_.error(sync), ErrorCode::kRebalanceInProgress);
  EXPECT_EQ(world_.state(), "P");
}

TEST_F(GroupTransitions, R18CompletingARepeatedJoinIsAnsweredAtOnce) {
  completing();
  const wire::JoinGroupResponse again = world_.joined(world_.join(leader()));
  EXPECT_EQ(again.members_size(), 2);
  EXPECT_EQ(world_.joined(world_.join(follower())).members_size(), 0);
  EXPECT_EQ(again.generation_id(), 1);
  EXPECT_EQ(world_.state(), "C");
}

TEST_F(GroupTransitions, R19CompletingAJoinWithOtherMetadataStartsAnotherRebalance) {
  completing();
  EXPECT_TRUE(world_.parked(world_.join(follower(), {.metadata = "other"})));
  EXPECT_EQ(world_.state(), "P");
}

TEST_F(GroupTransitions, R20CompletingAReturningStaticMemberStartsAnotherRebalance) {
  world_.join({"C9", ""}, static_terms());
  world_.settle();
  ASSERT_EQ(world_.state(), "C");
  // It is the only member, so its own join ends the new phase at once.
  const std::int32_t back = world_.join({"C9", ""}, static_terms());
  EXPECT_EQ(world_.joined(back).generation_id(), 2);
}

TEST_F(GroupTransitions, R21CompletingAFollowersSyncIsParked) {
  completing();
  const std::int32_t sync = world_.sync(follower(), 1);
  EXPECT_TRUE(world_.parked(sync));
  EXPECT_EQ(world_.group()->pending_sync, std::set<MemberId>{MemberId(leader().id)});
}

TEST_F(GroupTransitions, R22CompletingTheLeadersSyncIsStored) {
  completing();
  const std::size_t before = group_records();
  world_.sync(leader(), 1, {{leader().id, "a"}, {follower().id, "b"}});
  EXPECT_EQ(group_records(), before + 1);
  world_.restart();
  EXPECT_EQ(world_.synced(world_.sync(follower(), 1)).assignment(), "b");
}

TEST_F(GroupTransitions, R23CompletingAStoredAssignmentAnswersEveryoneAndTheSessionsBeginAnew) {
  completing();
  const std::int32_t sync = world_.sync(follower(), 1);
  world_.pass(9);
  world_.sync(leader(), 1, {{leader().id, "a"}, {follower().id, "b"}});
  EXPECT_EQ(world_.state(), "S");
  EXPECT_EQ(world_.synced(sync).assignment(), "b");
  world_.pass(9);
  EXPECT_TRUE(is_member(follower()));
  world_.pass(1);
  EXPECT_FALSE(is_member(follower()));
}

// R24, a failed append, cannot happen: what is appended is stored with the tick or never was.

TEST_F(GroupTransitions, R25CompletingAHeartbeatProlongsTheSession) {
  completing();
  both_live_for(18);
  EXPECT_EQ(world_.state(), "C");
}

TEST_F(GroupTransitions, R26CompletingWhoLeavesOrExpiresStartsAnotherRebalance) {
  completing();
  world_.leave({follower()});
  EXPECT_EQ(world_.state(), "P");
  world_.pass(10);
  EXPECT_EQ(world_.state(), "E") << "the other one's session has ended, too";
}

TEST_F(GroupTransitions, R27CompletingWhoDoesNotSyncIsRemovedAfterTheRebalanceTimeout) {
  completing();
  const std::int32_t sync = world_.sync(follower(), 1);
  heartbeat_for(leader(), 29, ErrorCode::kNone);
  world_.pass(1);
  EXPECT_FALSE(is_member(leader()));
  EXPECT_EQ(world_.error(sync), ErrorCode::kRebalanceInProgress);
  EXPECT_EQ(world_.state(), "P");
}

TEST_F(GroupTransitions, R27StableWhoDoesNotSyncIsRemovedAfterTheRebalanceTimeout) {
  completing();
  world_.sync(leader(), 1, {});
  ASSERT_EQ(world_.state(), "S");
  for (int i = 0; i < 29; ++i) {
    world_.pass(1);
    world_.heartbeat(leader(), 1);
    world_.heartbeat(follower(), 1);
  }
  EXPECT_TRUE(is_member(follower()));
  world_.pass(1);
  EXPECT_FALSE(is_member(follower()));
  EXPECT_EQ(world_.state(), "P");
}

TEST_F(GroupTransitions, R28StableANewMemberStartsARebalance) {
  stable();
  world_.join(world_.reserve("C3"));
  EXPECT_EQ(world_.state(), "P");
  EXPECT_EQ(world_.generation(), 1);
}

TEST_F(GroupTransitions, R29StableTheLeadersJoinStartsARebalanceAlsoUnchanged) {
  stable();
  world_.join(leader());
  EXPECT_EQ(world_.state(), "P");
}

TEST_F(GroupTransitions, R30StableAFollowersUnchangedJoinIsAnsweredAtOnce) {
  stable();
  const wire::JoinGroupResponse again = world_.joined(world_.join(follower()));
  EXPECT_EQ(again.generation_id(), 1);
  EXPECT_EQ(again.leader(), leader().id);
  EXPECT_EQ(again.members_size(), 0);
}

TEST_F(GroupTransitions, R31StableAFollowersOtherMetadataStartARebalance) {
  stable();
  EXPECT_TRUE(world_.parked(world_.join(follower(), {.metadata = "other"})));
  EXPECT_EQ(world_.state(), "P");
}

// R32 and R33, a static member that returns to a Stable group: StaticMembership.

TEST_F(GroupTransitions, R34StableASyncGetsTheStoredAssignmentAndDoesNotProlongTheSession) {
  stable();
  world_.pass(9);
  EXPECT_EQ(world_.synced(world_.sync(follower(), 1)).assignment(), "of C2");
  world_.pass(1);
  EXPECT_FALSE(is_member(follower()));
}

TEST_F(GroupTransitions, R35StableAHeartbeatProlongsTheSession) {
  stable();
  both_live_for(18);
  EXPECT_EQ(world_.state(), "S");
}

TEST_F(GroupTransitions, R36StableLeavingStartsARebalanceAlsoIfOnlyAReservedIdLeaves) {
  stable();
  world_.leave({world_.reserve("C3")});
  EXPECT_EQ(world_.state(), "P");
}

TEST_F(GroupTransitions, R36StableTheLastMembersLeavingEmptiesTheGroup) {
  stable();
  world_.leave(members_);
  EXPECT_EQ(world_.state(), "E");
  EXPECT_EQ(world_.generation(), 2);
  EXPECT_FALSE(world_.group()->leader.has_value());
  EXPECT_FALSE(world_.group()->protocol_name.has_value());
}

TEST_F(GroupTransitions, R37StableASessionThatEndsStartsARebalance) {
  stable();
  for (int i = 0; i < 10; ++i) {
    world_.heartbeat(leader(), 1);
    world_.pass(1);
  }
  EXPECT_EQ(world_.state(), "P");
  EXPECT_FALSE(is_member(follower()));
}

// R38 and R39, unloading and Dead: GroupRebalance.UnloadingThePartitionAnswersWhatIsParked and the
// last column of GroupTable.

}  // namespace
}  // namespace fencepost::broker
