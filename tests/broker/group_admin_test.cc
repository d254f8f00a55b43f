// DescribeGroups, ListGroups, DeleteGroups, OffsetDelete (group-protocol 2.10, 1.9). Their errors
// by the state of the group are rows of the table in broker/core/group_table.cc.
#include <gtest/gtest.h>

#include "broker/core/coordinator_key.h"
#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

wire::DescribeGroupsResponse::Group describe(GroupWorld& world, const std::string& group) {
  wire::Frame frame;
  frame.mutable_describe_groups_request()->add_groups(group);
  return world.answer(world.send("A1", frame))->describe_groups_response().groups(0);
}

std::vector<std::string> list(GroupWorld& world, const std::vector<std::string>& states = {},
                              const std::vector<std::string>& types = {}) {
  wire::Frame frame;
  auto* const request = frame.mutable_list_groups_request();
  for (const std::string& state : states) request->add_states_filter(state);
  for (const std::string& type : types) request->add_types_filter(type);
  std::vector<std::string> groups;
  const auto answer = world.answer(world.send("A1", frame));
  for (const auto& group : answer->list_groups_response().groups()) {
    groups.push_back(group.group_id() + " " + group.protocol_type() + " " + group.group_state() +
                     " " + group.group_type());
  }
  return groups;
}

ErrorCode delete_group(GroupWorld& world, const std::string& group) {
  wire::Frame frame;
  frame.mutable_delete_groups_request()->add_groups_names(group);
  const auto answer = world.answer(world.send("A1", frame));
  return error_from_wire(answer->delete_groups_response().results(0).error_code());
}

wire::OffsetDeleteResponse delete_offsets(GroupWorld& world,
                                          const std::vector<TopicPartition>& partitions) {
  wire::Frame frame;
  auto* const request = frame.mutable_offset_delete_request();
  request->set_group_id("billing");
  for (const TopicPartition& where : partitions) {
    auto* const topic = request->add_topics();
    topic->set_name(where.topic);
    topic->add_partitions()->set_partition_index(where.partition.value());
  }
  return world.answer(world.send("A1", frame))->offset_delete_response();
}

ErrorCode delete_offset(GroupWorld& world, const std::string& topic, std::int32_t partition) {
  const wire::OffsetDeleteResponse answer =
      delete_offsets(world, {{topic, PartitionId(partition)}});
  if (answer.error_code() != 0) return error_from_wire(answer.error_code());
  return error_from_wire(answer.topics(0).partitions(0).error_code());
}

JoinTerms subscribed_to(const std::string& topic) {
  wire::ConsumerProtocolSubscription subscription;
  subscription.add_topics(topic);
  JoinTerms terms;
  terms.metadata = subscription.SerializeAsString();
  return terms;
}

TEST(DescribeGroups, ShowsProtocolMetadataAndAssignmentsOfAStableGroup) {
  GroupWorld world;
  JoinTerms terms;
  terms.instance = "i1";
  const std::int32_t join = world.join({"C1", ""}, terms);
  world.settle();
  const TestMember c1{"C1", world.joined(join).member_id()};
  world.sync(c1, 1, {{c1.id, "mine"}});
  const auto group = describe(world, "billing");
  EXPECT_EQ(group.error_code(), 0);
  EXPECT_EQ(group.group_id(), "billing");
  EXPECT_EQ(group.group_state(), "Stable");
  EXPECT_EQ(group.protocol_type(), "consumer");
  EXPECT_EQ(group.protocol_data(), "range");
  ASSERT_EQ(group.members_size(), 1);
  EXPECT_EQ(group.members(0).member_id(), c1.id);
  EXPECT_EQ(group.members(0).group_instance_id(), "i1");
  EXPECT_EQ(group.members(0).client_id(), "C1");
  EXPECT_EQ(group.members(0).client_host(), "/C1");
  EXPECT_EQ(group.members(0).member_metadata(), "m");
  EXPECT_EQ(group.members(0).member_assignment(), "mine");
}

