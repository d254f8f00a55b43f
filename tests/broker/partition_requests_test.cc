// Produce, Fetch and ListOffsets at a partition's leader.
#include <gtest/gtest.h>

#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

class PartitionRequests : public testing::Test {
 protected:
  static wire::Frame produce_frame(const std::string& topic, std::int32_t partition,
                                   const std::vector<std::string>& values, std::int32_t acks = -1) {
    wire::Frame frame;
    auto* const request = frame.mutable_produce_request();
    request->set_acks(acks);
    auto* const data = request->add_topic_data();
    data->set_name(topic);
    auto* const batch = data->add_partition_data();
    batch->set_index(partition);
    for (const std::string& value : values) {
      auto* const record = batch->mutable_records()->add_records();
      record->set_offset_delta(batch->records().records_size() - 1);
      record->set_value(value);
    }
    batch->mutable_records()->set_last_offset_delta(static_cast<std::int32_t>(values.size()) - 1);
    return frame;
  }

  std::int32_t produce(const std::string& topic, std::int32_t partition,
                       const std::vector<std::string>& values, std::int32_t acks = -1) {
    return world_.send("P1", produce_frame(topic, partition, values, acks));
  }

  wire::ProduceResponse::PartitionResponse produced(std::int32_t request) {
    return world_.answer(request)->produce_response().responses(0).partition_responses(0);
  }

  struct Wanted {
    std::string topic;
    std::int32_t partition;
    std::int64_t offset;
    std::int32_t max_bytes = 1'048'576;
  };
  struct Limits {
    std::int32_t max_wait_ms = 5000;
    std::int32_t min_bytes = 1;
    std::int32_t max_bytes = 52'428'800;
  };

  std::int32_t fetch(const std::vector<Wanted>& wanted, Limits limits) {
    wire::Frame frame;
    auto* const request = frame.mutable_fetch_request();
    request->set_max_wait_ms(limits.max_wait_ms);
    request->set_min_bytes(limits.min_bytes);
    request->set_max_bytes(limits.max_bytes);
    for (const Wanted& one : wanted) {
      auto* const topic = request->add_topics();
      topic->set_topic(one.topic);
      auto* const partition = topic->add_partitions();
      partition->set_partition(one.partition);
      partition->set_fetch_offset(one.offset);
      partition->set_partition_max_bytes(one.max_bytes);
    }
    return world_.send("C1", std::move(frame));
  }
  std::int32_t fetch(const std::vector<Wanted>& wanted) { return fetch(wanted, Limits()); }

  bool parked(std::int32_t request) { return !world_.answer(request).has_value(); }

  wire::FetchResponse::PartitionData fetched(std::int32_t request, int index = 0) {
    return world_.answer(request)->fetch_response().responses(index).partitions(0);
  }

  wire::ListOffsetsResponse::Partition listed(const std::string& topic, std::int32_t partition,
                                              std::int64_t timestamp) {
    wire::Frame frame;
    auto* const wanted = frame.mutable_list_offsets_request()->add_topics();
    wanted->set_name(topic);
    wanted->add_partitions()->set_partition_index(partition);
    wanted->mutable_partitions(0)->set_timestamp(timestamp);
    return world_.answer(world_.send("C1", frame))->list_offsets_response().topics(0).partitions(0);
  }

  BrokerWorld world_;
};

TEST_F(PartitionRequests, ABatchGetsTheNextOffsetsAndIsReported) {
  EXPECT_EQ(produced(produce("orders", 2, {"o2.0", "o2.1"})).base_offset(), 0);
  const auto answer = produced(produce("orders", 2, {"o2.2"}));
  EXPECT_EQ(answer.base_offset(), 2);
  EXPECT_EQ(answer.error_code(), 0);
  const wire::Event event = world_.events_named(events::kLogAppended)[0];
  EXPECT_EQ(events::value_of(event, "records"), "o2.0,o2.1");
  EXPECT_EQ(events::value_of(event, "count"), "2");
  EXPECT_EQ(events::value_of(event, "producer"), "P1");
}

TEST_F(PartitionRequests, WithoutAcksThereIsNoAnswerButTheRecordIsThere) {
  EXPECT_TRUE(parked(produce("orders", 0, {"o0.0"}, 0)));
  EXPECT_EQ(listed("orders", 0, -1).offset(), 1);
}

struct ProduceErrorCase {
  const char* name;
  const char* topic;
  std::int32_t partition;
  std::int32_t acks;
  ErrorCode error;
};

class ProduceErrors : public PartitionRequests,
                      public testing::WithParamInterface<ProduceErrorCase> {};

