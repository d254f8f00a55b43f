// Metadata, CreateTopics, FindCoordinator, and clusters of several brokers.
#include <gtest/gtest.h>

#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

wire::MetadataResponse metadata(BrokerWorld& world, const std::vector<std::string>& topics,
                                bool allow_creation = false) {
  wire::Frame frame;
  auto* const request = frame.mutable_metadata_request();
  request->set_allow_auto_topic_creation(allow_creation);
  for (const std::string& topic : topics) request->add_topics(topic);
  return world.answer(world.send("C1", frame))->metadata_response();
}

wire::CreateTopicsResponse::Topic create(BrokerWorld& world, const std::string& name,
                                         std::int32_t partitions, std::int32_t replication = -1,
                                         bool validate_only = false) {
  wire::Frame frame;
  auto* const request = frame.mutable_create_topics_request();
  request->set_validate_only(validate_only);
  request->add_topics()->set_name(name);
  request->mutable_topics(0)->set_num_partitions(partitions);
  request->mutable_topics(0)->set_replication_factor(replication);
  return world.answer(world.send("A1", frame))->create_topics_response().topics(0);
}

wire::FindCoordinatorResponse::Coordinator coordinator(BrokerWorld& world, const std::string& key,
                                                       std::int32_t type = 0) {
  wire::Frame frame;
  frame.mutable_find_coordinator_request()->set_key_type(type);
  frame.mutable_find_coordinator_request()->add_coordinator_keys(key);
  return world.answer(world.send("C1", frame))->find_coordinator_response().coordinators(0);
}

BrokerConfig second_of_three() {
  BrokerConfig config = test_config();
  config.name = "B2";
  config.cluster = {"B1", "B2", "B3"};
  config.index = 1;
  return config;
}

TEST(ClusterMetadata, KnowsTheConfiguredTopics) {
  BrokerWorld world;
  const wire::MetadataResponse answer = metadata(world, {"payments"});
  ASSERT_EQ(answer.brokers_size(), 1);
  EXPECT_EQ(answer.brokers(0).host(), "B1");
  EXPECT_EQ(answer.brokers(0).port(), 19092);
  EXPECT_EQ(answer.controller_id(), 1);
  ASSERT_EQ(answer.topics(0).partitions_size(), 3);
  EXPECT_EQ(answer.topics(0).partitions(2).leader_id(), 1);
}

TEST(ClusterMetadata, ListsAllTopicsSortedWithoutTheBrokersOwnLog) {
  BrokerWorld world;
  wire::Frame frame;
  frame.mutable_metadata_request()->set_all_topics(true);
  const auto answer = world.answer(world.send("C1", frame))->metadata_response();
  std::vector<std::string> names;
  for (const auto& topic : answer.topics()) names.push_back(topic.name());
  EXPECT_EQ(names,
            (std::vector<std::string>{"__consumer_offsets", "invoices", "orders", "payments"}));
  EXPECT_TRUE(answer.topics(0).is_internal());
  EXPECT_EQ(answer.topics(0).partitions_size(), 50);
}

TEST(ClusterMetadata, DescribesARepeatedTopicOnce) {
  BrokerWorld world;
  EXPECT_EQ(metadata(world, {"orders", "orders", "invoices", "orders"}).topics_size(), 2);
}

TEST(ClusterMetadata, CreatesAnAbsentTopicOnlyIfBothSidesAllowIt) {
  BrokerWorld world;
  EXPECT_EQ(metadata(world, {"new"}).topics(0).error_code(),
            to_wire(ErrorCode::kUnknownTopicOrPartition));
  EXPECT_EQ(metadata(world, {"not a name"}, true).topics(0).error_code(),
            to_wire(ErrorCode::kInvalidTopicException));
  EXPECT_EQ(metadata(world, {"new"}, true).topics(0).partitions_size(), 1);
  BrokerConfig config = test_config();
  config.auto_create_topics = false;
  BrokerWorld strict(config);
  EXPECT_EQ(metadata(strict, {"new"}, true).topics(0).error_code(),
            to_wire(ErrorCode::kUnknownTopicOrPartition));
}

struct CreateTopicCase {
  const char* name;
  std::string topic;
  std::int32_t partitions;
  std::int32_t replication;
  ErrorCode error;
};

class CreateTopic : public testing::TestWithParam<CreateTopicCase> {};

TEST_P(CreateTopic, AnswersAsKafka) {
  BrokerWorld world;
  const CreateTopicCase& row = GetParam();
  EXPECT_EQ(create(world, row.topic, row.partitions, row.replication).error_code(),
            to_wire(row.error));
}

