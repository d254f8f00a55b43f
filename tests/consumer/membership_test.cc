// A member through rebalances, a slow application, a stopped process, commits and changing topics.
#include <gtest/gtest.h>

#include "tests/common/error_replies.h"
#include "tests/consumer/consumer_world.h"

namespace fencepost::consumer {
namespace {

// A SyncGroup answer that gives these partitions, whatever the leader wrote.
ClientWorld::Script assignment_of(const TopicPartitions& partitions) {
  return [partitions](const wire::Frame&) {
    wire::ConsumerProtocolAssignment assignment;
    write_partitions(partitions, assignment.mutable_assigned_partitions());
    assignment.set_version(0);
    Reply reply;
    reply.frame.emplace().mutable_sync_group_response()->set_assignment(
        assignment.SerializeAsString());
    return reply;
  };
}

TEST(Rebalance, TheEagerMemberFinishesItsBatchThenRevokesAllAndReadsFromTheCommit) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0", "o0.1", "o0.2", "o0.3", "o0.4", "o0.5"});
  world.run_to(14);  // the first batch is in hand
  world.next(Api::kHeartbeatRequest, refuse(ErrorCode::kRebalanceInProgress));
  world.next(Api::kSyncGroupRequest, assignment_of({{"orders", PartitionId(0)}}));
  world.run_to(60);
  const auto revoked = world.events_named(events::kPartitionsRevoked);
  ASSERT_EQ(revoked.size(), 1U);
  EXPECT_EQ(revoked[0].value("partitions"),
            "orders-0,orders-1,orders-2,payments-0,payments-1,payments-2");
  const auto committed = world.events_named(events::kOffsetsCommitted);
  ASSERT_GE(committed.size(), 2U);
  EXPECT_LE(committed[0].tick, revoked[0].tick) << "the batch was committed first";
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 6U) << "none twice, none lost";
  EXPECT_EQ(world.events_named(events::kPartitionsAssigned)[1].value("owned"), "orders-0");
  EXPECT_EQ(world.states(),
            "PREPARING_REBALANCE COMPLETING_REBALANCE STABLE "
            "PREPARING_REBALANCE COMPLETING_REBALANCE STABLE");
}

TEST(Rebalance, NoHeartbeatIsSentWhileTheJoinIsParked) {
  ConsumerWorld world;
  world.settle();
  world.next(Api::kHeartbeatRequest, refuse(ErrorCode::kRebalanceInProgress));
  world.next(Api::kJoinGroupRequest, [&world](const wire::Frame& request) {
    Reply reply = world.broker().answer(request);
    reply.ticks = 8;
    return reply;
  });
  world.run_to(40);
  const std::int64_t sent = world.requests_of(Api::kJoinGroupRequest)[2].tick;
  for (const auto& heartbeat : world.requests_of(Api::kHeartbeatRequest)) {
    EXPECT_TRUE(heartbeat.tick <= sent || heartbeat.tick > sent + 8) << heartbeat.tick;
  }
}

TEST(Rebalance, AFollowerSendsASyncWithoutAssignments) {
  ConsumerWorld world;
  world.run_to(3);
  world.next(Api::kJoinGroupRequest, [&world](const wire::Frame& request) {
    Reply reply = world.broker().answer(request);
    auto* response = reply.frame->mutable_join_group_response();
    response->set_leader("somebody");
    response->clear_members();
    return reply;
  });
  world.next(Api::kSyncGroupRequest, assignment_of({{"payments", PartitionId(1)}}));
  world.run_to(20);
  EXPECT_EQ(
      world.requests_of(Api::kSyncGroupRequest)[0].frame.sync_group_request().assignments_size(),
      0);
  EXPECT_TRUE(world.events_named(events::kAssignmentComputed).empty());
  EXPECT_EQ(world.events_named(events::kPartitionsAssigned)[0].value("owned"), "payments-1");
}

TEST(Rebalance, AnEmptyAssignmentIsAnAssignment) {
  ConsumerWorld world;
  world.next(Api::kSyncGroupRequest, assignment_of({}));
  world.run_to(30);
  EXPECT_FALSE(world.exit_code());
  EXPECT_EQ(world.events_named(events::kPartitionsAssigned)[0].value("owned"), "");
  EXPECT_TRUE(world.requests_of(Api::kFetchRequest).empty());
}

TEST(Rebalance, AMemberThatTheLeaderForgotIsAnError) {
  ConsumerWorld world;
  world.next(Api::kSyncGroupRequest, [](const wire::Frame&) {
    Reply reply;
    reply.frame.emplace().mutable_sync_group_response();
    return reply;
  });
  world.run_to(30);
  EXPECT_EQ(world.exit_code(), 1);
}

