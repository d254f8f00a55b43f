// Habits of applications and of old clients: heartbeats within poll only, an assignment kept after
// ILLEGAL_GENERATION, a worker, a pattern.
#include <gtest/gtest.h>

#include "tests/common/error_replies.h"
#include "tests/consumer/consumer_world.h"

namespace fencepost::consumer {
namespace {

TEST(Heartbeat, InlineIsSilentWhileTheApplicationWorks) {
  for (const char* habit : {"background", "inline"}) {
    ConsumerWorld world(Settings{{"app.heartbeat", habit}, {"app.output", ""}});
    world.broker().write("orders", 0, {"o0.0"});
    world.run_to(14);
    world.control(wire::Control::SLOW, 8);
    world.run_to(40);
    std::size_t meanwhile = 0;
    for (const auto& sent : world.requests_of(Api::kHeartbeatRequest)) {
      if (sent.tick > 15 && sent.tick < 22) ++meanwhile;
    }
    EXPECT_EQ(meanwhile, std::string(habit) == "inline" ? 0U : 6U) << habit;
    EXPECT_GT(world.requests_of(Api::kHeartbeatRequest).back().tick, 30);
  }
}

TEST(Heartbeat, InlineKnowsNoPollInterval) {
  ConsumerWorld world(Settings{{"app.heartbeat", "inline"}});
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(14);
  world.control(wire::Control::SLOW, 50);
  world.run_to(60);
  EXPECT_TRUE(world.requests_of(Api::kLeaveGroupRequest).empty());
  const wire::JoinGroupRequest join =
      world.requests_of(Api::kJoinGroupRequest)[1].frame.join_group_request();
  EXPECT_EQ(join.rebalance_timeout_ms(), join.session_timeout_ms());
}

TEST(IllegalGeneration, IsALossUnlessTheAssignmentIsKept) {
  for (const char* habit : {"drop", "keep"}) {
    ConsumerWorld world(Settings{{"app.on.illegal.generation", habit}, {"app.commit", "none"}});
    world.settle();
    world.next(Api::kHeartbeatRequest, refuse(ErrorCode::kIllegalGeneration));
    world.next(Api::kJoinGroupRequest, [&world](const wire::Frame& request) {
      Reply reply = world.broker().answer(request);
      reply.ticks = 12;
      return reply;
    });
    world.pass(4);
    world.broker().write("orders", 0, {"o0.0"});
    world.pass(10);
    const bool keep = std::string(habit) == "keep";
    EXPECT_EQ(world.events_named(events::kPartitionsLost).size(), keep ? 0U : 1U) << habit;
    EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), keep ? 1U : 0U)
        << habit << ": before it has joined again";
    world.pass(40);
    EXPECT_TRUE(world.states().ends_with("STABLE")) << world.states();
    EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 1U);
  }
}

TEST(WorkerHabit, ABatchLongerThanThePollIntervalKeepsTheMemberInItsGroup) {
  ConsumerWorld world(Settings{{"app.worker", "true"}, {"app.process.ms", "9000"}});
  world.broker().write("orders", 0, {"o0.0", "o0.1", "o0.2"});
  world.broker().write("orders", 1, {"o1.0"});
  world.run_to(90);
  EXPECT_TRUE(world.requests_of(Api::kLeaveGroupRequest).empty());
  EXPECT_EQ((world.broker().committed[{"orders", 0}]), 3);
  EXPECT_EQ((world.broker().committed[{"orders", 1}]), 1);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 4U);
  EXPECT_EQ(world.broker().log("invoices", 0).size(), 4U);
}

TEST(WorkerHabit, OtherPartitionsAreReadMeanwhileAndPausedOnesAreNot) {
  ConsumerWorld world(Settings{{"app.worker", "true"}, {"app.process.ms", "10000"}});
  world.broker().write("orders", 0, {"o0.0", "o0.1", "o0.2", "o0.3"});
  world.run_to(20);
  world.broker().write("orders", 1, {"o1.0"});
  world.run_to(30);
  const auto polls = world.events_named(events::kPollReturned);
  ASSERT_EQ(polls.size(), 2U);
  EXPECT_EQ(polls[1].value("records"), "o1.0") << "o0.3 waits for the worker";
  EXPECT_LE(world.events_named(events::kRecordProcessed).size(), 1U);
}