INSTANTIATE_TEST_SUITE_P(
    Requests, CreateTopic,
    testing::Values(
        CreateTopicCase{"New", "new", 4, 1, ErrorCode::kNone},
        CreateTopicCase{"DefaultPartitions", "new", -1, -1, ErrorCode::kNone},
        CreateTopicCase{"LongestName", std::string(249, 'x'), 1, -1, ErrorCode::kNone},
        CreateTopicCase{"Existing", "orders", 4, 1, ErrorCode::kTopicAlreadyExists},
        CreateTopicCase{"NoPartitions", "new", 0, 1, ErrorCode::kInvalidPartitions},
        CreateTopicCase{"NegativePartitions", "new", -2, 1, ErrorCode::kInvalidPartitions},
        CreateTopicCase{"AMillion", "new", 1'000'000, 1, ErrorCode::kInvalidPartitions},
        CreateTopicCase{"AllThatInt32Holds", "new", INT32_MAX, 1, ErrorCode::kInvalidPartitions},
        CreateTopicCase{"TwoReplicas", "new", 1, 2, ErrorCode::kInvalidReplicationFactor},
        CreateTopicCase{"Empty", "", 1, 1, ErrorCode::kInvalidTopicException},
        CreateTopicCase{"Dot", ".", 1, 1, ErrorCode::kInvalidTopicException},
        CreateTopicCase{"DotDot", "..", 1, 1, ErrorCode::kInvalidTopicException},
        CreateTopicCase{"Slash", "a/b", 1, 1, ErrorCode::kInvalidTopicException},
        CreateTopicCase{"TooLong", std::string(250, 'x'), 1, 1, ErrorCode::kInvalidTopicException},
        CreateTopicCase{"BrokersOwn", "__cluster_metadata", 1, 1,
                        ErrorCode::kInvalidTopicException}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(ClusterMetadata, ManySmallTopicsCannotExceedTheLimitEither) {
  BrokerWorld world;
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(create(world, "t" + std::to_string(i), 1000).error_code(), 0);
  }
  EXPECT_EQ(create(world, "last", 1000).error_code(), to_wire(ErrorCode::kInvalidPartitions));
}

TEST(ClusterMetadata, ValidatingCreatesNothing) {
  BrokerWorld world;
  EXPECT_EQ(create(world, "new", 2, 1, true).error_code(), 0);
  EXPECT_FALSE(world.core().topics().has("new"));
}

TEST(ClusterMetadata, TopicsOutliveTheBroker) {
  BrokerWorld world;
  create(world, "new", 2);
  const std::size_t rows = world.rows().size();
  world.restart();
  EXPECT_EQ(world.core().topics().partition_count("new"), 2);
  EXPECT_EQ(world.rows().size(), rows) << "nothing is created again";
}

TEST(ClusterMetadata, TheNumberOfOffsetsPartitionsIsThatOfTheTopicNotOfTheConfiguration) {
  BrokerWorld world;
  BrokerConfig config = test_config();
  config.offsets_partitions = 7;
  config.cluster = {"B1", "B2"};
  world.restart_with(config);
  EXPECT_EQ(world.core().topics().partition_count("__consumer_offsets"), 50);
}

TEST(ClusterMetadata, FindsTheOnlyBrokerForEveryGroup) {
  BrokerWorld world;
  EXPECT_EQ(coordinator(world, "billing").host(), "B1");
  EXPECT_EQ(coordinator(world, "").node_id(), 1);
  EXPECT_EQ(coordinator(world, "tx", 1).error_code(), to_wire(ErrorCode::kInvalidRequest));
}

TEST(SeveralBrokers, ShareThePartitionsOfATopic) {
  BrokerWorld world(second_of_three());
  const wire::MetadataResponse answer = metadata(world, {"orders"});
  EXPECT_EQ(answer.brokers_size(), 3);
  EXPECT_EQ(answer.topics(0).partitions(0).leader_id(), 1);
  EXPECT_EQ(answer.topics(0).partitions(1).leader_id(), 2);
  EXPECT_EQ(answer.topics(0).partitions(2).leader_id(), 3);
  EXPECT_TRUE(world.core().topics().find("orders", 1));
  EXPECT_EQ(world.core().topics().find("orders", 0).error(), ErrorCode::kNotLeaderOrFollower);
}

TEST(SeveralBrokers, AnswerOnlyForTheirOwnGroups) {
  BrokerConfig config = second_of_three();
  config.offsets_partitions = 3;
  GroupWorld world(config);
  const std::int32_t node = coordinator(world, "billing").node_id();
  config.index = static_cast<std::size_t>(node % 3);  // the broker after the coordinator
  GroupWorld other(config);
  EXPECT_EQ(other.error(other.join({"C1", ""})), ErrorCode::kNotCoordinator);
  EXPECT_EQ(other.error(other.join({"C1", ""}, {.session_ms = 1})),
            ErrorCode::kInvalidSessionTimeout);
  EXPECT_EQ(other.error(other.sync({"C1", "x"}, 1)), ErrorCode::kNotCoordinator);
  EXPECT_EQ(other.error(other.heartbeat({"C1", "x"}, 1)), ErrorCode::kNotCoordinator);
  EXPECT_EQ(other.error(other.leave({{"C1", "x"}})), ErrorCode::kNotCoordinator);
  EXPECT_EQ(other.error(other.commit({"C1", "x"}, 1, "orders", 0, 1)), ErrorCode::kNotCoordinator);
  wire::Frame frame;
  frame.mutable_offset_fetch_request()->add_groups()->set_group_id("billing");
  const auto answer = other.answer(other.send("C1", frame));
  EXPECT_EQ(answer->offset_fetch_response().groups(0).error_code(),
            to_wire(ErrorCode::kNotCoordinator));
  EXPECT_EQ(other.group(), nullptr);
}

TEST(SeveralBrokers, MakeNoTopicsOnRequest) {
  BrokerWorld world(second_of_three());
  EXPECT_EQ(create(world, "new", 1).error_code(), to_wire(ErrorCode::kInvalidRequest));
  EXPECT_EQ(metadata(world, {"new"}, true).topics(0).error_code(),
            to_wire(ErrorCode::kUnknownTopicOrPartition));
}

}  // namespace
}  // namespace fencepost::broker
