// When an application commits, what, and what it does when it is refused.
#include <gtest/gtest.h>

#include "tests/common/error_replies.h"
#include "tests/consumer/consumer_world.h"

namespace fencepost::consumer {
namespace {

// The offsets of orders-0 that commits asked for, in order; -1 for a commit without it.
std::vector<std::int64_t> committed_of_o0(const ConsumerWorld& world) {
  std::vector<std::int64_t> offsets;
  for (const auto& sent : world.requests_of(Api::kOffsetCommitRequest)) {
    std::int64_t offset = -1;
    for (const auto& topic : sent.frame.offset_commit_request().topics()) {
      for (const auto& partition : topic.partitions()) {
        if (topic.name() == "orders" && partition.partition_index() == 0) {
          offset = partition.committed_offset();
        }
      }
    }
    offsets.push_back(offset);
  }
  return offsets;
}
using Committed = std::vector<std::int64_t>;

const std::vector<std::string> kFive{"o0.0", "o0.1", "o0.2", "o0.3", "o0.4"};

struct WhenRow {
  const char* name;
  Settings settings;
  Committed committed;
};

class CommitTimes : public testing::TestWithParam<WhenRow> {};

TEST_P(CommitTimes, AreTheHabits) {
  ConsumerWorld world(GetParam().settings);
  world.broker().write("orders", 0, kFive);
  world.run_to(70);
  EXPECT_EQ(committed_of_o0(world), GetParam().committed);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 5U);
}

INSTANTIATE_TEST_SUITE_P(
    Table, CommitTimes,
    testing::Values(
        WhenRow{"AfterTheBatch", {}, {3, 5}},
        WhenRow{"BeforeTheBatch", {{"app.commit", "before"}}, {3, 5}},
        WhenRow{"AfterEachRecord", {{"app.commit", "each"}, {"app.output", ""}}, {1, 2, 3, 4, 5}},
        WhenRow{"EveryTwoRecords", {{"app.commit.records", "2"}}, {2, 4}},
        WhenRow{"EveryFourRecords", {{"app.commit.records", "4"}}, {4}},
        WhenRow{
            "EveryTwoTicks", {{"app.commit.interval.ms", "2000"}, {"app.output", ""}}, {1, 3, 5}},
        WhenRow{"EveryNinetyTicks", {{"app.commit.interval.ms", "90000"}}, {}},
        WhenRow{"Never", {{"app.commit", "none"}}, {}},
        WhenRow{"Worker", {{"app.worker", "true"}}, {3, 5}}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(CommitHabits, WhatIsLeftIsCommittedAtTheEnd) {
  ConsumerWorld world(Settings{{"app.commit.records", "4"}});
  world.broker().write("orders", 0, kFive);
  world.run_to(60);
  world.control(wire::Control::CLOSE);
  world.run_to(80);
  EXPECT_EQ(committed_of_o0(world), (Committed{4, 5}));
}

TEST(CommitHabits, OnlyWithCommitOnRevokeIsWhatIsProcessedCommittedBeforeItIsGivenUp) {
  for (const char* on_revoke : {"false", "true"}) {
    ConsumerWorld world(
        Settings{{"app.commit.records", "90"}, {"app.commit.on.revoke", on_revoke}});
    world.broker().write("orders", 0, {"o0.0", "o0.1"});
    world.run_to(30);
    world.call("enforceRebalance");
    world.run_to(80);
    const bool committed = std::string(on_revoke) == "true";
    EXPECT_EQ(committed_of_o0(world), committed ? Committed{2} : Committed{});
    EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), committed ? 2U : 4U);
    if (!committed) continue;
    const auto joins = world.requests_of(Api::kJoinGroupRequest);
    EXPECT_LT(world.requests_of(Api::kOffsetCommitRequest)[0].tick, joins[2].tick)
        << "in onPartitionsRevoked, with the old generation";
  }
}

TEST(CommitHabits, LostPartitionsAreNotCommitted) {
  ConsumerWorld world(Settings{{"app.commit.records", "90"}, {"app.commit.on.revoke", "true"}});
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(30);
  world.next(Api::kHeartbeatRequest, refuse(ErrorCode::kUnknownMemberId));
  world.run_to(60);
  EXPECT_EQ(world.events_named(events::kPartitionsLost).size(), 1U);
  EXPECT_TRUE(committed_of_o0(world).empty());
  EXPECT_TRUE(world.events_named(events::kCommitFailed).empty());
}

// A cooperative member goes on reading while its JoinGroup is parked, and may not commit then. The
// JoinGroup goes out with one record still buffered, which is processed while it is parked.
void run_with_record_in_rebalance(ConsumerWorld& world) {
  world.broker().write("orders", 0, {"o0.0", "o0.1"});
  world.run_to(14);
  world.call("enforceRebalance");
  world.next(Api::kJoinGroupRequest, [&world](const wire::Frame& request) {
    Reply reply = world.broker().answer(request);
    reply.ticks = 9;
    return reply;
  });
  world.run_to(70);
}

Settings cooperative_one_by_one(const char* on_failure) {
  return {{"partition.assignment.strategy", "cooperative-sticky"},
          {"max.poll.records", "1"},
          {"app.output", ""},
          {"app.on.commit.failed", on_failure}};
}

TEST(CommitHabits, RejoinLeavesWhatWasRefusedToTheNextBatch) {
  ConsumerWorld world(cooperative_one_by_one("rejoin"));
  run_with_record_in_rebalance(world);
  const auto failed = world.events_named(events::kCommitFailed);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].value("exception"), "RebalanceInProgressException");
  EXPECT_EQ(committed_of_o0(world), Committed{1});
  EXPECT_FALSE(world.exit_code());
}

