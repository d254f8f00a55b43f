// Timers and procedures of a rebalance (group-protocol 1.3, 1.4), and what clients see of them.
#include <gtest/gtest.h>

#include "broker/core/group_membership.h"
#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

TEST(GroupState, AllowsExactlyTheMovesOfTheTable) {
  // Rows: from; columns: to, in the order Empty, Preparing, Completing, Stable, Dead.
  constexpr bool kAllowed[5][5] = {{false, true, false, false, true},
                                   {true, false, true, false, true},
                                   {false, true, false, true, true},
                                   {false, true, false, false, true},
                                   {false, false, false, false, false}};
  for (std::size_t from = 0; from < kAllGroupStates.size(); ++from) {
    for (std::size_t to = 0; to < kAllGroupStates.size(); ++to) {
      EXPECT_EQ(may_move(kAllGroupStates[from], kAllGroupStates[to]), kAllowed[from][to])
          << name_of(kAllGroupStates[from]) << " -> " << name_of(kAllGroupStates[to]);
    }
  }
}

TEST(GroupStateDeathTest, AMoveOutsideTheTableIsABug) {
  GroupStatus status(GroupState::kEmpty, 0);
  EXPECT_DEATH(status.transition(GroupState::kStable, "a test", 0), "Empty -> Stable: a test");
}

TEST(GroupRebalance, FirstMemberLeadsTheFirstGeneration) {
  GroupWorld world;
  const TestMember c1 = world.reserve("C1");
  EXPECT_EQ(c1.id.substr(0, 3), "C1-");
  const std::int32_t join = world.join(c1);
  EXPECT_TRUE(world.parked(join));
  world.settle();
  const wire::JoinGroupResponse joined = world.joined(join);
  EXPECT_EQ(joined.error_code(), 0);
  EXPECT_EQ(joined.generation_id(), 1);
  EXPECT_EQ(joined.leader(), c1.id);
  EXPECT_EQ(joined.member_id(), c1.id);
  EXPECT_EQ(joined.protocol_name(), "range");
  EXPECT_EQ(joined.protocol_type(), "consumer");
  ASSERT_EQ(joined.members_size(), 1);
  EXPECT_EQ(joined.members(0).metadata(), "m");
  const std::int32_t sync = world.sync(c1, 1, {{c1.id, "all"}});
  EXPECT_EQ(world.synced(sync).assignment(), "all");
  EXPECT_EQ(world.synced(sync).protocol_name(), "range");
}

TEST(GroupRebalance, FollowersGetNoMemberListAndTheirOwnAssignment) {
  GroupWorld world;
  const TestMember c1 = world.reserve("C1");
  const TestMember c2 = world.reserve("C2");
  const std::int32_t join1 = world.join(c1);
  const std::int32_t join2 = world.join(c2);
  world.pass(0);
  EXPECT_EQ(world.joined(join1).members_size(), 2);
  EXPECT_EQ(world.joined(join2).members_size(), 0);
  EXPECT_EQ(world.joined(join2).leader(), c1.id);
  const std::int32_t sync2 = world.sync(c2, 1);
  EXPECT_TRUE(world.parked(sync2));
  world.sync(c1, 1, {{c1.id, "one"}, {c2.id, "two"}});
  EXPECT_EQ(world.synced(sync2).assignment(), "two");
}

TEST(GroupRebalance, JoinOfAnotherMemberEndsWhenEveryoneHasRejoined) {
  GroupWorld world;
  const TestMember c1 = world.stable_group({"C1"})[0];
  const TestMember c2 = world.reserve("C2");
  const std::int32_t join2 = world.join(c2);
  EXPECT_EQ(world.state(), "P");
  EXPECT_EQ(world.error(world.heartbeat(c1, 1)), ErrorCode::kRebalanceInProgress);
  const std::int32_t join1 = world.join(c1);
  EXPECT_EQ(world.joined(join2).generation_id(), 2);
  EXPECT_EQ(world.joined(join1).leader(), c1.id);  // leadership survives
  EXPECT_EQ(world.state(), "C");
}

