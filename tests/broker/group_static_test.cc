// Static membership at the coordinator (KIP-345, KIP-814; group-protocol 4).
#include <gtest/gtest.h>

#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

JoinTerms with_instance(const std::string& instance) {
  JoinTerms terms;
  terms.instance = instance;
  return terms;
}

class StaticMembership : public testing::Test {
 protected:
  // C1 (static, leads) and C2 (static), Stable in generation 1.
  void SetUp() override {
    const std::int32_t join1 = world_.join({"C1", ""}, with_instance("i1"));
    const std::int32_t join2 = world_.join({"C2", ""}, with_instance("i2"));
    world_.settle();
    c1_ = {"C1", world_.joined(join1).member_id()};
    c2_ = {"C2", world_.joined(join2).member_id()};
    world_.sync(c1_, 1, {{c1_.id, "one"}, {c2_.id, "two"}});
    world_.sync(c2_, 1);
    ASSERT_EQ(world_.state(), "S");
  }

  GroupWorld world_;
  TestMember c1_;
  TestMember c2_;
};

TEST_F(StaticMembership, JoinsInOneStepWithAnIdOfItsInstance) {
  EXPECT_EQ(c1_.id.substr(0, 3), "i1-");
}

TEST_F(StaticMembership, AReturningMemberKeepsItsAssignmentWithoutARebalance) {
  const wire::JoinGroupResponse back = world_.joined(world_.join({"C2", ""}, with_instance("i2")));
  EXPECT_EQ(back.error_code(), 0);
  EXPECT_EQ(back.generation_id(), 1);
  EXPECT_NE(back.member_id(), c2_.id);
  EXPECT_EQ(world_.state(), "S");
  EXPECT_EQ(world_.synced(world_.sync({"C2", back.member_id()}, 1)).assignment(), "two");
}

TEST_F(StaticMembership, AReturningLeaderIsToldToSkipTheAssignment) {
  const wire::JoinGroupResponse back = world_.joined(world_.join({"C1", ""}, with_instance("i1")));
  EXPECT_TRUE(back.skip_assignment());
  EXPECT_EQ(back.leader(), back.member_id());
  EXPECT_EQ(back.members_size(), 2);
  EXPECT_EQ(world_.state(), "S");
}

