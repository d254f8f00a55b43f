// DeleteTopics and CreatePartitions, and what is left after a restart.
#include <gtest/gtest.h>

#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

struct NameAndError {
  std::string name;
  ErrorCode error;
  friend bool operator==(const NameAndError&, const NameAndError&) = default;
  friend std::ostream& operator<<(std::ostream& out, const NameAndError& result) {
    return out << result.name << " " << to_wire(result.error);
  }
};
using Results = std::vector<NameAndError>;

Results delete_topics(BrokerWorld& world, const std::vector<std::string>& topics) {
  wire::Frame frame;
  frame.mutable_delete_topics_request();
  for (const std::string& topic : topics) {
    frame.mutable_delete_topics_request()->add_topic_names(topic);
  }
  Results results;
  const std::optional<wire::Frame> answer = world.answer(world.send("A1", frame));
  for (const auto& result : answer->delete_topics_response().responses()) {
    results.push_back({result.name(), error_from_wire(result.error_code())});
  }
  return results;
}

Results create_partitions(BrokerWorld& world, const std::vector<TopicSpec>& topics,
                          bool validate_only = false) {
  wire::Frame frame;
  frame.mutable_create_partitions_request()->set_validate_only(validate_only);
  for (const TopicSpec& topic : topics) {
    auto* const wanted = frame.mutable_create_partitions_request()->add_topics();
    wanted->set_name(topic.name);
    wanted->set_count(topic.partitions);
  }
  Results results;
  const std::optional<wire::Frame> answer = world.answer(world.send("A1", frame));
  for (const auto& result : answer->create_partitions_response().results()) {
    results.push_back({result.name(), error_from_wire(result.error_code())});
    EXPECT_EQ(result.has_error_message(), result.error_code() != 0) << result.name();
  }
  return results;
}

ErrorCode create_topic(BrokerWorld& world, const std::string& name) {
  wire::Frame frame;
  frame.mutable_create_topics_request()->add_topics()->set_name(name);
  const std::optional<wire::Frame> answer = world.answer(world.send("A1", frame));
  return error_from_wire(answer->create_topics_response().topics(0).error_code());
}

int partitions_in_metadata(BrokerWorld& world, const std::string& topic) {
  wire::Frame frame;
  frame.mutable_metadata_request()->add_topics(topic);
  return world.answer(world.send("C1", frame))->metadata_response().topics(0).partitions_size();
}

wire::ProduceResponse::PartitionResponse produce(BrokerWorld& world, const std::string& topic,
                                                 std::int32_t partition) {
  wire::Frame frame;
  auto* const data = frame.mutable_produce_request()->add_topic_data();
  data->set_name(topic);
  data->add_partition_data()->set_index(partition);
  auto* const record = data->mutable_partition_data(0)->mutable_records()->add_records();
  record->set_value("x");
  const std::optional<wire::Frame> answer = world.answer(world.send("P1", frame));
  return answer->produce_response().responses(0).partition_responses(0);
}