TEST(Rebalance, TheLeaderSeesNewPartitionsAtItsMetadataRefresh) {
  ConsumerWorld world(Settings{{"metadata.max.age.ms", "20000"}});
  world.settle();
  world.broker().topics["orders"] = 4;
  world.run_to(45);
  const auto assigned = world.events_named(events::kPartitionsAssigned);
  ASSERT_EQ(assigned.size(), 2U);
  EXPECT_NE(assigned[1].value("owned").find("orders-3"), std::string::npos);
  EXPECT_EQ(world.requests_of(Api::kMetadataRequest)[1].tick, 2 + 20);
}

TEST(Rebalance, NewPartitionsStartWhereTheResetPolicySays) {
  for (const char* policy : {"earliest", "latest"}) {
    ConsumerWorld world(
        Settings{{"metadata.max.age.ms", "20000"}, {"auto.offset.reset", policy}});
    world.settle();
    world.broker().topics["orders"] = 4;
    world.broker().write("orders", 3, {"o3.0"});  // before the group knows of it
    world.run_to(40);
    world.broker().write("orders", 3, {"o3.1"});
    world.run_to(60);
    const std::size_t read = world.events_named(events::kRecordProcessed).size();
    EXPECT_EQ(read, std::string(policy) == "earliest" ? 2U : 1U) << policy;
  }
}

TEST(PollInterval, ASlowApplicationIsTakenOutOfItsGroupAndItsCommitFailsLocally) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0", "o0.1", "o0.2"});
  world.run_to(14);
  world.control(wire::Control::SLOW, 15);
  world.run_to(80);
  const auto leaves = world.requests_of(Api::kLeaveGroupRequest);
  ASSERT_EQ(leaves.size(), 1U);
  const auto failed = world.events_named(events::kCommitFailed);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].value("exception"), "CommitFailedException");
  EXPECT_EQ(failed[0].value("error"), "NONE") << "no request was sent";
  const auto lost = world.events_named(events::kPartitionsLost);
  ASSERT_EQ(lost.size(), 1U) << "lost, not revoked";
  EXPECT_GE(lost[0].tick, failed[0].tick) << "at the next poll";
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 6U) << "the batch stands twice";
  const auto joins = world.requests_of(Api::kJoinGroupRequest);
  ASSERT_EQ(joins.size(), 4U);
  EXPECT_EQ(joins[2].frame.join_group_request().member_id(), "") << "as a new member";
}

TEST(PollInterval, TheForcedLeaveComesTwelveTicksAfterThePoll) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(14);
  world.control(wire::Control::SLOW, 30);
  world.run_to(40);
  const auto leaves = world.requests_of(Api::kLeaveGroupRequest);
  ASSERT_EQ(leaves.size(), 1U);
  // The fetch was sent by the poll of tick 12; the one that began in tick 14 got its answer.
  EXPECT_EQ(leaves[0].tick, 14 + 12);
  EXPECT_EQ(leaves[0].cause.timer(), "max.poll.interval.ms");
}

TEST(PollInterval, AWaitingApplicationIsNotSlow) {
  ConsumerWorld world(Settings{{"app.poll.timeout.ms", "50000"}});
  world.run_to(120);
  EXPECT_TRUE(world.requests_of(Api::kLeaveGroupRequest).empty());
}

TEST(PollInterval, WithCommitWhenLeftTheZombiesCommitIsSentAndRefused) {
  ConsumerWorld world(Settings{{"app.commit.when.left", "send"}});
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(14);
  world.control(wire::Control::SLOW, 15);
  world.next(Api::kOffsetCommitRequest, refuse(ErrorCode::kUnknownMemberId));
  world.run_to(45);
  const auto commits = world.requests_of(Api::kOffsetCommitRequest);
  ASSERT_GE(commits.size(), 1U);
  EXPECT_EQ(commits[0].frame.offset_commit_request().member_id(), "member-1");
  EXPECT_EQ(commits[0].frame.offset_commit_request().generation_id(), 1);
  EXPECT_EQ(world.events_named(events::kCommitFailed)[0].value("error"), "UNKNOWN_MEMBER_ID");
}

TEST(StoppedProcess, GoesOnWithWhatItBelievesInAndIsRefused) {
  ConsumerWorld world(Settings{{"app.output", ""}});
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(14);
  world.always(Api::kHeartbeatRequest, refuse(ErrorCode::kUnknownMemberId));
  world.next(Api::kOffsetCommitRequest, refuse(ErrorCode::kUnknownMemberId));
  world.freeze_to(23);
  world.run_to(30);
  world.always(Api::kHeartbeatRequest, {});
  world.run_to(70);
  EXPECT_EQ(
      world.requests_of(Api::kOffsetCommitRequest)[0].frame.offset_commit_request().member_id(),
      "member-1");
  EXPECT_EQ(world.events_named(events::kPartitionsLost).size(), 1U);
  EXPECT_TRUE(world.events_named(events::kPartitionsRevoked).empty());
  EXPECT_EQ(world.requests_of(Api::kFindCoordinatorRequest).size(), 2U)
      << "no heartbeat was answered within the session";
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 2U);
  EXPECT_TRUE(world.states().ends_with("STABLE")) << world.states();
}

