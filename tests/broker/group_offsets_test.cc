// Committed offsets: what is stored, what a fetch finds, what the retention removes, and that all
// of it outlives the broker.
#include <gtest/gtest.h>

#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

wire::Frame fetch_all() {
  wire::Frame frame;
  auto* const group = frame.mutable_offset_fetch_request()->add_groups();
  group->set_group_id("billing");
  group->set_all_topics(true);
  return frame;
}

TEST(GroupOffsets, NothingCommittedIsMinusOneWithoutAnError) {
  GroupWorld world;
  EXPECT_EQ(world.committed("orders", 0), -1);
  EXPECT_EQ(world.committed("nowhere", 7), -1);
  EXPECT_EQ(world.group(), nullptr);
}

TEST(GroupOffsets, TheLastCommitWinsAlsoIfItIsLower) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"});
  world.commit(members[0], 1, "orders", 0, 9);
  world.commit(members[0], 1, "orders", 0, 4);
  EXPECT_EQ(world.committed("orders", 0), 4);
}

TEST(GroupOffsets, ACommitIsReportedWithItsMemberAndGeneration) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"});
  world.commit(members[0], 1, "orders", 2, 9);
  const wire::Event event = world.events_named(events::kOffsetCommitted).back();
  EXPECT_EQ(events::value_of(event, "topic"), "orders");
  EXPECT_EQ(events::value_of(event, "partition"), "2");
  EXPECT_EQ(events::value_of(event, "offset"), "9");
  EXPECT_EQ(events::value_of(event, "member"), members[0].id);
  EXPECT_EQ(events::value_of(event, "generation"), "1");
}

TEST(GroupOffsets, ACommitIsASignOfLife) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"});
  for (int i = 0; i < 5; ++i) {
    world.pass(9);
    ASSERT_EQ(world.error(world.commit(members[0], 1, "orders", 0, i)), ErrorCode::kNone);
  }
}

TEST(GroupOffsets, EachPartitionFailsByItself) {
  GroupWorld world;
  wire::Frame frame;
  auto* const request = frame.mutable_offset_commit_request();
  request->set_group_id("billing");
  auto* const topic = request->add_topics();
  topic->set_name("orders");
  const auto add = [&](std::int32_t partition, std::int64_t offset, std::size_t metadata) {
    auto* const added = topic->add_partitions();
    added->set_partition_index(partition);
    added->set_committed_offset(offset);
    added->set_committed_metadata(std::string(metadata, 'x'));
  };
  add(0, 5, 4096);
  add(1, 5, 4097);
  add(2, -7, 0);
  add(3, 5, 0);
  add(-1, 5, 0);
  add(2147483647, 5, 0);
  const auto answer = world.answer(world.send("A1", frame));
  std::vector<int> errors;
  for (const auto& partition : answer->offset_commit_response().topics(0).partitions()) {
    errors.push_back(partition.error_code());
  }
  EXPECT_EQ(errors, (std::vector<int>{0, 12, 28, 3, 3, 3}));
  EXPECT_EQ(world.committed("orders", 0), 5);
}

TEST(GroupOffsets, WithoutAKnownPartitionTheGroupIsNotCreated) {
  GroupWorld world;
  EXPECT_EQ(world.error(world.commit({"A1", ""}, -1, "nowhere", 0, 1)),
            ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(world.group(), nullptr);
}

TEST(GroupOffsets, AllTopicsAreListedInOrder) {
  GroupWorld world;
  world.commit({"A1", ""}, -1, "payments", 1, 4);
  world.commit({"A1", ""}, -1, "orders", 2, 3);
  world.commit({"A1", ""}, -1, "orders", 0, 2);
  const auto answer = world.answer(world.send("A1", fetch_all()));
  const auto& group = answer->offset_fetch_response().groups(0);
  ASSERT_EQ(group.topics_size(), 2);
  EXPECT_EQ(group.topics(0).name(), "orders");
  ASSERT_EQ(group.topics(0).partitions_size(), 2);
  EXPECT_EQ(group.topics(0).partitions(1).partition_index(), 2);
  EXPECT_EQ(group.topics(0).partitions(1).committed_offset(), 3);
  EXPECT_EQ(group.topics(1).name(), "payments");
}

TEST(GroupOffsets, AGroupIsFetchedOnceInARequest) {
  GroupWorld world;
  wire::Frame frame = fetch_all();
  *frame.mutable_offset_fetch_request()->add_groups() = frame.offset_fetch_request().groups(0);
  const auto answer = world.answer(world.send("A1", frame));
  EXPECT_EQ(answer->offset_fetch_response().groups(0).error_code(), 0);
  EXPECT_EQ(answer->offset_fetch_response().groups(1).error_code(),
            to_wire(ErrorCode::kInvalidRequest));
}

TEST(GroupOffsets, OutliveTheBroker) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"});
  world.commit(members[0], 1, "orders", 0, 9);
  world.commit(members[0], 1, "payments", 2, 3);
  world.restart();
  EXPECT_EQ(world.committed("orders", 0), 9);
  EXPECT_EQ(world.committed("payments", 2), 3);
  EXPECT_EQ(world.error(world.commit(members[0], 1, "orders", 0, 10)), ErrorCode::kNone);
}

TEST(GroupOffsets, OfASimpleGroupMakeItAgainAfterARestart) {
  GroupWorld world;
  world.commit({"A1", ""}, -1, "orders", 0, 9);
  world.restart();
  EXPECT_EQ(world.state(), "E");
  EXPECT_EQ(world.committed("orders", 0), 9);
}