TEST_F(StaticMembership, TheOldIdIsFencedWithItsInstanceAndUnknownWithoutIt) {
  world_.join({"C2", ""}, with_instance("i2"));
  EXPECT_EQ(world_.error(world_.heartbeat(c2_, 1, "i2")), ErrorCode::kFencedInstanceId);
  EXPECT_EQ(world_.error(world_.heartbeat(c2_, 1)), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(world_.error(world_.heartbeat(c2_, 1, "i9")), ErrorCode::kUnknownMemberId);
}

TEST_F(StaticMembership, TheReplacementIsInTheLog) {
  const wire::JoinGroupResponse back = world_.joined(world_.join({"C2", ""}, with_instance("i2")));
  world_.restart();
  EXPECT_EQ(world_.error(world_.heartbeat({"C2", back.member_id()}, 1, "i2")), ErrorCode::kNone);
}

TEST_F(StaticMembership, R32AReturnWithAnotherListAndTheSameVoteDoesNotRebalance) {
  JoinTerms other = with_instance("i2");
  other.protocols = {"range", "sticky"};
  world_.join({"C2", ""}, other);
  EXPECT_EQ(world_.state(), "S") << "range is still what all list";
}

TEST(StaticMembershipVote, R33AReturnThatChangesTheVoteRebalances) {
  GroupWorld world;
  JoinTerms terms = with_instance("i1");
  terms.protocols = {"range", "sticky"};
  const std::int32_t join = world.join({"C1", ""}, terms);
  world.settle();
  world.sync({"C1", world.joined(join).member_id()}, 1, {});
  ASSERT_EQ(world.state(), "S");
  terms.protocols = {"sticky", "range"};
  const wire::JoinGroupResponse back = world.joined(world.join({"C1", ""}, terms));
  EXPECT_EQ(back.generation_id(), 2) << "it is alone, so the phase ends at once";
  EXPECT_EQ(back.protocol_name(), "sticky");
}

TEST_F(StaticMembership, T22AReturnWithAnotherSubscriptionDoesNotRebalance) {
  JoinTerms other = with_instance("i2");
  other.metadata = "other topics";
  const wire::JoinGroupResponse back = world_.joined(world_.join({"C2", ""}, other));
  EXPECT_EQ(back.generation_id(), 1);
  EXPECT_EQ(world_.state(), "S");
  world_.join(c1_, with_instance("i1"));
  EXPECT_EQ(world_.state(), "P");
}

TEST_F(StaticMembership, AReturningMemberHasItsOwnSessionAndTheClientOfTheFirst) {
  JoinTerms longer = with_instance("i2");
  longer.session_ms = 20'000;
  const wire::JoinGroupResponse back = world_.joined(world_.join({"C7", ""}, longer));
  const Member& member = world_.group()->members.at(MemberId(back.member_id()));
  EXPECT_EQ(member.client_id, "C2");
  EXPECT_EQ(member.session_timeout_ms, 20'000);
  world_.pass(9);
  world_.heartbeat(c1_, 1, "i1");
  world_.heartbeat({"C7", back.member_id()}, 1, "i2");
  world_.pass(9);
  world_.heartbeat(c1_, 1, "i1");
  world_.pass(9);
  EXPECT_EQ(world_.state(), "S") << "18 ticks after its heartbeat";
}

TEST_F(StaticMembership, ABatchOfInstancesIsRemovedWithOneRebalanceAndErrorsByEntry) {
  wire::Frame frame;
  auto* const request = frame.mutable_leave_group_request();
  request->set_group_id("billing");
  for (const char* instance : {"i1", "i7", "i2"}) {
    request->add_members()->set_group_instance_id(instance);
  }
  const auto answer = world_.answer(world_.send("A1", frame))->leave_group_response();
  EXPECT_EQ(answer.error_code(), 0);
  EXPECT_EQ(answer.members(0).error_code(), 0);
  EXPECT_EQ(answer.members(1).error_code(), to_wire(ErrorCode::kUnknownMemberId));
  EXPECT_EQ(answer.members(2).error_code(), 0);
  EXPECT_EQ(answer.members(2).group_instance_id(), "i2");
  EXPECT_EQ(world_.state(), "E");
  EXPECT_EQ(world_.generation(), 2) << "one rebalance";
}

TEST_F(StaticMembership, AReturnInCompletingStartsAnotherRebalance) {
  world_.join(c1_, with_instance("i1"));
  world_.join(c2_, with_instance("i2"));
  ASSERT_EQ(world_.state(), "C");
  const std::int32_t sync = world_.sync(c2_, 2, {}, "i2");
  EXPECT_TRUE(world_.parked(sync));
  world_.join({"C2", ""}, with_instance("i2"));
  EXPECT_EQ(world_.error(sync), ErrorCode::kFencedInstanceId);
  EXPECT_EQ(world_.state(), "P");
}

TEST_F(StaticMembership, AReturnInPreparingCountsAsRejoined) {
  const std::int32_t join = world_.join(c1_, with_instance("i1"));
  const std::int32_t back = world_.join({"C2", ""}, with_instance("i2"));
  EXPECT_EQ(world_.joined(join).generation_id(), 2);
  EXPECT_EQ(world_.joined(back).generation_id(), 2);
}

TEST_F(StaticMembership, T21AnAbsentMemberKeepsItsPlaceAcrossRebalances) {
  JoinTerms patient = with_instance("i1");
  patient.session_ms = 60'000;
  patient.rebalance_ms = 5'000;
  world_.join(c1_, patient);  // C2's rebalance timeout of 30 ticks counts
  world_.pass(9);
  EXPECT_EQ(world_.state(), "P");
  EXPECT_EQ(world_.error(world_.heartbeat(c2_, 1, "i2")), ErrorCode::kRebalanceInProgress);
  world_.pass(9);
  world_.heartbeat(c2_, 1, "i2");
  world_.pass(9);
  world_.heartbeat(c2_, 1, "i2");
  world_.pass(3);
  EXPECT_EQ(world_.state(), "C");
  EXPECT_EQ(world_.group()->members.size(), 2U);
}

TEST_F(StaticMembership, T21OnlyAbsentMembersKeepTheJoinPhaseGoing) {
  BrokerConfig config = test_config();
  GroupWorld world(config);
  JoinTerms terms = with_instance("i1");
  terms.session_ms = 100'000;
  terms.rebalance_ms = 10'000;
  const std::int32_t join = world.join({"C1", ""}, terms);
  world.settle();
  const TestMember c1{"C1", world.joined(join).member_id()};
  world.sync(c1, 1, {});
  const TestMember c2 = world.reserve("C2", {.rebalance_ms = 10'000});
  world.join(c2, {.rebalance_ms = 10'000});
  world.leave({c2});
  EXPECT_EQ(world.state(), "P");
  world.pass(50);
  EXPECT_EQ(world.state(), "P");
  world.pass(60);
  EXPECT_EQ(world.state(), "E");
}

TEST_F(StaticMembership, AnAdminRemovesAMemberByItsInstance) {
  wire::Frame frame;
  frame.mutable_leave_group_request()->set_group_id("billing");
  frame.mutable_leave_group_request()->add_members()->set_group_instance_id("i2");
  EXPECT_EQ(world_.error(world_.send("A1", frame)), ErrorCode::kNone);
  EXPECT_EQ(world_.state(), "P");
  EXPECT_FALSE(world_.group()->members.contains(MemberId(c2_.id)));
}

TEST_F(StaticMembership, T22AReplacementTakesTheOldIdsPlaceAmongThoseWhoMustSync) {
  world_.join(c1_, with_instance("i1"));
  world_.join(c2_, with_instance("i2"));
  world_.sync(c1_, 2, {}, "i1");
  ASSERT_EQ(world_.state(), "S");
  const wire::JoinGroupResponse back = world_.joined(world_.join({"C2", ""}, with_instance("i2")));
  EXPECT_EQ(world_.group()->pending_sync, std::set<MemberId>{MemberId(back.member_id())});
}

}  // namespace
}  // namespace fencepost::broker