TEST(DescribeGroups, ShowsNoProtocolWhileRebalancingButTheOldAssignment) {
  GroupWorld world;
  const auto members = world.stable_group({"C1", "C2"});
  world.join(members[0]);
  const auto preparing = describe(world, "billing");
  EXPECT_EQ(preparing.group_state(), "PreparingRebalance");
  EXPECT_EQ(preparing.protocol_type(), "consumer");
  EXPECT_EQ(preparing.protocol_data(), "");
  EXPECT_EQ(preparing.members(1).member_metadata(), "");
  EXPECT_EQ(preparing.members(1).member_assignment(), "of C2");
  world.join(members[1]);
  const auto completing = describe(world, "billing");
  EXPECT_EQ(completing.group_state(), "CompletingRebalance");
  EXPECT_EQ(completing.protocol_data(), "");
}

TEST(DescribeGroups, ShowsNoReservedIds) {
  GroupWorld world;
  world.reserve("C1");
  EXPECT_EQ(describe(world, "billing").group_state(), "Empty");
  EXPECT_EQ(describe(world, "billing").members_size(), 0);
}

TEST(DescribeGroups, CallsAnAbsentGroupDead) {
  GroupWorld world;
  const auto group = describe(world, "nobody");
  EXPECT_EQ(group.error_code(), 0);
  EXPECT_EQ(group.group_state(), "Dead");
  EXPECT_EQ(describe(world, "").group_state(), "Dead");
  EXPECT_EQ(world.state(), "A");
}

TEST(ListGroups, ListsByStateAndTypeWithoutRegardToCase) {
  GroupWorld world;
  world.stable_group({"C1"});
  wire::Frame frame;
  auto* const commit = frame.mutable_offset_commit_request();
  commit->set_group_id("a-simple-one");
  commit->add_topics()->set_name("orders");
  auto* const partition = commit->mutable_topics(0)->add_partitions();
  partition->set_partition_index(0);
  partition->set_committed_offset(1);
  world.send("A1", frame);
  const std::vector<std::string> both = {"a-simple-one  Empty classic",
                                         "billing consumer Stable classic"};
  EXPECT_EQ(list(world), both);
  EXPECT_EQ(list(world, {"stable", "EMPTY"}, {"Classic"}), both);
  EXPECT_EQ(list(world, {"sTABLE"}), std::vector<std::string>{both[1]});
  EXPECT_EQ(list(world, {"Dead"}), std::vector<std::string>{});
  EXPECT_EQ(list(world, {"Stabl"}), std::vector<std::string>{});
  EXPECT_EQ(list(world, {}, {"consumer"}), std::vector<std::string>{});
}

TEST(DeleteGroups, RemovesAnEmptyGroupWithItsOffsetsForGood) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"});
  world.commit(members[0], 1, "orders", 0, 5);
  EXPECT_EQ(delete_group(world, "billing"), ErrorCode::kNonEmptyGroup);
  world.leave(members);
  EXPECT_EQ(delete_group(world, "billing"), ErrorCode::kNone);
  EXPECT_EQ(world.state(), "A");
  EXPECT_EQ(world.committed("orders", 0), -1);
  EXPECT_EQ(delete_group(world, "billing"), ErrorCode::kGroupIdNotFound);
  world.restart();
  EXPECT_EQ(world.state(), "A");
  EXPECT_EQ(world.committed("orders", 0), -1);
  world.stable_group({"C1"});
  EXPECT_EQ(world.generation(), 1) << "a new group counts anew";
}

TEST(DeleteGroups, ForgetsReservedIds) {
  GroupWorld world;
  const TestMember c1 = world.reserve("C1");
  EXPECT_EQ(delete_group(world, "billing"), ErrorCode::kNone);
  EXPECT_EQ(world.error(world.join(c1)), ErrorCode::kUnknownMemberId);
  const TestMember again = world.reserve("C1");
  world.pass(9);
  world.join(again);
  world.pass(5);
  EXPECT_EQ(world.state(), "C") << "the session of the forgotten id has no effect";
}

