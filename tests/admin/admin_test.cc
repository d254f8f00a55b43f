// What an admin process does to a cluster, each command once: whole runs, judged by what they
// expect.
#include <gtest/gtest.h>

#include "tests/lab/judged_run.h"

namespace fencepost::lab {
namespace {

// A group of one static member that has read six records of orders and committed them.
constexpr const char* kCluster =
    "name: admin\n"
    "tick.ms: 1000\n"
    "topics: {orders: 2, payments: 1}\n"
    "defaults:\n"
    "  broker: {group.initial.rebalance.delay.ms: 0}\n"
    "  consumer: {auto.offset.reset: earliest, enable.auto.commit: false, process.ms: 0,\n"
    "    session.timeout.ms: 8000, metadata.max.age.ms: 5000}\n"
    "until: 80\n"
    "processes:\n"
    "  B1: {role: broker}\n"
    "  P1: {role: producer, records: {orders: 3}}\n"
    "  C1: {role: consumer, group.id: g, group.instance.id: one, subscribe: [orders, payments]}\n";

// Processes and timeline, then what must come out.
void expect(const std::string& rest, const std::string& expected) {
  EXPECT_EQ(what_fails(kCluster + rest + "expect:\n" + expected), std::vector<std::string>());
}

TEST(AdminProcess, CreatesTopics) {
  expect(
      "  A1: {role: admin, admin: create-topics, counts: refunds:3}\n"
      "timeline: [{at: 10, start: A1}]\n",
      "  events: {process: B1, event: topic.created, topic: refunds, partitions: 3}\n");
}

TEST(AdminProcess, AddsPartitionsThatTheGroupTakes) {
  expect(
      "  A1: {role: admin, admin: create-partitions, counts: payments:2}\n"
      "timeline: [{at: 10, start: A1}]\n",
      "  generations: 2\n"
      "  events: {process: C1, event: partitions.assigned, count: 1,\n"
      "    owned: \"orders-0,orders-1,payments-0,payments-1\"}\n");
}

TEST(AdminProcess, IsRefusedFewerPartitionsAndEndsWithAnError) {
  expect(
      "  A1: {role: admin, admin: create-partitions, counts: orders:2}\n"
      "timeline: [{at: 10, start: A1}]\n",
      "  errors: {process: A1, error: INVALID_PARTITIONS, api: CreatePartitions, count: 1}\n"
      "  events: {process: A1, event: client.error, error: INVALID_PARTITIONS}\n");
}

TEST(AdminProcess, DeletesTopicsWithTheOffsetsThatWereCommitted) {
  expect(
      "  A1: {role: admin, admin: delete-topics, targets: orders}\n"
      "timeline: [{at: 30, kill: C1}, {at: 50, start: A1}]\n",
      "  committed: {o0: ~, o1: ~, p0: 0}\n"
      "  events: {process: B1, event: topic.deleted, topic: orders}\n");
}

TEST(AdminProcess, RemovesAStaticMemberLongBeforeItsSessionWouldEnd) {
  expect(
      "  A1: {role: admin, admin: remove-members, groups: g, instances: one}\n"
      "timeline: [{at: 30, kill: C1}, {at: 31, start: A1}]\n",
      "  events:\n"
      "    - {process: B1, event: member.removed, ticks: [32, 37]}\n"
      "    - {process: B1, event: group.state, to: Empty}\n");
}

TEST(AdminProcess, DeletesAnEmptyGroup) {
  expect(
      "  A1: {role: admin, admin: delete, groups: g}\n"
      "timeline: [{at: 30, kill: C1}, {at: 50, start: A1}]\n",
      "  committed: {o0: ~, o1: ~, p0: ~}\n"
      "  events: {process: B1, event: group.state, to: Dead}\n");
}

TEST(AdminProcess, DoesNotDeleteAGroupThatHasMembers) {
  expect(
      "  A1: {role: admin, admin: delete, groups: g}\n"
      "timeline: [{at: 30, start: A1}]\n",
      "  errors: {process: A1, error: NON_EMPTY_GROUP}\n"
      "  committed: {o0: 3, o1: 3, p0: 0}\n");
}

TEST(AdminProcess, DeletesOffsetsOfTopicsThatNobodySubscribesTo) {
  expect(
      "  A1: {role: admin, admin: delete-offsets, groups: g, targets: orders-1}\n"
      "timeline: [{at: 30, kill: C1}, {at: 50, start: A1}]\n",
      "  committed: {o0: 3, o1: ~, p0: 0}\n");
}

TEST(AdminProcess, DoesNotDeleteOffsetsOfASubscribedTopic) {
  expect(
      "  A1: {role: admin, admin: delete-offsets, groups: g, targets: orders}\n"
      "timeline: [{at: 30, start: A1}]\n",
      "  errors: {process: A1, error: GROUP_SUBSCRIBED_TO_TOPIC}\n"
      "  committed: {o0: 3, o1: 3, p0: 0}\n");
}

TEST(AdminProcess, MovesTheOffsetsOfAnEmptyGroup) {
  expect(
      "  A1: {role: admin, admin: reset-offsets, groups: g, targets: orders, reset.to: shift-by,\n"
      "    reset.value: -2}\n"
      "timeline: [{at: 30, kill: C1}, {at: 50, start: A1}]\n",
      "  committed: {o0: 1, o1: 1, p0: 0}\n");
}

TEST(AdminProcess, DoesNotMoveTheOffsetsOfAGroupThatHasMembers) {
  expect(
      "  A1: {role: admin, admin: reset-offsets, groups: g, targets: orders, reset.to: earliest}\n"
      "timeline: [{at: 30, start: A1}]\n",
      "  committed: {o0: 3, o1: 3, p0: 0}\n"
      "  events: {process: A1, event: client.error, error: NON_EMPTY_GROUP}\n");
}

TEST(AdminProcess, WaitsForABrokerThatIsNotThere) {
  expect(
      "  A1: {role: admin, admin: create-partitions, counts: payments:2}\n"
      "timeline: [{at: 10, kill: B1}, {at: 11, start: A1}, {at: 15, restart: B1}]\n",
      "  events: {process: B1, event: partitions.added, topic: payments, partitions: 2}\n");
}

}  // namespace
}  // namespace fencepost::lab