TEST(GroupRebalance, DropsWhoDoesNotRejoinWithinTheLargestRebalanceTimeout) {
  GroupWorld world;
  JoinTerms patient;
  patient.session_ms = 60'000;
  const auto members = world.stable_group({"C1", "C2"}, patient);
  const std::int32_t join = world.join(members[0], patient);
  world.pass(29);
  EXPECT_TRUE(world.parked(join));
  world.pass(1);
  EXPECT_EQ(world.joined(join).generation_id(), 2);
  EXPECT_EQ(world.joined(join).members_size(), 1);
  EXPECT_EQ(world.error(world.heartbeat(members[1], 1)), ErrorCode::kUnknownMemberId);
}

TEST(GroupRebalance, AnotherMemberLeadsIfTheLeaderDoesNotRejoin) {
  GroupWorld world;
  JoinTerms patient;
  patient.session_ms = 60'000;
  const auto members = world.stable_group({"C1", "C2", "C3"}, patient);
  patient.metadata = "other";
  const std::int32_t join3 = world.join(members[2], patient);
  world.join(members[1], patient);
  world.pass(30);
  EXPECT_EQ(world.joined(join3).leader(), members[1].id);  // the smallest id that is left
}

TEST(GroupRebalance, SessionExpiryStartsARebalance) {
  GroupWorld world;
  const auto members = world.stable_group({"C1", "C2"});
  for (int tick = 1; tick < 10; ++tick) {
    world.pass(1);
    EXPECT_EQ(world.error(world.heartbeat(members[0], 1)), ErrorCode::kNone);
  }
  EXPECT_EQ(world.state(), "S");
  world.pass(1);
  EXPECT_EQ(world.state(), "P");
  const wire::Event last = world.events_named(events::kGroupState).back();
  EXPECT_EQ(events::value_of(last, "reason"), "session of member " + members[1].id + " expired");
  EXPECT_EQ(events::value_of(last, "members"), members[0].id);
}

TEST(GroupRebalance, SessionExpiryOfTheLastMissingMemberCompletesTheJoinPhase) {
  GroupWorld world;
  const auto members = world.stable_group({"C1", "C2"});
  const std::int32_t join = world.join(members[0]);
  world.pass(10);
  EXPECT_EQ(world.joined(join).members_size(), 1);
}

TEST(GroupRebalance, LastMemberLeavingEmptiesTheGroupWithANewGeneration) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"});
  EXPECT_EQ(world.error(world.leave(members)), ErrorCode::kNone);
  EXPECT_EQ(world.state(), "E");
  EXPECT_EQ(world.generation(), 2);
  EXPECT_FALSE(world.group()->leader.has_value());
}

TEST(GroupRebalance, MembersWhoNeverSyncAreExpelledThoughTheyHeartbeat) {
  GroupWorld world;
  const auto members = world.completing_group({"C1", "C2"});
  world.sync(members[0], 1, {});
  EXPECT_EQ(world.state(), "S");
  for (int tick = 1; tick <= 29; ++tick) {
    world.pass(1);
    world.heartbeat(members[0], 1);
    world.heartbeat(members[1], 1);
  }
  EXPECT_EQ(world.state(), "S");
  world.pass(1);
  EXPECT_EQ(world.state(), "P");
  EXPECT_EQ(world.error(world.heartbeat(members[1], 1)), ErrorCode::kUnknownMemberId);
}

TEST(GroupRebalance, AnAbsentLeaderIsExpelledWhenTheSyncTimerEnds) {
  GroupWorld world;
  JoinTerms patient;
  patient.session_ms = 60'000;
  const auto members = world.completing_group({"C1", "C2"}, patient);
  const std::int32_t sync = world.sync(members[1], 1);
  world.pass(30);
  EXPECT_EQ(world.error(sync), ErrorCode::kRebalanceInProgress);
  EXPECT_EQ(world.group()->leader, MemberId(members[1].id));
}

