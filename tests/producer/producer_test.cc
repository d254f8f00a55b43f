// The plain producer: batches, retries, timeouts, what is in flight. Driven through a source.
#include "producer/core/producer.h"

#include <gtest/gtest.h>

#include "tests/common/error_replies.h"
#include "tests/producer/producer_world.h"

namespace fencepost::producer {
namespace {

using Texts = std::vector<std::string>;
constexpr Api kProduce = Api::kProduceRequest;

TEST(Producer, SendsWhatIsReadyForOneLeaderInOneRequest) {
  ProducerWorld world(Settings{{"app.records", "orders:2"}});
  world.run_to(20);
  EXPECT_EQ(world.produced(), (Texts{"orders-0=o0.0 orders-1=o1.0 orders-2=o2.0",
                                     "orders-0=o0.1 orders-1=o1.1 orders-2=o2.1"}));
}

TEST(Producer, PutsRecordsOfOneRoundIntoOneBatchOfEachPartition) {
  ProducerWorld world(Settings{{"app.records", "orders-1:5"}, {"app.batch.records", "3"}});
  world.run_to(20);
  EXPECT_EQ(world.produced(), (Texts{"orders-1=o1.0,o1.1,o1.2", "orders-1=o1.3,o1.4"}));
}

TEST(Producer, BeginsANewBatchWhereOneIsFull) {
  ProducerWorld world(
      Settings{{"app.records", "orders-1:4"}, {"app.batch.records", "4"}, {"batch.size", "20"}});
  world.run_to(20);
  EXPECT_GT(world.produced().size(), 1U);
  EXPECT_EQ(world.broker().log("orders", 1), (Texts{"o1.0", "o1.1", "o1.2", "o1.3"}));
}

TEST(Producer, WaitsForLingerUnlessItIsFlushed) {
  ProducerWorld world(Settings{{"app.records", "orders-0:3"}, {"linger.ms", "10000"}});
  world.run_to(5);
  EXPECT_TRUE(world.produced().empty());
  world.run_to(30);
  // Rounds at ticks 4, 5 and 6; then the source flushes.
  EXPECT_EQ(world.produced(), (Texts{"orders-0=o0.0,o0.1,o0.2"}));
  EXPECT_EQ(world.requests_of(kProduce)[0].tick, 6);
}

TEST(Producer, ALostAnswerDoublesTheRecord) {
  ProducerWorld world(Settings{{"app.records", "orders-0:1"},
                               {"request.timeout.ms", "3000"},
                               {"delivery.timeout.ms", "120000"},
                               {"retry.backoff.ms", "0"}});
  world.next(kProduce, [&world](const wire::Frame& request) {
    world.broker().answer(request);  // it was written; nobody hears of it
    return lost();
  });
  world.run_to(30);
  EXPECT_EQ(world.broker().log("orders", 0), (Texts{"o0.0", "o0.0"}));
  const auto sent = world.requests_of(kProduce);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[1].tick - sent[0].tick, 3);
  const auto retries = world.events_named(events::kProduceRetry);
  ASSERT_EQ(retries.size(), 1U);
  EXPECT_EQ(retries[0].value("records"), "o0.0");
  EXPECT_EQ(retries[0].value("reason"), "REQUEST_TIMED_OUT");
  EXPECT_EQ(world.events_named(events::kRecordAcknowledged).size(), 1U);
}

TEST(Producer, PausesLongerAfterEachFailure) {
  ProducerWorld world(Settings{{"app.records", "orders-0:1"},
                               {"retry.backoff.ms", "1000"},
                               {"retry.backoff.max.ms", "4000"}});
  world.always(kProduce, refuse(ErrorCode::kNotEnoughReplicas));
  world.run_to(40);
  const auto sent = world.requests_of(kProduce);
  ASSERT_GE(sent.size(), 5U);
  EXPECT_EQ(sent[1].tick - sent[0].tick, 2 + 1);
  EXPECT_EQ(sent[2].tick - sent[1].tick, 2 + 2);
  EXPECT_EQ(sent[3].tick - sent[2].tick, 2 + 4);
  EXPECT_EQ(sent[4].tick - sent[3].tick, 2 + 4);
}

TEST(Producer, GivesUpAfterItsRetries) {
  ProducerWorld world(Settings{{"app.records", "orders-0:1"}, {"retries", "2"}});
  world.always(kProduce, refuse(ErrorCode::kNotEnoughReplicas));
  world.run_to(40);
  EXPECT_EQ(world.requests_of(kProduce).size(), 3U);
  const auto failed = world.events_named(events::kRecordFailed);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].value("error"), "NOT_ENOUGH_REPLICAS");
}