TEST(DeleteGroups, AnswersEachGroupOnce) {
  GroupWorld world;
  wire::Frame frame;
  for (const char* name : {"x", "y", "x"}) {
    frame.mutable_delete_groups_request()->add_groups_names(name);
  }
  const auto answer = world.answer(world.send("A1", frame));
  EXPECT_EQ(answer->delete_groups_response().results_size(), 2);
}

TEST(OffsetDelete, RemovesWhatIsNotSubscribed) {
  GroupWorld world;
  const auto members = world.stable_group({"C1"}, subscribed_to("orders"));
  for (const char* topic : {"orders", "payments"}) world.commit(members[0], 1, topic, 0, 5);
  EXPECT_EQ(delete_offset(world, "orders", 0), ErrorCode::kGroupSubscribedToTopic);
  EXPECT_EQ(delete_offset(world, "payments", 0), ErrorCode::kNone);
  EXPECT_EQ(delete_offset(world, "payments", 1), ErrorCode::kNone) << "there was none";
  EXPECT_EQ(delete_offset(world, "nowhere", 0), ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(delete_offset(world, "orders", 9), ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(world.committed("orders", 0), 5);
  EXPECT_EQ(world.committed("payments", 0), -1);
  const auto removed = world.events_named(events::kOffsetRemoved);
  ASSERT_EQ(removed.size(), 1U);
  EXPECT_EQ(events::value_of(removed[0], "reason"), "deleted by A1");
}

TEST(OffsetDelete, KnowsTheSubscriptionAlsoAfterARestartAndWhileRebalancing) {
  GroupWorld world;
  const auto members = world.stable_group({"C1", "C2"}, subscribed_to("orders"));
  world.restart();
  EXPECT_EQ(delete_offset(world, "orders", 0), ErrorCode::kGroupSubscribedToTopic);
  EXPECT_EQ(delete_offset(world, "payments", 0), ErrorCode::kNone);
  world.join(members[0], subscribed_to("payments"));
  ASSERT_EQ(world.state(), "P");
  EXPECT_EQ(delete_offset(world, "orders", 0), ErrorCode::kGroupSubscribedToTopic);
  EXPECT_EQ(delete_offset(world, "payments", 0), ErrorCode::kNone) << "not before the phase ends";
}

TEST(OffsetDelete, OfAGroupOfConsumersThatNobodyCanReadCountsAsSubscribed) {
  GroupWorld world;
  world.join(world.reserve("C1"));
  EXPECT_EQ(world.state(), "P");
  EXPECT_EQ(delete_offset(world, "orders", 0), ErrorCode::kGroupSubscribedToTopic);
}

TEST(OffsetDelete, NeedsAnEmptyGroupIfItsMembersAreNoConsumers) {
  GroupWorld world;
  JoinTerms connect;
  connect.type = "connect";
  const TestMember c1 = world.reserve("C1", connect);
  world.join(c1, connect);
  world.settle();
  EXPECT_EQ(delete_offset(world, "orders", 0), ErrorCode::kNonEmptyGroup);
  world.leave({c1});
  EXPECT_EQ(delete_offset(world, "orders", 0), ErrorCode::kNone);
}

TEST(GroupAdmin, IsRefusedByABrokerThatDoesNotCoordinateTheGroup) {
  BrokerConfig config = test_config();
  config.cluster = {"B1", "B2"};
  config.index =
      config.leader_index(offsets_partition_of("billing", config).partition) == 0 ? 1 : 0;
  config.name = config.cluster[config.index];
  GroupWorld world(config);
  EXPECT_EQ(describe(world, "billing").error_code(), to_wire(ErrorCode::kNotCoordinator));
  EXPECT_EQ(delete_group(world, "billing"), ErrorCode::kNotCoordinator);
  EXPECT_EQ(delete_offset(world, "orders", 0), ErrorCode::kNotCoordinator);
  EXPECT_EQ(list(world), std::vector<std::string>{});
}

}  // namespace
}  // namespace fencepost::broker