TEST(CommitHabits, RetryCommitsItAgainAfterAPollAlsoWithoutAnotherRecord) {
  ConsumerWorld world(cooperative_one_by_one("retry"));
  run_with_record_in_rebalance(world);
  EXPECT_GE(world.events_named(events::kCommitFailed).size(), 1U);
  EXPECT_EQ(committed_of_o0(world), (Committed{1, 2}));
}

TEST(CommitHabits, ExitEndsTheApplication) {
  ConsumerWorld world(cooperative_one_by_one("exit"));
  run_with_record_in_rebalance(world);
  EXPECT_EQ(world.exit_code(), 1);
  EXPECT_EQ(world.events_named(events::kClientError)[0].value("exception"),
            "RebalanceInProgressException");
}

TEST(CommitHabits, RetryDropsWhatIsNoLongerOwned) {
  ConsumerWorld world(Settings{{"app.on.commit.failed", "retry"}});
  world.broker().write("orders", 0, {"o0.0"});
  world.next(Api::kOffsetCommitRequest, refuse(ErrorCode::kUnknownMemberId));
  world.run_to(20);
  world.broker().committed[{"orders", 0}] = 7;  // by the next owner
  world.run_to(60);
  EXPECT_EQ((world.broker().committed[{"orders", 0}]), 7);
}

// What C1 has processed of a partition when it is revoked: dropped, or committed in a later
// generation over what the next owner has committed (R30).
TEST(CommitHabits, KeptStoredOffsetsRewindWhatTheNextOwnerHasCommitted) {
  for (const char* keep : {"false", "true"}) {
    ConsumerWorld world(Settings{{"app.commit.records", "2"}, {"app.keep.stored.offsets", keep}});
    world.broker().write("orders", 0, {"o0.0"});
    world.run_to(25);
    world.next(Api::kSyncGroupRequest, [](const wire::Frame&) {
      wire::ConsumerProtocolAssignment assignment;
      const TopicPartitions payments{{"payments", PartitionId(0)}};
      write_partitions(payments, assignment.mutable_assigned_partitions());
      Reply reply;
      reply.frame.emplace().mutable_sync_group_response()->set_assignment(
          assignment.SerializeAsString());
      return reply;
    });
    world.call("enforceRebalance");
    world.run_to(40);
    world.broker().committed[{"orders", 0}] = 3;
    world.broker().write("payments", 0, {"p0.0", "p0.1"});
    world.run_to(80);
    const bool kept = std::string(keep) == "true";
    EXPECT_EQ((world.broker().committed[{"orders", 0}]), kept ? 1 : 3);
    EXPECT_FALSE(world.requests_of(Api::kOffsetCommitRequest).empty());
  }
}

}  // namespace
}  // namespace fencepost::consumer
