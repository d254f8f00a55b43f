// What a timeline's `call` makes the application do, and when.
#include <gtest/gtest.h>

#include "tests/common/error_replies.h"
#include "tests/consumer/consumer_world.h"

namespace fencepost::consumer {
namespace {

std::string last_owned(const ConsumerWorld& world) {
  return world.events_named(events::kPartitionsAssigned).back().value("owned");
}

std::set<std::string> fetched_topics(const ConsumerWorld& world, std::int64_t from_tick) {
  std::set<std::string> topics;
  for (const auto& sent : world.requests_of(Api::kFetchRequest)) {
    if (sent.tick < from_tick) continue;
    for (const auto& topic : sent.frame.fetch_request().topics()) topics.insert(topic.topic());
  }
  return topics;
}

TEST(Calls, ANewSubscriptionIsJoinedWithAtTheNextPoll) {
  ConsumerWorld world;
  world.run_to(20);
  world.call("subscribe", {"orders"});
  world.run_to(40);
  EXPECT_EQ(last_owned(world), "orders-0,orders-1,orders-2");
  EXPECT_EQ(world.events_named(events::kPartitionsRevoked).size(), 1U);
  ASSERT_EQ(world.events_named(events::kClientCalled).size(), 1U);
  EXPECT_EQ(world.events_named(events::kClientCalled)[0].tick, 21) << "a waiting poll is woken";
}

TEST(Calls, AreCarriedOutAfterTheBatchInHand) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0", "o0.1", "o0.2"});
  world.run_to(14);
  world.call("subscribe", {"payments"});
  world.run_to(60);
  const auto called = world.events_named(events::kClientCalled);
  const auto processed = world.events_named(events::kRecordProcessed);
  ASSERT_EQ(called.size(), 1U);
  ASSERT_EQ(processed.size(), 3U);
  EXPECT_GE(called[0].tick, processed[2].tick);
  EXPECT_EQ((world.broker().committed[{"orders", 0}]), 3);
}

TEST(Calls, CooperativeGivesUpOnlyWhatIsNoLongerSubscribed) {
  ConsumerWorld world(Settings{{"partition.assignment.strategy", "cooperative-sticky"}});
  world.run_to(20);
  world.call("subscribe", {"orders"});
  world.run_to(40);
  const auto revoked = world.events_named(events::kPartitionsRevoked);
  ASSERT_EQ(revoked.size(), 1U);
  EXPECT_EQ(revoked[0].value("partitions"), "payments-0,payments-1,payments-2");
  EXPECT_EQ(last_owned(world), "orders-0,orders-1,orders-2");
}

TEST(Calls, UnsubscribeRevokesAndLeavesAndASubscriptionJoinsAsANewMember) {
  ConsumerWorld world;
  world.run_to(20);
  world.call("unsubscribe");
  world.run_to(30);
  EXPECT_EQ(world.requests_of(Api::kLeaveGroupRequest).size(), 1U);
  EXPECT_EQ(world.events_named(events::kPartitionsRevoked).size(), 1U);
  const std::size_t joins = world.requests_of(Api::kJoinGroupRequest).size();
  world.run_to(60);
  EXPECT_EQ(world.requests_of(Api::kJoinGroupRequest).size(), joins) << "nothing is subscribed to";
  world.call("subscribe", {"payments"});
  world.run_to(90);
  EXPECT_EQ(last_owned(world), "payments-0,payments-1,payments-2");
  const auto again = world.requests_of(Api::kJoinGroupRequest);
  EXPECT_EQ(again[joins].frame.join_group_request().member_id(), "");
  EXPECT_EQ(again[joins].frame.join_group_request().reason(),
            "the consumer unsubscribed from all topics");
}

TEST(Calls, UnsubscribeDoesNotCommit) {
  ConsumerWorld world(Settings{{"enable.auto.commit", "true"},
                               {"app.commit", "none"},
                               {"auto.commit.interval.ms", "90000"}});
  world.run_to(20);
  world.call("unsubscribe");
  world.run_to(40);
  EXPECT_TRUE(world.requests_of(Api::kOffsetCommitRequest).empty());
}

TEST(Calls, WhatIsPausedIsNeitherFetchedNorReturnedAndIsResumed) {
  ConsumerWorld world;
  world.settle();
  world.call("pause", {"orders-0", "orders-1", "orders-2"});
  world.pass(4);
  world.broker().write("orders", 0, {"o0.0"});
  world.broker().write("payments", 0, {"p0.0"});
  world.pass(20);
  const std::int64_t later = world.now() - 10;
  EXPECT_EQ(fetched_topics(world, later), std::set<std::string>{"payments"});
  ASSERT_EQ(world.events_named(events::kRecordProcessed).size(), 1U);
  world.call("resume");
  world.pass(20);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 2U);
  EXPECT_EQ(world.events_named(events::kPollReturned)[1].value("records"), "o0.0");
}