class OffsetRetention : public testing::Test {
 protected:
  static BrokerConfig config() {
    BrokerConfig config = test_config();
    config.retention_minutes = 1;        // 60 ticks
    config.retention_check_ms = 10'000;  // 10 ticks
    return config;
  }
  static JoinTerms subscribed_to(const std::string& topic) {
    wire::ConsumerProtocolSubscription subscription;
    subscription.add_topics(topic);
    JoinTerms terms;
    terms.metadata = subscription.SerializeAsString();
    terms.session_ms = 1'800'000;
    return terms;
  }
  GroupWorld world_{config()};
};

TEST_F(OffsetRetention, OfASimpleGroupCountsFromTheCommit) {
  world_.commit({"A1", ""}, -1, "orders", 0, 9);
  world_.pass(30);
  world_.commit({"A1", ""}, -1, "orders", 1, 9);
  world_.pass(30);
  EXPECT_EQ(world_.committed("orders", 0), -1);
  EXPECT_EQ(world_.committed("orders", 1), 9);
  world_.pass(30);
  EXPECT_EQ(world_.committed("orders", 1), -1);
  EXPECT_EQ(world_.state(), "A");
}

TEST_F(OffsetRetention, SparesSubscribedTopicsOfAStableGroup) {
  const auto members = world_.stable_group({"C1"}, subscribed_to("orders"));
  world_.commit(members[0], 1, "orders", 0, 9);
  world_.commit(members[0], 1, "payments", 0, 9);
  world_.pass(70);
  EXPECT_EQ(world_.committed("orders", 0), 9);
  EXPECT_EQ(world_.committed("payments", 0), -1);
}

TEST_F(OffsetRetention, TouchesNothingIfSubscriptionsCannotBeRead) {
  JoinTerms terms = subscribed_to("orders");
  terms.metadata = "\xff\xff\xff";
  const auto members = world_.stable_group({"C1"}, terms);
  world_.commit(members[0], 1, "payments", 0, 9);
  world_.pass(70);
  EXPECT_EQ(world_.committed("payments", 0), 9);
}

TEST(OffsetRetentionOld, CountsFromTheCommitAlsoWhileThereAreMembers) {
  for (const OffsetRetentionRule rule :
       {OffsetRetentionRule::kKip211, OffsetRetentionRule::kCommit}) {
    BrokerConfig config = test_config();
    config.retention_minutes = 1;
    config.retention_check_ms = 10'000;
    config.retention_rule = rule;
    GroupWorld world(config);
    wire::ConsumerProtocolSubscription subscription;
    subscription.add_topics("orders");
    JoinTerms terms;
    terms.metadata = subscription.SerializeAsString();
    terms.session_ms = 1'800'000;
    const auto members = world.stable_group({"C1"}, terms);
    world.commit(members[0], 1, "orders", 0, 9);
    world.pass(30);
    world.commit(members[0], 1, "orders", 1, 9);
    world.pass(30);
    const bool old = rule == OffsetRetentionRule::kCommit;
    EXPECT_EQ(world.committed("orders", 0), old ? -1 : 9);
    EXPECT_EQ(world.committed("orders", 1), 9);
    EXPECT_EQ(world.state(), "S");
  }
}

TEST(GroupOffsets, NeedAGroupIdWhichMayBeEmpty) {
  GroupWorld world;
  wire::Frame fetch;
  fetch.mutable_offset_fetch_request()->add_groups();
  EXPECT_EQ(world.error(world.send("A1", fetch)), ErrorCode::kInvalidGroupId);
  fetch.mutable_offset_fetch_request()->mutable_groups(0)->set_group_id("");
  EXPECT_EQ(world.error(world.send("A1", fetch)), ErrorCode::kNone);
  wire::Frame commit;
  auto* const topic = commit.mutable_offset_commit_request()->add_topics();
  topic->set_name("orders");
  topic->add_partitions()->set_partition_index(0);
  topic->mutable_partitions(0)->set_committed_offset(1);
  EXPECT_EQ(world.error(world.send("A1", commit)), ErrorCode::kInvalidGroupId);
  commit.mutable_offset_commit_request()->set_group_id("");
  EXPECT_EQ(world.error(world.send("A1", commit)), ErrorCode::kNone);
}

TEST(GroupOffsets, OfADeadGroupAreNotThere) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"});
  world.commit(members[0], 1, "orders", 0, 9);
  Turn turn{Tick(world.now()), {}, {}};
  world.core().groups().unload("billing", turn);
  EXPECT_EQ(world.committed("orders", 0), -1);
}

TEST_F(OffsetRetention, IsInTheLog) {
  world_.commit({"A1", ""}, -1, "orders", 0, 9);
  world_.pass(60);
  ASSERT_EQ(world_.state(), "A");
  world_.restart();
  EXPECT_EQ(world_.state(), "A");
  EXPECT_EQ(world_.committed("orders", 0), -1);
}

TEST_F(OffsetRetention, ARemovedGroupStartsAgainAtGenerationZero) {
  world_.leave(world_.stable_group({"C1"}));
  ASSERT_EQ(world_.generation(), 2);
  world_.pass(10);
  ASSERT_EQ(world_.state(), "A");
  world_.stable_group({"C1"});
  EXPECT_EQ(world_.generation(), 1);
}

TEST_F(OffsetRetention, ABrokerWithoutGroupsDoesNotWake) {
  EXPECT_FALSE(world_.core().next_deadline().has_value());
}

}  // namespace
}  // namespace fencepost::broker