TEST(WorkerHabit, RevokedRecordsThatWaitAreNotProcessed) {
  ConsumerWorld world(Settings{{"app.worker", "true"}, {"app.process.ms", "10000"}});
  world.broker().write("orders", 0, {"o0.0", "o0.1", "o0.2"});
  world.run_to(18);
  world.next(Api::kHeartbeatRequest, refuse(ErrorCode::kUnknownMemberId));
  world.next(Api::kJoinGroupRequest, lost());
  world.run_to(60);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 1U) << "the one in hand";
  EXPECT_TRUE(world.requests_of(Api::kOffsetCommitRequest).empty()) << "and it does not count";
}

TEST(WorkerHabit, CommitOnRevokeWaitsForTheRecordInHand) {
  ConsumerWorld world(Settings{
      {"app.worker", "true"}, {"app.process.ms", "5000"}, {"app.commit.on.revoke", "true"}});
  world.broker().write("orders", 0, {"o0.0", "o0.1", "o0.2"});
  world.run_to(15);
  world.call("enforceRebalance");
  world.run_to(60);
  const auto commits = world.requests_of(Api::kOffsetCommitRequest);
  ASSERT_GE(commits.size(), 1U);
  const auto& topics = commits[0].frame.offset_commit_request().topics();
  EXPECT_EQ(topics[0].partitions(0).committed_offset(), 1);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 3U) << "none twice";
}

TEST(WorkerHabit, CloseFinishesWhatIsHandedOver) {
  ConsumerWorld world(Settings{{"app.worker", "true"}});
  world.broker().write("orders", 0, {"o0.0", "o0.1"});
  world.run_to(15);
  world.control(wire::Control::CLOSE);
  world.run_to(60);
  EXPECT_EQ(world.exit_code(), 0);
  EXPECT_EQ((world.broker().committed[{"orders", 0}]), 2);
}

TEST(Pattern, SubscribesToEveryTopicWhoseWholeNameMatches) {
  ConsumerWorld world(Settings{{"app.subscribe", ""}, {"app.subscribe.pattern", "(ord|pay).*"}});
  world.broker().topics["preorders"] = 1;
  world.broker().topics["__consumer_offsets"] = 1;
  world.run_to(30);
  EXPECT_EQ(world.events_named(events::kPartitionsAssigned).back().value("owned"),
            "orders-0,orders-1,orders-2,payments-0,payments-1,payments-2");
}

TEST(Pattern, InternalTopicsAreLeftOutUnlessAskedFor) {
  for (const char* exclude : {"true", "false"}) {
    ConsumerWorld world(Settings{{"app.subscribe", ""},
                                 {"app.subscribe.pattern", "__.*|orders"},
                                 {"exclude.internal.topics", exclude}});
    world.broker().topics["__consumer_offsets"] = 1;
    world.run_to(30);
    const std::string owned = world.events_named(events::kPartitionsAssigned).back().value("owned");
    EXPECT_EQ(owned.starts_with("__consumer_offsets-0"), std::string(exclude) == "false") << owned;
  }
}

TEST(Pattern, ANewTopicIsSubscribedToAtTheNextRefresh) {
  ConsumerWorld world(Settings{{"app.subscribe", ""},
                               {"app.subscribe.pattern", "orders.*"},
                               {"metadata.max.age.ms", "20000"}});
  world.run_to(16);
  world.broker().topics["orders-late"] = 1;
  world.run_to(60);
  const auto assigned = world.events_named(events::kPartitionsAssigned);
  ASSERT_EQ(assigned.size(), 2U);
  EXPECT_EQ(assigned[1].value("owned"), "orders-0,orders-1,orders-2,orders-late-0");
}

TEST(InvoiceProducer, HasAClientIdOfItsOwn) {
  ConsumerWorld world(Settings{{"client.id", "billing-1"}, {"app.producer.client.id", "printer"}});
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(40);
  const auto produced = world.requests_of(Api::kProduceRequest);
  ASSERT_EQ(produced.size(), 1U);
  EXPECT_EQ(produced[0].frame.header().client_id(), "printer");
  for (const auto& sent : world.requests_of(Api::kJoinGroupRequest)) {
    EXPECT_EQ(sent.frame.header().client_id(), "billing-1");
  }
}

}  // namespace
}  // namespace fencepost::consumer