TEST(Calls, WhatIsBufferedOutlastsAPause) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0", "o0.1", "o0.2", "o0.3"});
  world.run_to(14);  // three of them are in hand, one is buffered
  world.call("pause", {"orders-0"});
  world.run_to(40);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 3U);
  world.call("resume", {"orders-0"});
  world.run_to(60);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 4U);
}

TEST(Calls, APausedMemberThatPollsStaysInItsGroup) {
  ConsumerWorld world;
  world.settle();
  world.call("pause");
  world.run_to(100);
  EXPECT_TRUE(world.requests_of(Api::kLeaveGroupRequest).empty());
}

TEST(Calls, AnEagerRebalanceEndsAPause) {
  ConsumerWorld world;
  world.settle();
  world.call("pause");
  world.pass(5);
  world.call("enforceRebalance");
  world.pass(5);
  world.broker().write("orders", 0, {"o0.0"});
  world.pass(30);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), 1U);
}

TEST(Calls, SeekReadsAgainFromThere) {
  ConsumerWorld world;
  world.broker().write("orders", 0, {"o0.0", "o0.1"});
  world.run_to(30);
  world.call("seek", {"orders-0", "1"});
  world.run_to(60);
  const auto processed = world.events_named(events::kRecordProcessed);
  ASSERT_EQ(processed.size(), 3U);
  EXPECT_EQ(processed[2].value("record"), "o0.1");
}

TEST(Calls, EnforceRebalanceJoinsAnewAndSaysWhy) {
  ConsumerWorld world;
  world.run_to(20);
  world.call("enforceRebalance");
  world.run_to(40);
  const auto joins = world.requests_of(Api::kJoinGroupRequest);
  ASSERT_EQ(joins.size(), 3U);
  EXPECT_EQ(joins[2].frame.join_group_request().reason(), "rebalance enforced by user");
  EXPECT_EQ(joins[2].frame.join_group_request().member_id(), "member-1");
}

struct BadCall {
  const char* name;
  const char* method;
  std::vector<std::string> arguments;
  const char* exception;
};

class BadCalls : public testing::TestWithParam<BadCall> {};

TEST_P(BadCalls, AreOneErrorAndNothingElse) {
  ConsumerWorld world;
  world.run_to(20);
  world.call(GetParam().method, GetParam().arguments);
  world.run_to(40);
  const auto errors = world.events_named(events::kClientError);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].value("exception"), GetParam().exception);
  EXPECT_TRUE(errors[0].value("where").starts_with(GetParam().method));
  EXPECT_TRUE(world.events_named(events::kClientCalled).empty());
  EXPECT_EQ(world.requests_of(Api::kJoinGroupRequest).size(), 2U);
  EXPECT_FALSE(world.exit_code());
}

constexpr const char* kIllegalArgument = "IllegalArgumentException";
INSTANTIATE_TEST_SUITE_P(
    Table, BadCalls,
    testing::Values(
        BadCall{"NoSuchMethod", "commitSync", {}, kIllegalArgument},
        BadCall{"SubscribeToNothing", "subscribe", {}, kIllegalArgument},
        BadCall{"PauseOfATopic", "pause", {"orders"}, kIllegalArgument},
        BadCall{"PauseOfWhatIsNotOwned", "pause", {"orders-0", "other-0"}, "IllegalStateException"},
        BadCall{"SeekNowhere", "seek", {"orders-0"}, kIllegalArgument},
        BadCall{"SeekToAWord", "seek", {"orders-0", "end"}, kIllegalArgument},
        BadCall{"SeekBeforeTheBeginning", "seek", {"orders-0", "-1"}, kIllegalArgument},
        BadCall{"SeekInWhatIsNotOwned", "seek", {"orders-9", "1"}, "IllegalStateException"},
        BadCall{"EnforceWithArguments", "enforceRebalance", {"now"}, kIllegalArgument},
        BadCall{"UnsubscribeFromOne", "unsubscribe", {"orders"}, kIllegalArgument}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(Calls, AReaderWithAssignedPartitionsMayNotSubscribe) {
  ConsumerWorld world(ConsumerWorld::Assigned{},
                      {{"app.assign", "orders"}, {"auto.offset.reset", "earliest"}});
  world.broker().write("orders", 1, {"o1.0"});
  world.run_to(15);
  world.call("subscribe", {"orders"});
  world.call("seek", {"orders-1", "0"});
  world.run_to(30);
  ASSERT_EQ(world.events_named(events::kClientError).size(), 1U);
  EXPECT_EQ(world.events_named(events::kClientError)[0].value("exception"),
            "InvalidGroupIdException");
  EXPECT_EQ(world.events_named(events::kRecordRead).size(), 2U) << "the seek was carried out";
}

}  // namespace
}  // namespace fencepost::consumer
