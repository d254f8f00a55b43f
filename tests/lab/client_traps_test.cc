// The traps of group-protocol 7 that concern members and their clients, by number: whole runs,
// judged by what they expect. Those of the coordinator: tests/broker/group_traps_test.cc.
#include <gtest/gtest.h>

#include "consumer/core/assignors/assignor.h"
#include "tests/lab/judged_run.h"

namespace fencepost::lab {
namespace {

constexpr const char* kSetting =
    "tick.ms: 1000\n"
    "defaults:\n"
    "  broker: {group.initial.rebalance.delay.ms: 0}\n"
    "  consumer: {auto.offset.reset: earliest, enable.auto.commit: false, process.ms: 1000,\n"
    "    session.timeout.ms: 10000, heartbeat.interval.ms: 1000, max.poll.interval.ms: 12000,\n"
    "    max.poll.records: 3, partition.assignment.strategy: range}\n";

// Topics, processes and timeline, then what must come out.
void expect(const std::string& rest, const std::string& expected) {
  EXPECT_EQ(what_fails(kSetting + rest + "expect:\n" + expected), std::vector<std::string>());
}

// The leader is a scripted client that assigns everything to itself and does not name C1.
TEST(ClientTraps, T10AForgottenMembersPollThrows) {
  const std::string join =
      "      - request: JoinGroup\n"
      "        body: {group_id: g, member_id: \"${me}\", session_timeout_ms: 60000,\n"
      "          rebalance_timeout_ms: 60000, protocol_type: consumer,\n"
      "          protocols: [{name: range, metadata: {subscription: {topics: [orders]}}}]}\n";
  const std::string sync =
      "        body: {group_id: g, generation_id: 1, member_id: \"${me}\",\n"
      "          protocol_type: consumer, protocol_name: range, assignments:\n"
      "          [{member_id: \"${me}\", assignment: {assignment: {orders: [0]}}}]}\n";
  expect(
      "topics: {orders: 1}\n"
      "processes:\n"
      "  B1: {role: broker, group.initial.rebalance.delay.ms: 5000}\n"
      "  C1: {role: consumer, group.id: g, subscribe: orders}\n"
      "  X1:\n"
      "    role: probe\n"
      "    requests:\n"
      "      - request: JoinGroup\n"
      "        body: {group_id: g, session_timeout_ms: 60000, protocol_type: consumer,\n"
      "          protocols: [{name: range, metadata: {subscription: {topics: [orders]}}}]}\n"
      "        expect: {error_code: MEMBER_ID_REQUIRED}\n"
      "        save: {me: member_id}\n" +
          join +
          "        expect: {error_code: NONE, leader: \"${me}\", generation_id: 1}\n"
          "      - request: SyncGroup\n" +
          sync +
          "timeline: [{at: 1, start: C1}]\n"
          "until: 40\n",
      "  events: {process: C1, event: client.error, exception: IllegalStateException}\n");
}

TEST(ClientTraps, T14AStalledApplicationLearnsThatItHasLostEverythingAtItsNextPoll) {
  expect(
      "topics: {orders: 2}\n"
      "processes:\n"
      "  B1: {role: broker}\n"
      "  P1: {role: producer, records: {orders: 4}}\n"
      "  C1: {role: consumer, group.id: g, subscribe: orders}\n"
      "timeline:\n"
      "  - {when: {process: C1, event: record.processing, nth: 3},\n"
      "     slow: {process: C1, ticks: 20}}\n"
      "until: 60\n",
      "  events:\n"
      "    - {process: C1, api: LeaveGroup, count: 1}\n"
      "    - {process: C1, event: partitions.lost, count: 1}\n"
      "    - {process: C1, event: partitions.revoked, count: 0}\n"
      "  errors: {process: C1, error: CommitFailedException, count: 1}\n");
}

std::string three_on_one_partition(const std::string& strategy) {
  std::string text = "topics: {orders: 1}\nprocesses:\n  B1: {role: broker}\n";
  for (const char* name : {"C1", "C2", "C3"}) {
    text += std::string("  ") + name +
            ": {role: consumer, group.id: g, subscribe: orders, partition.assignment.strategy: " +
            strategy + "}\n";
  }
  return text + "timeline: [{at: 10, start: C2}, {at: 30, start: C3}]\nuntil: 50\n";
}

TEST(ClientTraps, T15EagerRevokesNothingAtEveryRejoinButTheFirst) {
  expect(three_on_one_partition("range"),
         "  events:\n"
         "    - {process: C1, event: partitions.revoked, count: 2}\n"
         "    - {process: C2, event: partitions.revoked, count: 1}\n"
         "    - {process: C3, event: partitions.revoked, count: 0}\n"
         "    - {process: C3, event: partitions.assigned, count: 1}\n");
}

TEST(ClientTraps, T15CooperativeRevokesOnlyWhatThereIsAndIsAlwaysAssigned) {
  expect(three_on_one_partition("cooperative-sticky"),
         "  events:\n"
         "    - {process: C1, event: partitions.revoked, count: 0}\n"
         "    - {process: C2, event: partitions.revoked, count: 0}\n"
         "    - {process: C1, event: partitions.assigned, count: 3}\n"
         "    - {process: C2, event: partitions.assigned, count: 2}\n");
}

TEST(ClientTraps, T16TheDefaultListOfAssignorsIsEager) {
  expect(
      "topics: {orders: 2}\n"
      "processes:\n"
      "  B1: {role: broker}\n"
      "  C1: {role: consumer, group.id: g, subscribe: orders,\n"
      "    partition.assignment.strategy: [range, cooperative-sticky]}\n"
      "  C2: {role: consumer, group.id: g, subscribe: orders,\n"
      "    partition.assignment.strategy: [range, cooperative-sticky]}\n"
      "timeline: [{at: 10, start: C2}]\n"
      "until: 40\n",
      "  events: {process: C1, event: partitions.revoked, partitions: \"orders-0,orders-1\","
      " count: 1}\n"
      "  generations: 2\n");
}

constexpr const char* kTwoCooperative =
    "processes:\n"
    "  B1: {role: broker}\n"
    "  C1: {role: consumer, group.id: g, subscribe: orders,\n"
    "    partition.assignment.strategy: cooperative-sticky}\n"
    "  C2: {role: consumer, group.id: g, subscribe: orders,\n"
    "    partition.assignment.strategy: cooperative-sticky}\n"
    "timeline: [{at: 10, start: C2}]\n"
    "until: 50\n";

TEST(ClientTraps, T17ARebalanceWhereNobodyRevokesEndsAfterOneRound) {
  expect(std::string("topics: {orders: 1}\n") + kTwoCooperative,
         "  rebalances: 2\n"
         "  generations: 2\n");
}

TEST(ClientTraps, T17ANewcomerGetsItsShareOneRoundLater) {
  expect(std::string("topics: {orders: 2}\n") + kTwoCooperative,
         "  rebalances: 2\n"
         "  assignments:\n"
         "    - {C1: [o0, o1]}\n"
         "    - {C1: [o0], C2: []}\n"
         "    - {C1: [o0], C2: [o1]}\n");
}

constexpr const char* kAutoCommit =
    "topics: {orders: 2}\n"
    "processes:\n"
    "  B1: {role: broker}\n"
    "  P1: {role: producer, records: {orders: 3}}\n"
    "  C1: {role: consumer, group.id: g, subscribe: orders, enable.auto.commit: true,\n"
    "    auto.commit.interval.ms: 600000, commit: none}\n"
    "until: 60\n";

// What C1 did of o1 between the commit with which it rejoined and the revocation.
TEST(ClientTraps, T18CooperativeAutoCommitDoesNotCoverWhatIsReadWhileRejoining) {
  expect(
      "topics: {orders: 2, invoices: 1}\n"
      "processes:\n"
      "  B1: {role: broker}\n"
      "  P1: {role: producer, records: {orders: 20}, interval.ms: 2000}\n"
      "  C1: {role: consumer, group.id: g, subscribe: orders, enable.auto.commit: true,\n"
      "    output: invoices, max.poll.records: 1, auto.commit.interval.ms: 600000, commit: none,\n"
      "    partition.assignment.strategy: cooperative-sticky}\n"
      "  C2: {role: consumer, group.id: g, subscribe: orders, enable.auto.commit: true,\n"
      "    output: invoices, max.poll.records: 1, auto.commit.interval.ms: 600000, commit: none,\n"
      "    partition.assignment.strategy: cooperative-sticky}\n"
      "timeline: [{at: 20, start: C2}]\n"
      "until: 90\n",
      "  lost: 0\n"
      "  duplicates: [o1.0, o1.1, o1.2]\n");
}

TEST(ClientTraps, T19UnsubscribeCommitsNothing) {
  expect(
      std::string(kAutoCommit) + "timeline: [{at: 40, call: {process: C1, method: unsubscribe}}]\n",
      "  committed: {o0: ~, o1: ~}\n"
      "  events: {process: C1, event: record.processed, count: 6}\n");
}

TEST(ClientTraps, T19CloseCommits) {
  expect(std::string(kAutoCommit) + "timeline: [{at: 40, close: C1}]\n",
         "  committed: {o0: 3, o1: 3}\n");
}

// C1 is killed at 30: its session would end at 44. C2 waits for it until the rebalance timeout, 42,
// and then C1 is a member of the new generation, with another session. It goes with the sync timer.
TEST(ClientTraps, T21AnAbsentStaticMemberKeepsItsPartitionsAndEachRebalanceRestartsItsSession) {
  expect(
      "topics: {orders: 2}\n"
      "processes:\n"
      "  B1: {role: broker}\n"
      "  C1: {role: consumer, group.id: g, subscribe: orders, group.instance.id: one,\n"
      "    session.timeout.ms: 14000, max.poll.interval.ms: 6000}\n"
      "  C2: {role: consumer, group.id: g, subscribe: orders, group.instance.id: two,\n"
      "    session.timeout.ms: 14000, max.poll.interval.ms: 6000}\n"
      "timeline: [{at: 30, kill: C1}, {at: 33, start: C2}]\n"
      "until: 90\n",
      "  events: {process: B1, event: member.removed, count: 1, ticks: [46, 49]}\n"
      "  assignments:\n"
      "    - {C1: [o0, o1]}\n"
      "    - {C1: [o0], C2: [o1]}\n"
      "    - {C2: [o0, o1]}\n");
}

TEST(ClientTraps, T22AStaticMemberThatReturnsWithOtherTopicsCausesNoRebalance) {
  expect(
      "topics: {orders: 1, payments: 1}\n"
      "processes:\n"
      "  B1: {role: broker}\n"
      "  P1: {role: producer, records: {payments: 3}}\n"
      "  C1: {role: consumer, group.id: g, subscribe: orders, group.instance.id: one}\n"
      "  C2: {role: consumer, group.id: g, subscribe: [orders, payments],\n"
      "    group.instance.id: one}\n"
      "timeline: [{at: 30, kill: C1}, {at: 32, start: C2}]\n"
      "until: 90\n",
      "  generations: 1\n"
      "  events:\n"
      "    - {process: C2, event: partitions.assigned, owned: orders-0, count: 1}\n"
      "    - {process: C2, event: record.processing, count: 0}\n");
}

std::string one_watches_partitions(const std::string& leader_age, const std::string& other_age) {
  return "topics: {orders: 2}\n"
         "processes:\n"
         "  B1: {role: broker}\n"
         "  A1: {role: admin, admin: create-partitions, counts: orders:3}\n"
         "  C1: {role: consumer, group.id: g, subscribe: orders, metadata.max.age.ms: " +
         leader_age +
         "}\n"
         "  C2: {role: consumer, group.id: g, subscribe: orders, metadata.max.age.ms: " +
         other_age +
         "}\n"
         "timeline: [{at: 10, start: C2}, {at: 30, start: A1}]\n"
         "until: 90\n";
}

TEST(ClientTraps, T23TheLeaderNoticesNewPartitions) {
  expect(one_watches_partitions("5000", "600000"), "  leaders: [C1, C1, C1]\n  generations: 3\n");
}

TEST(ClientTraps, T23AFollowerIgnoresNewPartitions) {
  expect(one_watches_partitions("600000", "5000"), "  leaders: [C1, C1]\n  generations: 2\n");
}

TEST(AssignorTraps, T25AnOldGenerationAloneDoesNotVoidAClaim) {
  using namespace consumer;
  AssignorInput input;
  input.partition_counts["t"] = 2;
  for (const auto& [id, index, generation] : {std::tuple{"m1", 1, 7}, std::tuple{"m2", 0, 3}}) {
    MemberSubscription& member = input.members.emplace_back();
    member.member_id = MemberId(id);
    member.topics = {"t"};
    member.owned = {{"t", PartitionId(index)}};
    member.generation = Generation(generation);
  }
  const GroupAssignment assignment = make_assignor("cooperative-sticky")->assign(input);
  EXPECT_EQ(assignment.at(MemberId("m1")), input.members[0].owned);
  EXPECT_EQ(assignment.at(MemberId("m2")), input.members[1].owned);
}

}  // namespace
}  // namespace fencepost::lab
