// Answers that come when the member is another one already, requests that are never answered, and
// what is bounded by which timeout (group-protocol 3.1, 3.3 to 3.5); static members (4).
#include <gtest/gtest.h>

#include "tests/common/error_replies.h"
#include "tests/consumer/consumer_world.h"

namespace fencepost::consumer {
namespace {

ClientWorld::Script after(std::int64_t ticks, ClientWorld::Script script) {
  return [ticks, script](const wire::Frame& request) {
    Reply reply = script(request);
    reply.ticks = ticks;
    return reply;
  };
}

ClientWorld::Script kindly(ConsumerWorld& world) {
  return [&world](const wire::Frame& request) { return world.broker().answer(request); };
}

const std::string& member_of(const ClientWorld::Sent& join) {
  return join.frame.join_group_request().member_id();
}

TEST(LateAnswers, AJoinGroupThatSucceedsAfterAResetIsVoid) {
  ConsumerWorld world;
  world.settle();
  world.next(Api::kHeartbeatRequest, refuse(ErrorCode::kRebalanceInProgress));
  world.next(Api::kHeartbeatRequest, refuse(ErrorCode::kUnknownMemberId));
  world.next(Api::kJoinGroupRequest, after(5, kindly(world)));
  world.run_to(60);
  const auto joins = world.requests_of(Api::kJoinGroupRequest);
  ASSERT_GE(joins.size(), 4U);
  EXPECT_EQ(member_of(joins[2]), "member-1");
  EXPECT_EQ(member_of(joins[3]), "");
  EXPECT_EQ(joins[3].tick, joins[2].tick + 5 + 1) << "after retry.backoff.ms";
  EXPECT_EQ(world.requests_of(Api::kSyncGroupRequest).size(), 2U);
  EXPECT_TRUE(world.states().ends_with("STABLE")) << world.states();
}

TEST(LateAnswers, ASyncGroupThatSucceedsAfterAResetIsVoidAndTheJoinRepeatedAtOnce) {
  ConsumerWorld world;
  world.run_to(5);
  world.next(Api::kSyncGroupRequest, after(5, kindly(world)));
  world.next(Api::kHeartbeatRequest, refuse(ErrorCode::kUnknownMemberId));
  world.run_to(60);
  const auto joins = world.requests_of(Api::kJoinGroupRequest);
  ASSERT_GE(joins.size(), 3U);
  EXPECT_EQ(joins[2].tick, 6 + 5);
  EXPECT_EQ(member_of(joins[2]), "");
  EXPECT_EQ(world.events_named(events::kPartitionsAssigned).size(), 1U);
}

TEST(LateAnswers, AHeartbeatOfAnotherGenerationIsIgnored) {
  for (const ErrorCode error :
       {ErrorCode::kUnknownMemberId, ErrorCode::kIllegalGeneration, ErrorCode::kFencedInstanceId}) {
    ConsumerWorld world;
    world.settle();
    world.next(Api::kHeartbeatRequest, after(8, refuse(error)));
    world.pass(1);
    world.call("enforceRebalance");
    world.run_to(60);
    EXPECT_EQ(world.requests_of(Api::kJoinGroupRequest).size(), 3U) << name_of(error);
    EXPECT_TRUE(world.events_named(events::kPartitionsLost).empty());
    EXPECT_FALSE(world.exit_code());
  }
}

TEST(Timeouts, AJoinGroupWaitsForTheRebalanceTimeoutAndFiveSeconds) {
  ConsumerWorld world(Settings{{"request.timeout.ms", "3000"}});
  world.run_to(3);
  world.next(Api::kJoinGroupRequest, lost());
  world.run_to(40);
  const auto joins = world.requests_of(Api::kJoinGroupRequest);
  const auto lookups = world.requests_of(Api::kFindCoordinatorRequest);
  ASSERT_EQ(joins.size(), 3U);
  ASSERT_EQ(lookups.size(), 2U) << "like a broken connection";
  EXPECT_GE(lookups[1].tick, joins[1].tick + 12 + 5);
}

TEST(Timeouts, AnyOtherRequestWaitsForTheRequestTimeout) {
  ConsumerWorld world(Settings{{"request.timeout.ms", "3000"}});
  world.run_to(5);
  world.next(Api::kSyncGroupRequest, lost());
  world.run_to(40);
  const auto lookups = world.requests_of(Api::kFindCoordinatorRequest);
  ASSERT_EQ(lookups.size(), 2U);
  EXPECT_EQ(lookups[1].tick, 6 + 3);
}

TEST(Timeouts, AFailedHeartbeatIsRepeatedAfterTheBackoffAndNotTheInterval) {
  ConsumerWorld world(Settings{{"heartbeat.interval.ms", "5000"}});
  world.settle();
  world.next(Api::kHeartbeatRequest, refuse(ErrorCode::kCoordinatorLoadInProgress));
  world.run_to(20);
  const auto heartbeats = world.requests_of(Api::kHeartbeatRequest);
  const std::int64_t failed = heartbeats[1].tick;
  ASSERT_GE(heartbeats.size(), 3U);
  EXPECT_EQ(heartbeats[0].tick, 6 + 5);
  EXPECT_TRUE(failed == 16 || failed == 14) << failed;
}

Settings auto_committing() {
  return {
      {"enable.auto.commit", "true"}, {"app.commit", "none"}, {"auto.commit.interval.ms", "90000"}};
}

TEST(Preparing, ACommitThatMayBeRepeatedIsRepeatedBeforeAnythingIsRevoked) {
  ConsumerWorld world(auto_committing());
  world.settle();
  world.next(Api::kOffsetCommitRequest, refuse(ErrorCode::kCoordinatorLoadInProgress));
  world.next(Api::kOffsetCommitRequest, refuse(ErrorCode::kCoordinatorLoadInProgress));
  world.call("enforceRebalance");
  world.run_to(60);
  const auto commits = world.requests_of(Api::kOffsetCommitRequest);
  ASSERT_EQ(commits.size(), 3U);
  const auto revoked = world.events_named(events::kPartitionsRevoked);
  ASSERT_EQ(revoked.size(), 1U);
  EXPECT_GE(revoked[0].tick, commits[2].tick + 2);
}

TEST(Preparing, TakesNoLongerThanTheRebalanceTimeout) {
  ConsumerWorld world(auto_committing());
  world.settle();
  world.always(Api::kOffsetCommitRequest, refuse(ErrorCode::kCoordinatorLoadInProgress));
  const std::int64_t from = world.now();
  world.call("enforceRebalance");
  world.run_to(60);
  const auto revoked = world.events_named(events::kPartitionsRevoked);
  ASSERT_EQ(revoked.size(), 1U);
  EXPECT_GE(revoked[0].tick, from + 12);
  EXPECT_LE(revoked[0].tick, from + 12 + 5);
  EXPECT_TRUE(world.states().ends_with("STABLE"));
}

TEST(Preparing, AnyOtherFailureOfTheCommitIsPassedOver) {
  ConsumerWorld world(auto_committing());
  world.settle();
  world.next(Api::kOffsetCommitRequest, refuse(ErrorCode::kOffsetMetadataTooLarge));
  world.call("enforceRebalance");
  world.run_to(40);
  EXPECT_EQ(world.requests_of(Api::kOffsetCommitRequest).size(), 1U);
  EXPECT_EQ(world.requests_of(Api::kJoinGroupRequest).size(), 3U);
}

TEST(Cooperative, RetainedPartitionsAreReadWhileTheJoinIsParked) {
  ConsumerWorld world(Settings{{"partition.assignment.strategy", "cooperative-sticky"}});
  world.settle();
  world.next(Api::kJoinGroupRequest, after(20, kindly(world)));
  world.call("enforceRebalance");
  world.pass(5);
  world.broker().write("orders", 0, {"o0.0"});
  world.pass(8);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 1U);
  EXPECT_TRUE(world.states().ends_with("PREPARING_REBALANCE")) << world.states();
}

struct SwitchRow {
  const char* name;
  const char* strategy;
  std::vector<std::string> protocols;
  std::size_t revocations;  // in a rebalance that changes nothing
};

class RollingSwitch : public testing::TestWithParam<SwitchRow> {};

TEST_P(RollingSwitch, TheModeIsWhatAllConfiguredAssignorsSupport) {
  ConsumerWorld world(Settings{{"partition.assignment.strategy", GetParam().strategy}});
  world.run_to(20);
  world.call("enforceRebalance");
  world.run_to(40);
  const wire::JoinGroupRequest join =
      world.requests_of(Api::kJoinGroupRequest)[1].frame.join_group_request();
  std::vector<std::string> protocols;
  for (const auto& protocol : join.protocols()) protocols.push_back(protocol.name());
  EXPECT_EQ(protocols, GetParam().protocols);
  EXPECT_EQ(world.events_named(events::kPartitionsRevoked).size(), GetParam().revocations);
}

INSTANTIATE_TEST_SUITE_P(
    Bounces, RollingSwitch,
    testing::Values(SwitchRow{"Before", "range", {"range"}, 1},
                    SwitchRow{
                        "First", "cooperative-sticky,range", {"cooperative-sticky", "range"}, 1},
                    SwitchRow{"Second", "cooperative-sticky", {"cooperative-sticky"}, 0}),
    [](const auto& tested) { return std::string(tested.param.name); });

// ---- static members ----

TEST(StaticMember, ThatReturnsAsLeaderAssignsNothingAndStillWatchesTheTopics) {
  ConsumerWorld world(Settings{{"group.instance.id", "i1"}, {"metadata.max.age.ms", "20000"}});
  world.next(Api::kJoinGroupRequest, [&world](const wire::Frame& request) {
    Reply reply = world.broker().answer(request);
    reply.frame->mutable_join_group_response()->set_skip_assignment(true);
    return reply;
  });
  world.next(Api::kSyncGroupRequest, [](const wire::Frame&) {
    wire::ConsumerProtocolAssignment assignment;
    const TopicPartitions stored{{"orders", PartitionId(0)}};
    write_partitions(stored, assignment.mutable_assigned_partitions());
    Reply reply;
    reply.frame.emplace().mutable_sync_group_response()->set_assignment(
        assignment.SerializeAsString());
    return reply;
  });
  world.run_to(15);
  EXPECT_EQ(
      world.requests_of(Api::kSyncGroupRequest)[0].frame.sync_group_request().assignments_size(),
      0);
  EXPECT_TRUE(world.events_named(events::kAssignmentComputed).empty());
  EXPECT_EQ(world.events_named(events::kPartitionsAssigned)[0].value("owned"), "orders-0");
  world.broker().topics["orders"] = 4;
  world.run_to(60);
  EXPECT_EQ(world.requests_of(Api::kJoinGroupRequest).size(), 2U);
  EXPECT_EQ(world.requests_of(Api::kJoinGroupRequest)[1].frame.join_group_request().reason(),
            "cached metadata has changed");
}

TEST(StaticMember, ThatIsFencedEndsWithTheExceptionAndDoesNotLeave) {
  for (const Api api : {Api::kHeartbeatRequest, Api::kJoinGroupRequest, Api::kSyncGroupRequest,
                        Api::kOffsetCommitRequest}) {
    ConsumerWorld world(Settings{{"group.instance.id", "i1"}});
    world.broker().write("orders", 0, {"o0.0"});
    world.next(api, refuse(ErrorCode::kFencedInstanceId));
    world.run_to(60);
    EXPECT_EQ(world.exit_code(), 1);
    const auto errors = world.events_named(events::kClientError);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].value("exception"), "FencedInstanceIdException");
    EXPECT_EQ(errors[0].value("error"), "FENCED_INSTANCE_ID");
    EXPECT_TRUE(world.requests_of(Api::kLeaveGroupRequest).empty());
  }
}