TEST(GroupRebalance, AJoinInCompletingVoidsParkedSyncs) {
  GroupWorld world;
  const auto members = world.completing_group({"C1", "C2"});
  const std::int32_t sync = world.sync(members[1], 1);
  EXPECT_TRUE(world.parked(sync));
  world.join(world.reserve("C3"));
  EXPECT_EQ(world.error(sync), ErrorCode::kRebalanceInProgress);
  EXPECT_EQ(world.state(), "P");
}

TEST(GroupRebalance, ALeavingMembersParkedRequestsAreAnswered) {
  GroupWorld world;
  const auto members = world.completing_group({"C1", "C2"});
  const std::int32_t sync = world.sync(members[1], 1);
  world.leave({members[1]});
  EXPECT_EQ(world.error(sync), ErrorCode::kUnknownMemberId);
  const std::int32_t join = world.join(members[0]);  // alone: completes at once
  EXPECT_EQ(world.joined(join).generation_id(), 2);
  const TestMember c3 = world.reserve("C3");
  const std::int32_t join3 = world.join(c3);
  world.leave({c3});
  EXPECT_EQ(world.error(join3), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(world.joined(join3).member_id(), "");
}

// The initial wait (KIP-134) is as long as members keep coming, up to the rebalance timeout.
struct InitialWaitCase {
  const char* name;
  std::vector<int> joins_at;  // ticks at which further members join
  int completes_at;
};

class InitialWaitTest : public testing::TestWithParam<InitialWaitCase> {};

TEST_P(InitialWaitTest, EndsWhenTheTableSays) {
  BrokerConfig config = test_config();
  config.initial_delay_ms = 3000;
  GroupWorld world(config);
  JoinTerms terms;
  terms.rebalance_ms = 10'000;
  const std::int32_t first = world.join(world.reserve("C1", terms), terms);
  std::size_t next = 0;
  for (int tick = 0; world.parked(first) && tick < 100; ++tick) {
    for (; next < GetParam().joins_at.size() && GetParam().joins_at[next] == tick; ++next) {
      world.join(world.reserve("C" + std::to_string(next + 2), terms), terms);
    }
    world.pass(1);
  }
  EXPECT_EQ(world.now(), GetParam().completes_at);
  EXPECT_EQ(world.joined(first).members_size(), static_cast<int>(next) + 1);
}

INSTANTIATE_TEST_SUITE_P(
    Delays, InitialWaitTest,
    testing::Values(InitialWaitCase{"NobodyElse", {}, 3}, InitialWaitCase{"OneMore", {1}, 6},
                    InitialWaitCase{"AtTheSameTick", {0}, 6},
                    InitialWaitCase{"OneInEachWindow", {1, 4}, 9},
                    InitialWaitCase{"NeverLongerThanTheRebalanceTimeout", {1, 4, 7, 9}, 10}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(GroupRebalance, TheProtocolWithMostVotesWins) {
  GroupWorld world;
  JoinTerms both;
  both.protocols = {"sticky", "range"};
  JoinTerms reversed;
  reversed.protocols = {"range", "sticky", "roundrobin"};
  const TestMember c1 = world.reserve("C1", both);
  const TestMember c2 = world.reserve("C2", reversed);
  const TestMember c3 = world.reserve("C3", both);
  const std::int32_t join = world.join(c1, both);
  world.join(c2, reversed);
  world.join(c3, both);
  world.settle();
  EXPECT_EQ(world.joined(join).protocol_name(), "sticky");
}

TEST(GroupRebalance, ATieOfVotesGoesToTheSmallestName) {
  GroupWorld world;
  JoinTerms both;
  both.protocols = {"sticky", "range"};
  JoinTerms reversed;
  reversed.protocols = {"range", "sticky"};
  const TestMember c1 = world.reserve("C1", both);
  const TestMember c2 = world.reserve("C2", reversed);
  const std::int32_t join = world.join(c1, both);
  world.join(c2, reversed);
  world.settle();
  EXPECT_EQ(world.joined(join).protocol_name(), "range");
}

TEST(GroupRebalance, AFullGroupRefusesNewcomersAndKeepsItsMembers) {
  BrokerConfig config = test_config();
  config.group_max_size = 2;
  GroupWorld world(config);
  const auto members = world.stable_group({"C1", "C2"});
  EXPECT_EQ(world.joined(world.join({"C3", ""})).error_code(),
            to_wire(ErrorCode::kGroupMaxSizeReached));
  EXPECT_EQ(world.error(world.join(members[1])), ErrorCode::kNone);
}

TEST(GroupRebalance, AGroupWhoseMetadataWouldNotFitInAFrameIsFull) {
  GroupWorld world;
  JoinTerms large;
  large.metadata = std::string(kMaxGroupBytes / 2, 'x');
  world.stable_group({"C1"}, large);
  const TestMember c2 = world.reserve("C2");
  EXPECT_EQ(world.error(world.join(c2, large)), ErrorCode::kGroupMaxSizeReached);
  EXPECT_EQ(world.state(), "S");
  EXPECT_TRUE(world.parked(world.join(c2)));
}

TEST(GroupRebalance, TheSurplusOfReservedIdsIsRefusedWhenItComesBack) {
  BrokerConfig config = test_config();
  config.group_max_size = 1;
  GroupWorld world(config);
  const TestMember c1 = world.reserve("C1");
  const TestMember c2 = world.reserve("C2");
  const std::int32_t join1 = world.join(c1);
  const std::int32_t join2 = world.join(c2);
  EXPECT_EQ(world.error(join2), ErrorCode::kGroupMaxSizeReached);
  EXPECT_EQ(world.joined(join2).member_id(), "");
  world.settle();
  EXPECT_EQ(world.error(join1), ErrorCode::kNone);
}

TEST(GroupRebalance, ARebalanceTimeoutOfZeroEndsAtOnce) {
  GroupWorld world;
  JoinTerms hasty;
  hasty.rebalance_ms = 0;
  const TestMember c1 = world.reserve("C1", hasty);
  world.join(c1, hasty);
  world.pass(5);  // joins, does not sync within no time, is gone
  EXPECT_EQ(world.state(), "E");
}

TEST(GroupRebalance, AnswersCarryTheCauseOfWhatEndedTheJoinPhase) {
  GroupWorld world;
  const auto members = world.stable_group({"C1", "C2"});
  const std::int32_t join = world.join(members[0]);
  const std::int32_t last = world.join(members[1]);
  EXPECT_EQ(world.cause_of_answer(join).source(), "C2");
  EXPECT_EQ(world.cause_of_answer(join).sequence(), static_cast<std::uint64_t>(last));
}

TEST(GroupRebalance, ATimersCauseIsWhatArmedIt) {
  GroupWorld world;
  JoinTerms patient;
  patient.session_ms = 60'000;
  const auto members = world.stable_group({"C1", "C2"}, patient);
  world.pass(4);
  const std::int32_t join = world.join(members[0], patient);
  world.pass(30);
  const wire::Cause& cause = world.cause_of_answer(join);
  EXPECT_EQ(cause.timer(), "rebalance.timeout.ms");
  EXPECT_EQ(cause.armed_tick(), 4);
  EXPECT_EQ(cause.source(), "C1");
  EXPECT_EQ(cause.sequence(), static_cast<std::uint64_t>(join));
}

TEST(GroupRebalance, UnloadingThePartitionAnswersWhatIsParked) {
  GroupWorld world;
  const auto members = world.stable_group({"C1", "C2"});
  world.join(members[0]);
  Turn turn{Tick(world.now()), {}, {}};
  world.core().groups().unload("billing", turn);
  const auto* const answer = std::get_if<Respond>(&turn.effects.front());
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer->response.join_group_response().error_code(),
            to_wire(ErrorCode::kNotCoordinator));
  world.pass(400);
  EXPECT_EQ(world.state(), "D");
}

}  // namespace
}  // namespace fencepost::broker
