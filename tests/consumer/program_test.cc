// The consumer as a Kafka program uses it: callbacks and what they may do, commits and the order in
// which they call back, what poll throws (group-protocol 3.2, 3.3, 3.6 to 3.8).
#include "tests/consumer/program_world.h"

#include <gtest/gtest.h>

#include "tests/common/error_replies.h"

namespace fencepost::consumer {
namespace {

using Notes = std::vector<std::string>;
const std::vector<std::string> kOrders{"orders"};
const TopicPartition kO0{"orders", PartitionId(0)};
const std::string kAll = "orders-0,orders-1,orders-2";

Settings cooperative() { return {{"partition.assignment.strategy", "cooperative-sticky"}}; }

ClientWorld::Script assignment_of(const TopicPartitions& partitions) {
  return [partitions](const wire::Frame&) {
    wire::ConsumerProtocolAssignment assignment;
    write_partitions(partitions, assignment.mutable_assigned_partitions());
    assignment.set_version(0);
    Reply reply;
    reply.frame.emplace().mutable_sync_group_response()->set_assignment(
        assignment.SerializeAsString());
    return reply;
  };
}

std::int32_t generation_of(const ClientWorld::Sent& commit) {
  return commit.frame.offset_commit_request().generation_id();
}

// ---- callbacks ----

Task<void> rejoins_once(TestProgram& program) {
  program.consumer.subscribe(kOrders, &program);
  co_await program.poll(14);
  program.consumer.enforce_rebalance();
  co_await program.poll(14);
}

TEST(Callbacks, EagerRevokesAllBeforeItJoinsAndIsAssignedAllAfter) {
  ProgramWorld world(&rejoins_once);
  world.run_to(60);
  EXPECT_EQ(world.notes(), (Notes{"assigned " + kAll, "revoked " + kAll, "assigned " + kAll}));
}

TEST(Callbacks, EagerRevokesAlsoNothing) {
  ProgramWorld world(&rejoins_once);
  world.next(Api::kSyncGroupRequest, assignment_of({}));
  world.run_to(60);
  EXPECT_EQ(world.notes(), (Notes{"assigned ", "revoked ", "assigned " + kAll}));
}

TEST(Callbacks, CooperativeRevokesOnlyWhatIsNotAssignedAnyMoreAndIsAlwaysAssignedTheRest) {
  ProgramWorld world(&rejoins_once, cooperative());
  world.run_to(13);
  world.next(Api::kSyncGroupRequest, assignment_of({kO0}));
  world.next(Api::kSyncGroupRequest, assignment_of({kO0}));
  world.run_to(60);
  EXPECT_EQ(world.notes(),
            (Notes{"assigned " + kAll, "revoked orders-1,orders-2", "assigned ", "assigned "}));
  const auto joins = world.requests_of(Api::kJoinGroupRequest);
  ASSERT_EQ(joins.size(), 4U) << "a revocation is followed by another join";
  EXPECT_EQ(joins[3].frame.join_group_request().reason(), "need to revoke partitions and re-join");
}

Task<void> commits_on_revoke(TestProgram& program) {
  program.commits_on_revoke = true;
  co_await rejoins_once(program);
}

TEST(Callbacks, ACommitInEagersRevocationCarriesTheOldGeneration) {
  ProgramWorld world(&commits_on_revoke);
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(60);
  const auto commits = world.requests_of(Api::kOffsetCommitRequest);
  ASSERT_EQ(commits.size(), 1U);
  EXPECT_EQ(generation_of(commits[0]), 1);
  EXPECT_LE(commits[0].tick + 2, world.requests_of(Api::kJoinGroupRequest)[2].tick)
      << "the join waits for the callback";
}

TEST(Callbacks, ACommitInCooperativesRevocationCarriesTheNewGeneration) {
  ProgramWorld world(&commits_on_revoke, cooperative());
  world.run_to(13);
  world.next(Api::kSyncGroupRequest, assignment_of({kO0}));
  world.run_to(60);
  const auto commits = world.requests_of(Api::kOffsetCommitRequest);
  ASSERT_EQ(commits.size(), 1U);
  EXPECT_EQ(generation_of(commits[0]), 2);
  EXPECT_EQ(world.notes()[2], "ok");
}

Task<void> seeks_when_assigned(TestProgram& program) {
  program.seeks[kO0] = Offset(1);
  program.consumer.subscribe(kOrders, &program);
  co_await program.poll(14);
}

TEST(Callbacks, ASeekWhenAssignedWinsOverTheCommittedOffset) {
  ProgramWorld world(&seeks_when_assigned);
  world.broker().write("orders", 0, {"o0.0", "o0.1", "o0.2"});
  world.broker().committed[{"orders", 0}] = 2;
  world.run_to(60);
  EXPECT_EQ(world.notes(), (Notes{"assigned " + kAll, "o0.1", "o0.2"}));
}

Task<void> throws_when_assigned(TestProgram& program) {
  program.throws_on_assigned = 2;
  program.consumer.subscribe(kOrders, &program);
  co_await program.poll(20);
}

TEST(Callbacks, WhatTheyThrowComesOutOfPollAndTheNextPollCompletesTheJoinAgain) {
  for (const Settings& settings : {Settings{}, cooperative()}) {
    ProgramWorld world(&throws_when_assigned, settings);
    world.broker().write("orders", 0, {"o0.0"});
    world.run_to(60);
    EXPECT_EQ(world.notes(), (Notes{"assigned " + kAll, "KafkaException", "assigned ",
                                    "KafkaException", "assigned ", "o0.0"}));
    EXPECT_EQ(world.requests_of(Api::kJoinGroupRequest).size(), 2U);
  }
}

Task<void> throws_when_revoked(TestProgram& program) {
  program.throws_on_revoke = true;
  co_await rejoins_once(program);
}

TEST(Callbacks, WhatTheRevocationThrowsUndoesNothing) {
  ProgramWorld world(&throws_when_revoked);
  world.run_to(60);
  EXPECT_EQ(world.notes(),
            (Notes{"assigned " + kAll, "revoked " + kAll, "KafkaException", "assigned " + kAll}));
}

TEST(Callbacks, AnAssignmentOfAnotherTopicIsNotTakenOverAndIsJoinedAgain) {
  ProgramWorld world(&rejoins_once);
  world.next(Api::kSyncGroupRequest, assignment_of({{"payments", PartitionId(0)}}));
  world.run_to(13);
  EXPECT_EQ(world.notes(), (Notes{"revoked ", "assigned " + kAll}));
  const auto joins = world.requests_of(Api::kJoinGroupRequest);
  ASSERT_EQ(joins.size(), 3U);
  EXPECT_EQ(joins[2].frame.join_group_request().reason(),
            "received assignment of a topic outside the subscription");
}

Task<void> unsubscribes_in_a_rebalance(TestProgram& program) {
  program.consumer.subscribe(kOrders, &program);
  co_await program.poll(14);
  program.consumer.enforce_rebalance();
  co_await program.poll(1);
  co_await program.consumer.unsubscribe();
  co_await program.poll(5);
}

TEST(Callbacks, UnsubscribeInARebalanceLosesWhatIsOwned) {
  ProgramWorld world(&unsubscribes_in_a_rebalance, cooperative());
  world.run_to(60);
  EXPECT_EQ(world.notes(), (Notes{"assigned " + kAll, "lost " + kAll}));
  EXPECT_EQ(world.requests_of(Api::kLeaveGroupRequest).size(), 1U);
}

TEST(Poll, ThrowsEveryTimeWhereTheLeaderForgotTheMember) {
  ProgramWorld world(&rejoins_once);
  world.next(Api::kSyncGroupRequest, [](const wire::Frame&) {
    Reply reply;
    reply.frame.emplace().mutable_sync_group_response();
    return reply;
  });
  world.run_to(11);
  EXPECT_GE(world.notes().size(), 2U);
  EXPECT_EQ(world.notes()[0], "IllegalStateException");
  EXPECT_EQ(world.notes()[1], "IllegalStateException");
}

// ---- commits ----

CommitCallback noting(TestProgram& program, std::string name) {
  return [&program, name](const Offsets&, const std::optional<ClientError>& error) {
    program.note(name + " " + (error ? std::string(error->exception) : "done"));
  };
}

Task<void> commits_async_then_sync(TestProgram& program) {
  program.consumer.subscribe(kOrders, nullptr);
  co_await program.poll(14);
  CommitCallback first = noting(program, "first");
  CommitCallback second = noting(program, "second");
  program.consumer.commit_async(first);
  program.consumer.commit_async(second);
  const ClientResult<void> committed = co_await program.consumer.commit_sync();
  program.note_error(committed);
  CommitCallback third = noting(program, "third");
  program.consumer.commit_async(third);
  program.note("polls");
  co_await program.poll(4);
}

TEST(AsyncCommits, CallBackInTheirOrderBeforeALaterCommitSyncReturnsOrInALaterPoll) {
  ProgramWorld world(&commits_async_then_sync);
  world.run_to(60);
  EXPECT_EQ(world.notes(), (Notes{"first done", "second done", "ok", "polls", "third done"}));
}

TEST(AsyncCommits, AreOneAttemptAndSayThatTheyMayBeRepeated) {
  ProgramWorld world(&commits_async_then_sync);
  world.next(Api::kOffsetCommitRequest, refuse(ErrorCode::kCoordinatorLoadInProgress));
  world.run_to(60);
  EXPECT_EQ(world.notes()[0], "first RetriableCommitFailedException");
  EXPECT_EQ(world.requests_of(Api::kOffsetCommitRequest).size(), 4U);
}

Task<void> commits_nothing(TestProgram& program) {
  program.consumer.subscribe(kOrders, nullptr);
  CommitCallback empty = noting(program, "empty");
  program.consumer.commit_async(empty);
  const ClientResult<void> committed = co_await program.consumer.commit_sync();
  program.note_error(committed);
}

TEST(Commits, OfNothingSucceedWithoutARequestInAnyState) {
  ProgramWorld world(&commits_nothing);
  world.run_to(20);
  EXPECT_EQ(world.notes(), (Notes{"empty done", "ok"}));
  EXPECT_TRUE(world.requests_of(Api::kOffsetCommitRequest).empty());
}

Task<void> commits_async_and_polls(TestProgram& program) {
  program.consumer.subscribe(kOrders, nullptr);
  co_await program.poll(14);
  CommitCallback async = noting(program, "async");
  program.consumer.commit_async(async);
  co_await program.poll(3);
  const ClientResult<void> committed = co_await program.consumer.commit_sync();
  program.note_error(committed);
}

TEST(AsyncCommits, OneThatIsFencedIsThrownByTheNextPollAndCommit) {
  ProgramWorld world(&commits_async_and_polls, Settings{{"group.instance.id", "i1"}});
  world.next(Api::kOffsetCommitRequest, refuse(ErrorCode::kFencedInstanceId));
  world.run_to(60);
  ASSERT_GE(world.notes().size(), 3U);
  EXPECT_EQ(world.notes()[0], "async FencedInstanceIdException");
  EXPECT_EQ(world.notes()[1], "FencedInstanceIdException");
  EXPECT_EQ(world.notes().back(), "FencedInstanceIdException");
  EXPECT_EQ(world.requests_of(Api::kOffsetCommitRequest).size(), 1U);
}

Task<void> commits_by_hand(TestProgram& program) {
  const TopicPartitions mine{kO0};
  program.consumer.assign(mine);
  co_await program.poll(10);
  const ClientResult<void> committed = co_await program.consumer.commit_sync();
  program.note_error(committed);
  const ClientResult<void> subscribed = program.consumer.subscribe(kOrders);
  program.note_error(subscribed);
}

TEST(Commits, OfAssignedPartitionsCarryNoIdentity) {
  ProgramWorld world(&commits_by_hand, Settings{{"group.instance.id", "i1"}});
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(30);
  EXPECT_EQ(world.notes(), (Notes{"o0.0", "ok", "IllegalStateException"}));
  const auto commits = world.requests_of(Api::kOffsetCommitRequest);
  ASSERT_EQ(commits.size(), 1U);
  const wire::OffsetCommitRequest& commit = commits[0].frame.offset_commit_request();
  EXPECT_EQ(commit.generation_id(), -1);
  EXPECT_EQ(commit.member_id(), "");
  EXPECT_FALSE(commit.has_group_instance_id());
  EXPECT_TRUE(world.requests_of(Api::kJoinGroupRequest).empty());
}

Task<void> assigns_twice(TestProgram& program) {
  const TopicPartitions first{kO0};
  const TopicPartitions second{{"orders", PartitionId(1)}};
  program.consumer.assign(first);
  co_await program.poll(10);
  co_await program.client.time().sleep_for(TickSpan(6), "work");
  program.consumer.assign(second);
  co_await program.poll(2);
}

TEST(AutoCommit, ANewAssignCommitsWhatIsUnassignedIfTheTimeHasCome) {
  ProgramWorld world(&assigns_twice, Settings{{"enable.auto.commit", "true"}});
  world.broker().write("orders", 0, {"o0.0"});
  world.run_to(40);
  EXPECT_EQ((world.broker().committed[{"orders", 0}]), 1);
}

Task<void> commits_sync_once(TestProgram& program) {
  program.consumer.subscribe(kOrders, nullptr);
  co_await program.poll(14);
  const ClientResult<void> committed = co_await program.consumer.commit_sync();
  program.note_error(committed);
}

TEST(Commits, GiveUpAfterTheApiTimeout) {
  ProgramWorld world(&commits_sync_once, Settings{{"default.api.timeout.ms", "5000"}});
  world.always(Api::kOffsetCommitRequest, refuse(ErrorCode::kCoordinatorLoadInProgress));
  world.run_to(60);
  EXPECT_EQ(world.notes(), (Notes{"TimeoutException"}));
}

}  // namespace
}  // namespace fencepost::consumer
