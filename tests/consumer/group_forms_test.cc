// A member alone in its group: how it gets in, what it reads, how it leaves.
#include <gtest/gtest.h>

#include "tests/consumer/consumer_world.h"

namespace fencepost::consumer {
namespace {

TEST(GroupForms, TheConversationIsKafkas) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(14);
  EXPECT_EQ(world.conversation(),
            "Metadata FindCoordinator JoinGroup JoinGroup SyncGroup OffsetFetch ListOffsets Fetch");
  EXPECT_EQ(world.states(), "PREPARING_REBALANCE COMPLETING_REBALANCE STABLE");
}

TEST(GroupForms, TheSecondJoinCarriesTheIdThatTheFirstWasGiven) {
  ConsumerWorld world;
  world.settle();
  const auto joins = world.requests_of(Api::kJoinGroupRequest);
  ASSERT_EQ(joins.size(), 2U);
  EXPECT_EQ(joins[0].frame.join_group_request().member_id(), "");
  EXPECT_EQ(joins[1].frame.join_group_request().member_id(), "member-1");
  EXPECT_EQ(joins[1].frame.join_group_request().rebalance_timeout_ms(), 12000);
  EXPECT_EQ(joins[1].frame.join_group_request().protocols(0).name(), "range");
}

TEST(GroupForms, TheFirstJoinCallsNoCallback) {
  ConsumerWorld world;
  world.settle();
  EXPECT_TRUE(world.events_named(events::kPartitionsRevoked).empty());
  EXPECT_TRUE(world.events_named(events::kPartitionsLost).empty());
  const auto assigned = world.events_named(events::kPartitionsAssigned);
  ASSERT_EQ(assigned.size(), 1U);
  EXPECT_EQ(assigned[0].value("owned"),
            "orders-0,orders-1,orders-2,payments-0,payments-1,payments-2");
  EXPECT_EQ(assigned[0].value("generation"), "1");
}

TEST(GroupForms, EveryRecordHasItsInvoiceAndIsCommitted) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0", "o0.1", "o0.2", "o0.3"});
  world.broker().write("payments", 2, {"p2.0"});
  world.run_to(60);
  const std::vector<std::string> invoices{"inv(o0.0)", "inv(o0.1)", "inv(o0.2)", "inv(o0.3)",
                                          "inv(p2.0)"};
  EXPECT_EQ(world.broker().log("invoices", 0), invoices);
  EXPECT_EQ((world.broker().committed[{"orders", 0}]), 4);
  EXPECT_EQ((world.broker().committed[{"payments", 2}]), 1);
  EXPECT_EQ((world.broker().committed[{"orders", 1}]), 0) << "every position, changed or not";
}

TEST(GroupForms, APollDrainsPartitionByPartition) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0", "o0.1"});
  world.broker().write("orders", 2, {"o2.0", "o2.1", "o2.2"});
  world.broker().write("payments", 0, {"p0.0"});
  world.run_to(60);
  std::vector<std::string> polls;
  for (const auto& told : world.events_named(events::kPollReturned)) {
    polls.push_back(told.value("records"));
  }
  EXPECT_EQ(polls, (std::vector<std::string>{"o0.0,o0.1,o2.0", "o2.1,o2.2,p0.0"}));
}

TEST(GroupForms, NothingIsFetchedWhileRecordsAreBuffered) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0", "o0.1", "o0.2", "o0.3"});
  world.run_to(14);
  ASSERT_EQ(world.requests_of(Api::kFetchRequest).size(), 1U);
  world.run_to(17);  // the first batch is being processed
  EXPECT_EQ(world.requests_of(Api::kFetchRequest).size(), 1U);
  EXPECT_EQ(world.requests_of(Api::kFetchRequest)[0].frame.fetch_request().topics_size(), 2)
      << "one request for all partitions of the leader";
}

