// What a scenario says of a client, over processes and in one: calls of its methods, a supervisor
// that starts it again, habits that a group suffers from.
#include <gtest/gtest.h>

#include "lab/expectations.h"
#include "lab/history.h"
#include "lab/run_scenario.h"
#include "lab/scenario.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

struct Row {
  const char* name;
  const char* scenario;  // what follows the setting
};

constexpr const char* kSetting = R"(name: test
about: A test.
tick.ms: 1000
topics: {orders: 2, payments: 2, invoices: 1}
defaults:
  broker: {group.initial.rebalance.delay.ms: 0}
  consumer:
    session.timeout.ms: 6000
    heartbeat.interval.ms: 1000
    max.poll.interval.ms: 12000
    auto.offset.reset: earliest
    enable.auto.commit: false
    partition.assignment.strategy: cooperative-sticky
)";

class Clients : public testing::TestWithParam<Row> {
 protected:
  Clients() : directory_(scratch_.path() / "run") {}

  // The capture, and every expectation judged.
  std::string run(const Scenario& scenario, World world) {
    directory_.prepare();
    const RunOutcome outcome = run_plan(scenario.plan, {.world = world}, directory_);
    EXPECT_EQ(outcome.failure, std::nullopt);
    const History history = read_history(directory_.capture().string(), scenario.expectations);
    for (const Verdict& verdict : judge(scenario.expectations, history, &scenario.plan)) {
      EXPECT_EQ(verdict.outcome, Verdict::Outcome::kValid)
          << verdict.subject << ": " << verdict.detail;
    }
    return outcome.capture_sha256;
  }

  test::Scratch scratch_;
  RunDirectory directory_;
};

TEST_P(Clients, DoTheSameInBothWorlds) {
  const LoadedScenario loaded =
      parse_scenario(std::string(kSetting) + GetParam().scenario, "test.yaml");
  for (const Mistake& mistake : loaded.mistakes) ADD_FAILURE() << to_string(mistake);
  ASSERT_TRUE(loaded.scenario.has_value());
  EXPECT_EQ(run(*loaded.scenario, World::kInProcess), run(*loaded.scenario, World::kProcesses));
}

constexpr Row kCalls{"Calls", R"(
processes:
  B1: {role: broker}
  P1: {role: producer, records: {orders: 4, payments: 4}, interval.ms: 3000}
  C1: {role: consumer, group.id: billing, subscribe: orders, output: invoices}
timeline:
  - {at: 20, call: {process: C1, method: subscribe, arguments: [orders, payments]}}
  - {at: 40, call: {process: C1, method: seek, arguments: [orders-0, 0]}}
  - {at: 60, call: {process: C1, method: pause}}
  - {at: 61, call: {process: C1, method: seek, arguments: [nowhere-0, 0]}}
until: 80
expect:
  lost: 0
  events:
    - {process: C1, event: client.called, method: subscribe, count: 1}
    - {process: C1, event: client.called, method: pause, count: 1}
    - {process: C1, event: client.error, exception: IllegalStateException, count: 1}
)"};

constexpr Row kSupervisor{"Supervisor", R"(
processes:
  B1: {role: broker, group.min.session.timeout.ms: 7000}
  C1: {role: consumer, group.id: billing, subscribe: orders, restart: on-failure}
  C2: {role: consumer, group.id: billing, subscribe: orders, restart: always,
       session.timeout.ms: 8000}
  C3: {role: consumer, group.id: billing, subscribe: orders, restart: on-failure,
       session.timeout.ms: 8000}
timeline:
  - {at: 20, close: [C2, C3]}
until: 60
expect:
  events:
    - {process: C1, event: client.error, error: INVALID_SESSION_TIMEOUT, nth: 5}
    - {process: C2, event: partitions.assigned, generation: 1}
    - {process: C2, api: JoinGroup, response: false, nth: 4}
    - {process: C3, event: client.closed, count: 1}
    - {process: C3, api: FindCoordinator, response: false, count: 1}
)"};

// R30: a record of a revoked partition is committed in the generation in which another one has it.
constexpr Row kStoredOffsets{"StoredOffsets", R"(
processes:
  B1: {role: broker}
  P1: {role: producer, schedule: {10: {orders-1: 1}, 30: {orders-1: 2}}}
  C1:
    role: consumer
    group.id: billing
    subscribe: orders
    output: invoices
    worker: true
    keep.stored.offsets: true
    process.ms: 40000
  C2: {role: consumer, group.id: billing, subscribe: orders, output: invoices}
timeline:
  - {at: 14, start: C2}
until: 80
expect:
  lost: 0
  committed: {o1: 1}
  events:
    - {process: C2, event: offsets.committed, generation: 3, offsets: "orders-1=3", count: 1}
    - {process: C1, event: offsets.committed, generation: 3, offsets: "orders-1=1", count: 1}
)"};

// The leader sees them at its metadata refresh; with earliest their first records are not lost.
constexpr Row kPartitionsAdded{"PartitionsAdded", R"(
processes:
  B1: {role: broker}
  P1: {role: producer, schedule: {10: {orders-0: 1}}}
  C1: {role: consumer, group.id: billing, subscribe: orders, metadata.max.age.ms: 20000}
  D1: {role: admin, admin: create-partitions, counts: "orders:3"}
timeline:
  - {at: 25, start: D1}
until: 80
expect:
  generations: 2
  events:
    - {process: C1, event: position.reset, topic: orders, partition: 2, policy: earliest, count: 1}
)"};

INSTANTIATE_TEST_SUITE_P(Table, Clients,
                         testing::Values(kCalls, kSupervisor, kStoredOffsets, kPartitionsAdded),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace fencepost::lab