TEST(Producer, GivesUpAtTheDeliveryTimeout) {
  ProducerWorld world(Settings{{"app.records", "orders-0:1"},
                               {"request.timeout.ms", "4000"},
                               {"delivery.timeout.ms", "10000"}});
  world.always(kProduce, [](const wire::Frame&) { return lost(); });
  world.run_to(60);
  const auto failed = world.events_named(events::kRecordFailed);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_GE(failed[0].tick, ProducerWorld::kFirstRound + 10);
  EXPECT_LE(failed[0].tick, ProducerWorld::kFirstRound + 14);
}

TEST(Producer, AnErrorThatIsNotRetriableIsFinal) {
  ProducerWorld world(Settings{{"app.records", "orders-0:1"}});
  world.next(kProduce, refuse(ErrorCode::kInvalidRecord));
  world.run_to(40);
  EXPECT_EQ(world.requests_of(kProduce).size(), 1U);
  EXPECT_EQ(world.events_named(events::kRecordFailed).size(), 1U);
}

TEST(Producer, AsksForTheLeaderWhenTheBrokerIsNot) {
  ProducerWorld world(Settings{{"app.records", "orders-0:1"}});
  world.next(kProduce, refuse(ErrorCode::kNotLeaderOrFollower));
  world.run_to(40);
  EXPECT_EQ(world.conversation(), "Metadata ListOffsets Produce Metadata Produce");
  EXPECT_EQ(world.broker().log("orders", 0), (Texts{"o0.0"}));
}

TEST(Producer, ADisconnectIsRetried) {
  ProducerWorld world(Settings{{"app.records", "orders-0:1"}});
  world.next(kProduce, disconnected());
  world.run_to(40);
  EXPECT_EQ(world.broker().log("orders", 0), (Texts{"o0.0"}));
  EXPECT_EQ(world.events_named(events::kProduceRetry)[0].value("reason"), "NETWORK_EXCEPTION");
}

TEST(Producer, HasNoMoreRequestsInFlightThanAllowed) {
  ProducerWorld world(
      Settings{{"app.records", "orders-0:6"}, {"max.in.flight.requests.per.connection", "1"}});
  world.always(kProduce, [&world](const wire::Frame& request) {
    Reply reply = world.broker().answer(request);
    reply.ticks = 4;
    return reply;
  });
  world.run_to(60);
  const auto sent = world.requests_of(kProduce);
  ASSERT_GE(sent.size(), 2U);
  for (std::size_t i = 1; i < sent.size(); ++i) EXPECT_GE(sent[i].tick - sent[i - 1].tick, 4);
  EXPECT_EQ(world.broker().log("orders", 0),
            (Texts{"o0.0", "o0.1", "o0.2", "o0.3", "o0.4", "o0.5"}));
}

TEST(Producer, WithOneInFlightARetryKeepsTheOrder) {
  ProducerWorld world(
      Settings{{"app.records", "orders-0:4"}, {"max.in.flight.requests.per.connection", "1"}});
  world.next(kProduce, disconnected());
  world.run_to(60);
  EXPECT_EQ(world.broker().log("orders", 0), (Texts{"o0.0", "o0.1", "o0.2", "o0.3"}));
}

TEST(Producer, WithSeveralInFlightARetryMayComeAfterItsSuccessor) {
  ProducerWorld world(Settings{{"app.records", "orders-0:2"}, {"app.interval.ms", "1000"}});
  world.next(kProduce, disconnected());
  world.run_to(60);
  EXPECT_EQ(world.broker().log("orders", 0), (Texts{"o0.1", "o0.0"}));
}

TEST(Producer, WithoutAcknowledgementsNothingIsWaitedFor) {
  ProducerWorld world(Settings{{"app.records", "orders-0:1"}, {"acks", "0"}});
  world.next(kProduce, lost());
  world.run_to(40);
  EXPECT_EQ(world.requests_of(kProduce).size(), 1U);
  EXPECT_EQ(world.events_named(events::kRecordAcknowledged).size(), 1U);
  EXPECT_TRUE(world.idle());
}

}  // namespace
}  // namespace fencepost::producer
