// The broker is killed at every tick of demo 4 and restarted: it comes back with every committed
// record, offset and group, so the run ends as it must, and it can be repeated.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <map>
#include <set>

#include "lab/checkers/delivery.h"
#include "lab/history.h"
#include "lab/run_scenario.h"
#include "lab/scenario.h"
#include "lab/story.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {
namespace fs = std::filesystem;

constexpr std::int64_t kLastKill = 110;
constexpr std::int64_t kTicksDown = 3;
constexpr std::int64_t kLastTick = 260;  // time enough to retry, rejoin and catch up
// From here to there the group is Stable in its first generation, and C2 is alive.
constexpr std::int64_t kStableFrom = 15;
constexpr std::int64_t kStableUntil = 45;

wire::Plan demo_with_restart(std::int64_t killed_at) {
  const fs::path file =
      fs::path(FENCEPOST_SOURCE_DIR) / "scenarios/demos/04-commit-after-crash-k2.yaml";
  const LoadedScenario loaded = load_scenario(file.string());
  wire::Plan plan = loaded.scenario.value().plan;
  const auto add = [&](std::int64_t tick, wire::Action::Kind kind) {
    wire::Rule& rule = *plan.add_rules();
    rule.set_at_tick(tick);
    rule.add_actions()->set_kind(kind);
    rule.mutable_actions(0)->add_processes("B1");
  };
  add(killed_at, wire::Action::KILL);
  add(killed_at + kTicksDown, wire::Action::START);
  plan.mutable_until()->set_tick(kLastTick);
  return plan;
}

class BrokerRestart : public testing::Test {
 protected:
  BrokerRestart() : directory_(scratch_.path() / "run") {}

  std::string run(const wire::Plan& plan, World world) {
    directory_.prepare();
    const RunOutcome outcome = run_plan(plan, {.world = world}, directory_);
    EXPECT_EQ(outcome.failure, std::nullopt);
    EXPECT_FALSE(outcome.disturbed);
    return outcome.capture_sha256;
  }

  test::Scratch scratch_;
  RunDirectory directory_;
};

// A record that is in the log stays there: no offset is ever given to a second one.
void expect_that_no_offset_is_used_twice(const History& history) {
  std::map<std::pair<TopicPartition, Offset>, std::string> taken;
  const auto check = [&](const std::string& record, const std::vector<Appended>& appended) {
    for (const Appended& place : appended) {
      const auto [found, first] = taken.try_emplace({place.partition, place.offset}, record);
      EXPECT_TRUE(first) << record << " and " << found->second << " are both at "
                         << to_string(place.partition) << " offset " << place.offset.value();
    }
  };
  for (const auto& [record, fact] : history.records) check(record, fact.appended);
  for (const auto& [record, appended] : history.invoices) check("inv(" + record + ")", appended);
}

// A reader that goes on where it was sees every invoice, in the order of the log.
void expect_that_the_audit_saw_every_invoice(const History& history) {
  std::set<std::int64_t> offsets;
  for (const ReadFact& read : history.reads.at("A1").first) offsets.insert(read.offset.value());
  std::size_t invoices = 0;
  for (const auto& [record, appended] : history.invoices) invoices += appended.size();
  EXPECT_EQ(offsets.size(), invoices);
  EXPECT_EQ(history.reads.at("A1").first.size(), invoices);
}

void expect_a_right_outcome(const History& history) {
  for (const Verdict& verdict : check_all(history)) {
    EXPECT_EQ(verdict.outcome, Verdict::Outcome::kValid)
        << verdict.subject << ": " << fmt::format("{}", fmt::join(verdict.details, "; "));
  }
  ASSERT_EQ(deliveries(history).size(), 1U);
  const Delivery delivery = deliveries(history).front();
  EXPECT_TRUE(delivery.lost.empty()) << fmt::format("{}", fmt::join(delivery.lost, " "));
  EXPECT_TRUE(delivery.pending.empty()) << fmt::format("{}", fmt::join(delivery.pending, " "));
  expect_that_no_offset_is_used_twice(history);
  expect_that_the_audit_saw_every_invoice(history);
}

// A group that was Stable comes back with its members. (They may still leave: whoever waits for the
// broker in the middle of a batch can be late for its next poll.)
void expect_that_members_are_known(const History& history) {
  for (const auto& [key, fact] : history.errors) {
    EXPECT_NE(key.error, "UNKNOWN_MEMBER_ID") << key.process << " at its " << key.api;
  }
}

TEST_F(BrokerRestart, AtAnyTickLosesNothingAndRepeats) {
  for (std::int64_t tick = 1; tick <= kLastKill; ++tick) {
    SCOPED_TRACE(fmt::format("B1 is killed at tick {}", tick));
    const wire::Plan plan = demo_with_restart(tick);
    const std::string capture = run(plan, World::kInProcess);
    const History history = read_history(directory_.capture().string(), {}, Detail::kAll);
    expect_a_right_outcome(history);
    if (tick >= kStableFrom && tick <= kStableUntil) expect_that_members_are_known(history);
    EXPECT_EQ(run(plan, World::kInProcess), capture);
    if (testing::Test::HasFailure()) return;
  }
}

TEST_F(BrokerRestart, OverProcessesIsTheSameAsInProcess) {
  for (std::int64_t tick = 4; tick <= kLastKill; tick += 3) {
    SCOPED_TRACE(fmt::format("B1 is killed at tick {}", tick));
    const wire::Plan plan = demo_with_restart(tick);
    const std::string capture = run(plan, World::kInProcess);
    EXPECT_EQ(run(plan, World::kProcesses), capture);
  }
}

}  // namespace
}  // namespace fencepost::lab
