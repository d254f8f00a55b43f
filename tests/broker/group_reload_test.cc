// kill -9 of the broker in every state of a group: what its log brings back (group-protocol 1.8).
#include <gtest/gtest.h>

#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

TEST(GroupReload, InTheInitialWaitBringsBackAnEmptyGroup) {
  BrokerConfig config = test_config();
  config.initial_delay_ms = 3000;
  GroupWorld world(config);
  const TestMember c1 = world.reserve("C1");
  const std::int32_t join = world.join(c1);
  world.restart();
  EXPECT_EQ(world.state(), "E");
  EXPECT_EQ(world.generation(), 0);
  EXPECT_TRUE(world.parked(join)) << "its client's timeout has to end it";
  world.pass(100);
  EXPECT_EQ(world.error(world.join(c1)), ErrorCode::kUnknownMemberId);
}

TEST(GroupReload, InTheFirstCompletingBringsBackAnEmptyGroupThatIssuesTheNumberAgain) {
  GroupWorld world;
  const auto before = world.completing_group({"C1", "C2"});
  ASSERT_EQ(world.generation(), 1);
  world.restart();
  EXPECT_EQ(world.state(), "E");
  EXPECT_EQ(world.error(world.sync(before[0], 1)), ErrorCode::kUnknownMemberId);
  world.stable_group({"C3"});
  EXPECT_EQ(world.generation(), 1) << "issued a second time, to another member";
}

TEST(GroupReload, InPreparingBringsBackTheStableGroupBefore) {
  GroupWorld world;
  const auto members = world.stable_group({"C1", "C2"});
  world.join(members[0]);
  world.join(world.reserve("C3"));
  world.restart();
  EXPECT_EQ(world.state(), "S");
  EXPECT_EQ(world.generation(), 1);
  EXPECT_EQ(world.group()->members.size(), 2U);
  EXPECT_TRUE(world.group()->pending_join.empty());
  EXPECT_TRUE(world.group()->pending_sync.empty());
  EXPECT_EQ(world.error(world.heartbeat(members[1], 1)), ErrorCode::kNone);
}

TEST(GroupReload, InCompletingForgetsTheGenerationThatWasOut) {
  GroupWorld world;
  const auto members = world.stable_group({"C1", "C2"});
  world.join(members[0]);
  world.join(members[1]);
  ASSERT_EQ(world.generation(), 2);
  world.restart();
  EXPECT_EQ(world.state(), "S");
  EXPECT_EQ(world.error(world.sync(members[0], 2)), ErrorCode::kIllegalGeneration);
  EXPECT_EQ(world.synced(world.sync(members[0], 1)).assignment(), "of C1");
  EXPECT_EQ(world.joined(world.join(members[1])).generation_id(), 1) << "unchanged follower";
  world.join(members[0]);
  EXPECT_EQ(world.joined(world.join(members[1])).generation_id(), 2) << "the same number again";
}

TEST(GroupReload, AMemberRemovedSinceTheLastRecordIsThereAgainUntilItsSessionEnds) {
  GroupWorld world;
  const auto members = world.stable_group({"C1", "C2"});
  world.leave({members[1]});
  ASSERT_EQ(world.group()->members.size(), 1U);
  world.restart();
  EXPECT_EQ(world.group()->members.size(), 2U);
  for (int i = 0; i < 10; ++i) {
    world.heartbeat(members[0], 1);
    world.pass(1);
  }
  EXPECT_EQ(world.group()->members.size(), 1U);
}

TEST(GroupReload, AStaticMemberIsKnownByItsInstance) {
  GroupWorld world;
  JoinTerms terms;
  terms.instance = "i1";
  const std::int32_t join = world.join({"C1", ""}, terms);
  world.settle();
  const TestMember c1{"C1", world.joined(join).member_id()};
  world.sync(c1, 1, {{c1.id, "mine"}});
  world.restart();
  const wire::JoinGroupResponse back = world.joined(world.join({"C1", ""}, terms));
  EXPECT_EQ(back.generation_id(), 1) << "no rebalance";
  EXPECT_TRUE(back.skip_assignment());
  EXPECT_EQ(world.synced(world.sync({"C1", back.member_id()}, 1)).assignment(), "mine");
  EXPECT_EQ(world.error(world.heartbeat(c1, 1, "i1")), ErrorCode::kFencedInstanceId);
}

TEST(GroupReload, AnAbsentStaticMemberHasAFreshSession) {
  GroupWorld world;
  JoinTerms terms;
  terms.instance = "i1";
  const std::int32_t join = world.join({"C1", ""}, terms);
  world.settle();
  world.sync({"C1", world.joined(join).member_id()}, 1, {});
  world.pass(9);
  world.restart();
  world.pass(9);
  EXPECT_EQ(world.state(), "S");
  world.pass(1);
  EXPECT_EQ(world.state(), "E");
}

TEST(GroupReload, AnEmptyGroupsOffsetsGoOnAgeingFromWhenItBecameEmpty) {
  BrokerConfig config = test_config();
  config.retention_minutes = 1;
  config.retention_check_ms = 10'000;
  GroupWorld world(config);
  const auto members = world.stable_group({"C1"});
  world.commit(members[0], 1, "orders", 0, 5);
  world.leave(members);
  world.pass(35);
  world.restart();
  world.pass(20);
  EXPECT_EQ(world.committed("orders", 0), 5);
  world.pass(10);
  EXPECT_EQ(world.committed("orders", 0), -1);
  EXPECT_EQ(world.state(), "A");
}

}  // namespace
}  // namespace fencepost::broker