TEST(Commits, BeforeProcessingIfAsked) {
  ConsumerWorld world(Settings{{"app.commit", "before"}});
  world.broker().write("orders", 0, {"o0.0", "o0.1"});
  world.run_to(60);
  const auto committed = world.events_named(events::kOffsetsCommitted);
  const auto processing = world.events_named(events::kRecordProcessing);
  ASSERT_EQ(committed.size(), 1U);
  ASSERT_EQ(processing.size(), 2U);
  EXPECT_LE(committed[0].tick, processing[0].tick);
}

TEST(Commits, ABatchWhoseCommitIsRefusedBeforeIsNotProcessed) {
  ConsumerWorld world(Settings{{"app.commit", "before"}});
  world.broker().write("orders", 0, {"o0.0", "o0.1"});
  world.next(Api::kOffsetCommitRequest, refuse(ErrorCode::kIllegalGeneration));
  world.run_to(60);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 2U) << "once, after rejoining";
}

TEST(Commits, AutomaticallyEveryIntervalWithinPoll) {
  ConsumerWorld world(Settings{{"enable.auto.commit", "true"}, {"app.commit", "none"}});
  world.run_to(24);
  world.broker().write("orders", 0, {"o0.0", "o0.1"});
  world.run_to(50);
  const auto commits = world.requests_of(Api::kOffsetCommitRequest);
  ASSERT_GE(commits.size(), 4U);
  EXPECT_EQ(commits[0].tick, 8 + 5) << "five seconds after the join was complete";
  EXPECT_EQ(commits[1].tick, 8 + 10);
  EXPECT_EQ((world.broker().committed[{"orders", 0}]), 2);
}

TEST(Commits, AutomaticallyBeforeARebalanceAndAtTheEnd) {
  ConsumerWorld world(Settings{{"enable.auto.commit", "true"},
                               {"app.commit", "none"},
                               {"auto.commit.interval.ms", "90000"}});
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(20);
  EXPECT_TRUE(world.requests_of(Api::kOffsetCommitRequest).empty());
  world.next(Api::kHeartbeatRequest, refuse(ErrorCode::kRebalanceInProgress));
  world.run_to(40);
  const auto commits = world.requests_of(Api::kOffsetCommitRequest);
  ASSERT_EQ(commits.size(), 1U);
  const auto revoked = world.events_named(events::kPartitionsRevoked);
  ASSERT_EQ(revoked.size(), 1U);
  EXPECT_GE(revoked[0].tick, commits[0].tick + 2) << "only when it is answered";
  world.control(wire::Control::CLOSE);
  world.run_to(60);
  EXPECT_EQ(world.requests_of(Api::kOffsetCommitRequest).size(), 2U);
  EXPECT_EQ(world.exit_code(), 0);
}

TEST(Positions, OutOfRangeIsResetByThePolicy) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0", "o0.1"});
  world.broker().committed[{"orders", 0}] = 7;
  world.next(Api::kFetchRequest, refuse(ErrorCode::kOffsetOutOfRange));
  world.run_to(60);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 2U);
}

TEST(Positions, PolicyNoneEndsTheApplication) {
  ConsumerWorld world(Settings{{"auto.offset.reset", "none"}});
  world.run_to(30);
  EXPECT_EQ(world.exit_code(), 1);
  EXPECT_EQ(world.events_named(events::kClientError)[0].value("exception"),
            "NoOffsetForPartitionException");
}

TEST(Positions, LatestSkipsWhatIsThere) {
  ConsumerWorld world(Settings{{"auto.offset.reset", "latest"}});
  world.broker().write("orders", 0, {"o0.0"});
  world.settle();
  world.broker().write("orders", 0, {"o0.1"});
  world.run_to(40);
  const auto processed = world.events_named(events::kRecordProcessed);
  ASSERT_EQ(processed.size(), 1U);
  EXPECT_EQ(processed[0].value("record"), "o0.1");
}

TEST(Positions, AFetchThatIsLostIsRepeated) {
  ConsumerWorld world(Settings{{"request.timeout.ms", "5000"}});
  world.broker().write("orders", 0, {"o0.0"});
  world.next(Api::kFetchRequest, lost());
  world.run_to(40);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 1U);
}

TEST(StaticMember, JoinsInOneStepAndDoesNotLeave) {
  ConsumerWorld world(Settings{{"group.instance.id", "i1"}});
  world.run_to(14);
  EXPECT_EQ(world.requests_of(Api::kJoinGroupRequest).size(), 1U);
  world.control(wire::Control::CLOSE);
  world.run_to(30);
  EXPECT_EQ(world.exit_code(), 0);
  EXPECT_TRUE(world.requests_of(Api::kLeaveGroupRequest).empty());
}

}  // namespace
}  // namespace fencepost::consumer