std::int32_t fetch(BrokerWorld& world, const std::string& topic, std::int32_t partition) {
  wire::Frame frame;
  auto* const request = frame.mutable_fetch_request();
  request->set_max_wait_ms(100'000);
  request->set_min_bytes(1);
  request->add_topics()->set_topic(topic);
  auto* const wanted = request->mutable_topics(0)->add_partitions();
  wanted->set_partition(partition);
  wanted->set_fetch_offset(0);
  return world.send("C1", frame);
}

BrokerConfig first_of_two() {
  BrokerConfig config = test_config();
  config.cluster = {"B1", "B2"};
  return config;
}

TEST(CreatePartitions, ShowInMetadataAtOnceAndTakeRecords) {
  BrokerWorld world;
  EXPECT_EQ(produce(world, "orders", 4).error_code(), to_wire(ErrorCode::kUnknownTopicOrPartition));
  EXPECT_EQ(create_partitions(world, {{"orders", 5}}), (Results{{"orders", ErrorCode::kNone}}));
  EXPECT_EQ(partitions_in_metadata(world, "orders"), 5);
  EXPECT_EQ(produce(world, "orders", 4).error_code(), 0);
  const auto added = world.events_named(events::kPartitionsAdded);
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(events::value_of(added[0], "topic"), "orders");
  EXPECT_EQ(events::value_of(added[0], "partitions"), "5");
}

TEST(CreatePartitions, KeepWhatTheOldOnesHold) {
  BrokerWorld world;
  produce(world, "orders", 0);
  create_partitions(world, {{"orders", 4}});
  EXPECT_EQ(produce(world, "orders", 0).base_offset(), 1);
}

TEST(CreatePartitions, AreThereAfterARestartWhateverAppTopicsSays) {
  BrokerWorld world;
  create_partitions(world, {{"orders", 5}});
  create_partitions(world, {{"orders", 6}});
  produce(world, "orders", 5);
  world.restart();
  EXPECT_EQ(partitions_in_metadata(world, "orders"), 6);
  EXPECT_EQ(produce(world, "orders", 5).base_offset(), 1);
}

struct CreatePartitionsCase {
  const char* name;
  std::string topic;
  std::int32_t count;
  ErrorCode error;
};
class CreatePartitionsErrors : public testing::TestWithParam<CreatePartitionsCase> {};

TEST_P(CreatePartitionsErrors, AreKafkas) {
  BrokerWorld world;
  const CreatePartitionsCase& row = GetParam();
  for (const bool validate_only : {true, false}) {
    EXPECT_EQ(create_partitions(world, {{row.topic, row.count}}, validate_only),
              (Results{{row.topic, row.error}}));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Requests, CreatePartitionsErrors,
    testing::Values(
        CreatePartitionsCase{"More", "orders", 4, ErrorCode::kNone},
        CreatePartitionsCase{"AsMany", "orders", 3, ErrorCode::kInvalidPartitions},
        CreatePartitionsCase{"Fewer", "orders", 2, ErrorCode::kInvalidPartitions},
        CreatePartitionsCase{"None", "orders", 0, ErrorCode::kInvalidPartitions},
        CreatePartitionsCase{"Negative", "orders", INT32_MIN, ErrorCode::kInvalidPartitions},
        CreatePartitionsCase{"TooMany", "orders", INT32_MAX, ErrorCode::kInvalidPartitions},
        CreatePartitionsCase{"NoTopic", "nowhere", 4, ErrorCode::kUnknownTopicOrPartition},
        CreatePartitionsCase{"NoName", "", 4, ErrorCode::kUnknownTopicOrPartition},
        CreatePartitionsCase{"Internal", "__consumer_offsets", 60, ErrorCode::kInvalidRequest}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(CreatePartitions, OnlyValidatedChangeNothing) {
  BrokerWorld world;
  create_partitions(world, {{"orders", 5}}, true);
  EXPECT_EQ(partitions_in_metadata(world, "orders"), 3);
}

TEST(CreatePartitions, TwiceForOneTopicAreRefusedAndTheOthersDone) {
  BrokerWorld world;
  EXPECT_EQ(create_partitions(world, {{"orders", 5}, {"payments", 4}, {"orders", 6}}),
            (Results{{"orders", ErrorCode::kInvalidRequest}, {"payments", ErrorCode::kNone}}));
  EXPECT_EQ(partitions_in_metadata(world, "orders"), 3);
  EXPECT_EQ(partitions_in_metadata(world, "payments"), 4);
}

TEST(CreatePartitions, AreRefusedByOneOfSeveralBrokers) {
  BrokerWorld world(first_of_two());
  EXPECT_EQ(create_partitions(world, {{"orders", 5}}),
            (Results{{"orders", ErrorCode::kInvalidRequest}}));
  EXPECT_EQ(delete_topics(world, {"orders"}), (Results{{"orders", ErrorCode::kInvalidRequest}}));
}

TEST(DeleteTopics, TakeRecordsAndOffsetsOfEveryGroupAlong) {
  GroupWorld world;
  produce(world, "orders", 0);
  world.commit({"A1", ""}, -1, "orders", 0, 1);
  world.commit({"A1", ""}, -1, "orders", 2, 7);
  world.commit({"A1", ""}, -1, "payments", 0, 3);
  EXPECT_EQ(delete_topics(world, {"orders"}), (Results{{"orders", ErrorCode::kNone}}));
  EXPECT_EQ(partitions_in_metadata(world, "orders"), 0);
  EXPECT_EQ(world.committed("orders", 0), -1);
  EXPECT_EQ(world.committed("orders", 2), -1);
  EXPECT_EQ(world.committed("payments", 0), 3);
  EXPECT_EQ(world.events_named(events::kOffsetRemoved).size(), 2U);
  EXPECT_EQ(world.error(world.commit({"A1", ""}, -1, "orders", 0, 1)),
            ErrorCode::kUnknownTopicOrPartition);
}

TEST(DeleteTopics, AnswerEachNameOnce) {
  BrokerWorld world;
  EXPECT_EQ(delete_topics(world, {"payments", "nowhere", "orders", "orders", "",
                                  "__consumer_offsets", "__cluster_metadata"}),
            (Results{{"", ErrorCode::kUnknownTopicOrPartition},
                     {"__cluster_metadata", ErrorCode::kInvalidRequest},
                     {"__consumer_offsets", ErrorCode::kInvalidRequest},
                     {"nowhere", ErrorCode::kUnknownTopicOrPartition},
                     {"orders", ErrorCode::kInvalidRequest},
                     {"payments", ErrorCode::kNone}}));
}

TEST(DeleteTopics, AnswerAFetchThatWaits) {
  BrokerWorld world;
  const std::int32_t waiting = fetch(world, "orders", 1);
  ASSERT_FALSE(world.answer(waiting).has_value());
  delete_topics(world, {"orders"});
  const std::optional<wire::Frame> answer = world.answer(waiting);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->fetch_response().responses(0).partitions(0).error_code(),
            to_wire(ErrorCode::kUnknownTopicOrPartition));
}

TEST(DeleteTopics, StayDeletedAfterARestartAlthoughAppTopicsNamesThem) {
  BrokerWorld world;
  produce(world, "orders", 0);
  delete_topics(world, {"orders"});
  for (int restart = 0; restart < 2; ++restart) {
    world.restart();
    EXPECT_EQ(partitions_in_metadata(world, "orders"), 0);
    world.remove_obsolete();
  }
}

TEST(DeleteTopics, FreeTheNameOneTickLater) {
  BrokerWorld world;
  delete_topics(world, {"orders"});
  EXPECT_EQ(create_topic(world, "orders"), ErrorCode::kTopicAlreadyExists);
  EXPECT_EQ(create_topic(world, "others"), ErrorCode::kNone);
  world.pass(1);
  EXPECT_EQ(create_topic(world, "orders"), ErrorCode::kNone);
}

TEST(DeleteTopics, OfTheSameNameBeginAtOffsetZeroAlsoAfterARestart) {
  for (const bool removed : {false, true}) {
    BrokerWorld world;
    for (int i = 0; i < 3; ++i) produce(world, "orders", 0);
    delete_topics(world, {"orders"});
    world.pass(1);
    if (removed) world.remove_obsolete();
    create_topic(world, "orders");
    EXPECT_EQ(produce(world, "orders", 0).base_offset(), 0);
    EXPECT_EQ(produce(world, "orders", 0).base_offset(), 1);
    world.restart();
    EXPECT_EQ(partitions_in_metadata(world, "orders"), 1);
    EXPECT_EQ(produce(world, "orders", 0).base_offset(), 2);
  }
}

}  // namespace
}  // namespace fencepost::broker