TEST_P(ProduceErrors, AreKafkas) {
  const ProduceErrorCase& row = GetParam();
  EXPECT_EQ(produced(produce(row.topic, row.partition, {"x"}, row.acks)).error_code(),
            to_wire(row.error));
  EXPECT_TRUE(world_.events_named(events::kLogAppended).empty());
}

INSTANTIATE_TEST_SUITE_P(
    Requests, ProduceErrors,
    testing::Values(
        ProduceErrorCase{"UnknownTopic", "nowhere", 0, -1, ErrorCode::kUnknownTopicOrPartition},
        ProduceErrorCase{"UnknownPartition", "orders", 3, -1, ErrorCode::kUnknownTopicOrPartition},
        ProduceErrorCase{"NegativePartition", "orders", -1, -1,
                         ErrorCode::kUnknownTopicOrPartition},
        ProduceErrorCase{"HugePartition", "orders", INT32_MAX, -1,
                         ErrorCode::kUnknownTopicOrPartition},
        ProduceErrorCase{"InternalTopic", "__consumer_offsets", 0, -1,
                         ErrorCode::kInvalidTopicException},
        ProduceErrorCase{"Metadata", "__cluster_metadata", 0, -1,
                         ErrorCode::kInvalidTopicException},
        ProduceErrorCase{"TwoAcks", "orders", 0, 2, ErrorCode::kInvalidRequiredAcks},
        ProduceErrorCase{"MinusTwoAcks", "orders", 0, -2, ErrorCode::kInvalidRequiredAcks}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(PartitionRequests, AnInvalidBatchDoesNotSpoilTheOthers) {
  wire::Frame frame = produce_frame("orders", 0, {"good"});
  auto* const bad = frame.mutable_produce_request()->mutable_topic_data(0)->add_partition_data();
  bad->set_index(1);
  const auto answer = world_.answer(world_.send("P1", frame));
  const auto& topic = answer->produce_response().responses(0);
  EXPECT_EQ(topic.partition_responses(0).error_code(), 0);
  EXPECT_EQ(topic.partition_responses(1).error_code(), to_wire(ErrorCode::kInvalidRecord));
}

TEST_F(PartitionRequests, FetchReturnsWholeBatchesFromTheOneThatHoldsTheOffset) {
  produce("orders", 0, {"o0.0", "o0.1", "o0.2"});
  produce("orders", 0, {"o0.3"});
  const auto data = fetched(fetch({{"orders", 0, 2}}));
  ASSERT_EQ(data.records_size(), 2);
  EXPECT_EQ(data.records(0).base_offset(), 0);
  EXPECT_EQ(data.records(0).records_size(), 3);
  EXPECT_EQ(data.records(1).records(0).value(), "o0.3");
  EXPECT_EQ(data.high_watermark(), 4);
  EXPECT_EQ(data.last_stable_offset(), 4);
  EXPECT_EQ(data.log_start_offset(), 0);
}

TEST_F(PartitionRequests, FetchBeyondTheEndIsOutOfRangeAndAtTheEndWaits) {
  produce("orders", 0, {"o0.0"});
  EXPECT_EQ(fetched(fetch({{"orders", 0, 2}})).error_code(), to_wire(ErrorCode::kOffsetOutOfRange));
  EXPECT_EQ(fetched(fetch({{"orders", 0, -1}})).error_code(),
            to_wire(ErrorCode::kOffsetOutOfRange));
  EXPECT_EQ(fetched(fetch({{"orders", 0, INT64_MAX}})).error_code(),
            to_wire(ErrorCode::kOffsetOutOfRange));
  EXPECT_TRUE(parked(fetch({{"orders", 0, 1}})));
}

TEST_F(PartitionRequests, AnErrorInOnePartitionAnswersAtOnce) {
  const std::int32_t request = fetch({{"orders", 0, 0}, {"orders", 9, 0}});
  EXPECT_EQ(fetched(request, 0).error_code(), 0);
  EXPECT_EQ(fetched(request, 1).error_code(), to_wire(ErrorCode::kUnknownTopicOrPartition));
}

TEST_F(PartitionRequests, AParkedFetchIsAnsweredByTheAppendItWaitsFor) {
  const std::int32_t waiting = fetch({{"orders", 0, 0}, {"payments", 1, 0}});
  produce("orders", 1, {"o1.0"});
  EXPECT_TRUE(parked(waiting));
  const std::int32_t append = produce("payments", 1, {"p1.0"});
  EXPECT_EQ(fetched(waiting, 1).records(0).records(0).value(), "p1.0");
  EXPECT_EQ(world_.cause_of_answer(waiting).sequence(), static_cast<std::uint64_t>(append));
  EXPECT_EQ(world_.core().fetches().parked(), 0U);
  // What is left is that the records become too old, in a week.
  EXPECT_GE(world_.core().next_deadline(), Tick(604'800));
}

TEST_F(PartitionRequests, AParkedFetchIsAnsweredEmptyWhenItsWaitIsOver) {
  const std::int32_t waiting = fetch({{"orders", 0, 0}}, {.max_wait_ms = 2500});
  world_.pass(2);
  EXPECT_TRUE(parked(waiting));
  world_.pass(1);
  EXPECT_EQ(fetched(waiting).records_size(), 0);
  EXPECT_EQ(fetched(waiting).high_watermark(), 0);
  EXPECT_EQ(world_.cause_of_answer(waiting).timer(), "fetch.max.wait.ms");
}

TEST_F(PartitionRequests, ParkedFetchesWaitForMinBytes) {
  const std::int32_t waiting = fetch({{"orders", 0, 0}}, {.min_bytes = 100});
  produce("orders", 0, {std::string(40, 'x')});
  EXPECT_TRUE(parked(waiting));
  produce("orders", 0, {std::string(60, 'x')});
  EXPECT_EQ(fetched(waiting).records_size(), 2);
}

TEST_F(PartitionRequests, ParkedFetchesAreAnsweredOldestFirst) {
  const std::int32_t first = fetch({{"orders", 0, 0}});
  const std::int32_t second = fetch({{"orders", 0, 0}, {"orders", 0, 0}});
  produce("orders", 0, {"o0.0"});
  EXPECT_FALSE(parked(first));
  EXPECT_FALSE(parked(second));
}

TEST_F(PartitionRequests, WithoutAWishToWaitAnEmptyFetchIsAnsweredAtOnce) {
  EXPECT_FALSE(parked(fetch({{"orders", 0, 0}}, {.max_wait_ms = 0})));
  EXPECT_FALSE(parked(fetch({{"orders", 0, 0}}, {.max_wait_ms = -5})));
  EXPECT_FALSE(parked(fetch({{"orders", 0, 0}}, {.min_bytes = 0})));
  EXPECT_FALSE(parked(fetch({})));
}

TEST_F(PartitionRequests, FetchLimitsHoldButTheFirstPartitionGivesAtLeastOneBatch) {
  for (int i = 0; i < 3; ++i) produce("orders", 0, {std::string(100, 'x')});
  produce("orders", 1, {std::string(100, 'x')});
  const std::int32_t tiny = fetch({{"orders", 0, 0, 1}, {"orders", 1, 0, 1}});
  EXPECT_EQ(fetched(tiny, 0).records_size(), 1);
  EXPECT_EQ(fetched(tiny, 1).records_size(), 0);
  const std::int32_t total = fetch({{"orders", 0, 0}, {"orders", 1, 0}}, {.max_bytes = 250});
  EXPECT_EQ(fetched(total, 0).records_size(), 2);
  EXPECT_EQ(fetched(total, 1).records_size(), 0);
  const std::int32_t negative =
      fetch({{"orders", 2, 0, -1}, {"orders", 1, 0, -1}}, {.max_bytes = -1});
  EXPECT_EQ(fetched(negative, 1).records_size(), 1);
}

TEST_F(PartitionRequests, AFetchIsNeverLargerThanAFrameMayBe) {
  for (int i = 0; i < 16; ++i) produce("orders", 0, {std::string(1'000'000, 'x')});
  const auto data = fetched(fetch({{"orders", 0, 0, INT32_MAX}}, {.max_bytes = INT32_MAX}));
  EXPECT_EQ(data.records_size(), 12);
}

TEST_F(PartitionRequests, ListOffsetsKnowsStartEndAndTimes) {
  EXPECT_EQ(listed("orders", 0, -3).offset(), -1);
  wire::Frame frame = produce_frame("orders", 0, {"a", "b"});
  auto* const batch = frame.mutable_produce_request()
                          ->mutable_topic_data(0)
                          ->mutable_partition_data(0)
                          ->mutable_records();
  batch->set_base_timestamp(5000);
  batch->mutable_records(1)->set_timestamp_delta(1000);
  world_.send("P1", frame);
  EXPECT_EQ(listed("orders", 0, -1).offset(), 2);
  EXPECT_EQ(listed("orders", 0, -2).offset(), 0);
  EXPECT_EQ(listed("orders", 0, -3).offset(), 1);
  EXPECT_EQ(listed("orders", 0, 5001).offset(), 1);
  EXPECT_EQ(listed("orders", 0, 5001).timestamp(), 6000);
  EXPECT_EQ(listed("orders", 0, 6001).offset(), -1);
  EXPECT_EQ(listed("orders", 0, -4).error_code(), to_wire(ErrorCode::kUnsupportedVersion));
  EXPECT_EQ(listed("orders", 3, -1).error_code(), to_wire(ErrorCode::kUnknownTopicOrPartition));
}

}  // namespace
}  // namespace fencepost::broker