TEST(StaticMember, SaysItsInstanceIdInEveryRequestOfTheGroup) {
  ConsumerWorld world(Settings{{"group.instance.id", "i1"}});
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(30);
  const auto one = [&world](Api api) { return world.requests_of(api).at(0).frame; };
  EXPECT_EQ(one(Api::kJoinGroupRequest).join_group_request().group_instance_id(), "i1");
  EXPECT_EQ(one(Api::kSyncGroupRequest).sync_group_request().group_instance_id(), "i1");
  EXPECT_EQ(one(Api::kHeartbeatRequest).heartbeat_request().group_instance_id(), "i1");
  EXPECT_EQ(one(Api::kOffsetCommitRequest).offset_commit_request().group_instance_id(), "i1");
}

TEST(StaticMember, ThatDoesNotPollInTimeStopsItsHeartbeatsAndDoesNotLeave) {
  ConsumerWorld world(Settings{{"group.instance.id", "i1"}});
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(12);  // a step less than a dynamic member needs
  world.control(wire::Control::SLOW, 40);
  world.run_to(50);
  EXPECT_TRUE(world.requests_of(Api::kLeaveGroupRequest).empty());
  EXPECT_LE(world.requests_of(Api::kHeartbeatRequest).back().tick, 12 + 12);
}

TEST(SessionTimeout, OutsideTheBrokersLimitsEndsTheApplication) {
  ConsumerWorld world;
  world.next(Api::kJoinGroupRequest, refuse(ErrorCode::kInvalidSessionTimeout));
  world.run_to(30);
  EXPECT_EQ(world.exit_code(), 1);
  const auto errors = world.events_named(events::kClientError);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].value("error"), "INVALID_SESSION_TIMEOUT");
  EXPECT_EQ(errors[0].value("exception"), "InvalidSessionTimeoutException");
}

}  // namespace
}  // namespace fencepost::consumer