TEST(GroupForms, HeartbeatsBeginAnIntervalAfterTheJoinAndComeEveryInterval) {
  ConsumerWorld world;
  world.run_to(12);
  const auto heartbeats = world.requests_of(Api::kHeartbeatRequest);
  ASSERT_GE(heartbeats.size(), 3U);
  EXPECT_EQ(heartbeats[0].tick, 7) << "the join was answered at 6";
  EXPECT_EQ(heartbeats[1].tick, 8);
  EXPECT_EQ(heartbeats[1].cause.timer(), "heartbeat.interval.ms");
  EXPECT_EQ(heartbeats[1].cause.armed_tick(), 7);
}

TEST(GroupForms, CloseFinishesTheBatchCommitsAndLeaves) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0", "o0.1", "o0.2", "o0.3"});
  world.run_to(15);  // in the middle of the first batch
  world.control(wire::Control::CLOSE);
  world.run_to(40);
  EXPECT_EQ(world.exit_code(), 0);
  EXPECT_EQ((world.broker().committed[{"orders", 0}]), 3);
  EXPECT_EQ(world.requests_of(Api::kLeaveGroupRequest).size(), 1U);
  EXPECT_EQ(world.events_named(events::kPartitionsRevoked).size(), 1U);
  EXPECT_EQ(world.events_named(events::kClientClosed).size(), 1U);
}

TEST(GroupForms, CloseWhileIdleEndsThePollAtOnce) {
  ConsumerWorld world;
  world.run_to(21);
  world.control(wire::Control::CLOSE);
  world.run_to(22);
  EXPECT_EQ(world.requests_of(Api::kLeaveGroupRequest).size(), 1U);
  world.run_to(24);
  EXPECT_EQ(world.exit_code(), 0);
}

TEST(GroupForms, CloseWhileJoiningLeavesToo) {
  ConsumerWorld world;
  world.run_to(3);
  world.next(Api::kJoinGroupRequest, lost());  // parked for ever
  world.run_to(10);
  world.control(wire::Control::CLOSE);
  world.run_to(20);
  EXPECT_EQ(world.exit_code(), 0);
  const auto leaves = world.requests_of(Api::kLeaveGroupRequest);
  ASSERT_EQ(leaves.size(), 1U);
  EXPECT_EQ(leaves[0].frame.leave_group_request().members(0).member_id(), "member-1");
}

TEST(GroupForms, CloseBeforeAnythingIsKnownJustEnds) {
  ConsumerWorld world;
  world.always(Api::kMetadataRequest, [](const wire::Frame&) { return disconnected(); });
  world.always(Api::kFindCoordinatorRequest, [](const wire::Frame&) { return disconnected(); });
  world.run_to(5);
  world.control(wire::Control::CLOSE);
  world.run_to(6);
  EXPECT_EQ(world.exit_code(), 0);
}

TEST(GroupForms, ASlowRecordTakesItsTicksInAll) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(14);
  ASSERT_EQ(world.events_named(events::kRecordProcessing).size(), 1U);
  world.control(wire::Control::SLOW, 5);
  world.run_to(30);
  const auto processed = world.events_named(events::kRecordProcessed);
  ASSERT_EQ(processed.size(), 1U);
  EXPECT_EQ(processed[0].tick, 14 + 5);
}

TEST(GroupForms, KilledAtAnyTickNothingIsLeftBehind) {
  for (std::int64_t tick = 0; tick < 30; ++tick) {
    ConsumerWorld world;
    world.broker().write("orders", 0, {"o0.0", "o0.1"});
    world.run_to(tick);
    world.kill();  // the sanitizers judge
  }
}

TEST(GroupForms, AReaderWithoutAGroupNeedsNoCoordinator) {
  ConsumerWorld world(ConsumerWorld::Assigned{},
                      {{"app.assign", "invoices"}, {"auto.offset.reset", "earliest"}});
  world.broker().write("invoices", 0, {"inv(o0.0)", "inv(o0.1)"});
  world.run_to(12);
  EXPECT_TRUE(world.conversation().starts_with("Metadata ListOffsets Fetch Fetch"))
      << world.conversation();
  EXPECT_EQ(world.events_named(events::kRecordRead).size(), 2U);
  world.control(wire::Control::CLOSE);
  world.run_to(13);
  EXPECT_EQ(world.exit_code(), 0);
}

}  // namespace
}  // namespace fencepost::consumer
