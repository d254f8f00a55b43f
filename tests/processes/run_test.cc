// Whole runs over real processes.
#include <gtest/gtest.h>

#include "tests/processes/process_world.h"

namespace fencepost::test {
namespace {

TEST(RunOverProcesses, ProcessesRecordsAndLeavesNobody) {
  const RunDirectory directory;
  const lab::RunResult result = run(billing_plan(60), directory);
  EXPECT_EQ(result.failure, std::nullopt);
  EXPECT_FALSE(result.disturbed);
  EXPECT_EQ(result.last_tick, Tick(60));
  EXPECT_EQ(result.capture_sha256.size(), 64U);
  EXPECT_TRUE(processes_of(directory).empty());

  const auto capture = capture_of(directory);
  EXPECT_EQ(count_events(capture, "P1", "record.sent"), 15);
  EXPECT_EQ(count_events(capture, "C1", "record.processed") +
                count_events(capture, "C2", "record.processed"),
            15);
}

TEST(RunOverProcesses, GivesTheSameCaptureEveryTime) {
  wire::Plan plan = billing_plan(60);
  add_action_when(plan, "C2", "record.processing", wire::Action::KILL, "C2");
  add_action(plan, 25, wire::Action::START, "C2");
  add_action(plan, 30, wire::Action::STOP, "C1");
  add_action(plan, 34, wire::Action::CONT, "C1");
  add_action(plan, 40, wire::Action::RESTART, "B1");
  add_action(plan, 50, wire::Action::CLOSE, "C2");
  std::string first;
  for (int i = 0; i < 5; ++i) {
    const RunDirectory directory;
    const lab::RunResult result = run(plan, directory);
    ASSERT_EQ(result.failure, std::nullopt);
    EXPECT_FALSE(result.disturbed);
    if (i == 0) first = result.capture_sha256;
    ASSERT_EQ(result.capture_sha256, first) << "run " << i;
  }
}

TEST(RunOverProcesses, StartOfAProcessWithABadPropertyFailsTheRun) {
  wire::Plan plan = billing_plan(60);
  add_process(plan, "C3", "consumer", {{"sesion.timeout.ms", "1"}});
  add_action(plan, 3, wire::Action::START, "C3");
  const RunDirectory directory;
  const lab::RunResult result = run(plan, directory);
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_NE(result.failure->find("C3"), std::string::npos) << *result.failure;
  EXPECT_TRUE(processes_of(directory).empty());
}

TEST(RunOverProcesses, HowAChildEndedByItselfIsTold) {
  wire::Plan plan = billing_plan(20);
  const RunDirectory directory;
  // It has said Hello, and finds out when it is welcomed.
  add_process(plan, "B2", "broker", {{"app.cluster", "B1"}});
  add_action(plan, 3, wire::Action::START, "B2");
  const lab::RunResult result = run(plan, directory);
  ASSERT_EQ(result.unexpected_ends.size(), 1U);
  EXPECT_EQ(result.unexpected_ends[0].find("B2 ended with exit code 2; the last line of its log: "),
            0U)
      << result.unexpected_ends[0];
  EXPECT_NE(result.unexpected_ends[0].find("cannot start"), std::string::npos);
}

TEST(RunOverProcesses, EndsThatTheRunAskedForAreInOrder) {
  wire::Plan plan = billing_plan(30);
  add_action(plan, 8, wire::Action::KILL, "C2");
  add_action(plan, 12, wire::Action::CLOSE, "C1");
  add_action(plan, 20, wire::Action::STOP, "P1");
  const RunDirectory directory;
  EXPECT_TRUE(run(plan, directory).unexpected_ends.empty());
}

TEST(RunOverProcesses, MissingBinaryIsNamed) {
  const RunDirectory directory;
  lab::RunOptions options = options_for(directory);
  options.binaries = "/nowhere";
  try {
    lab::run_over_processes(billing_plan(10), options);
    FAIL() << "it started";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/clock"), std::string::npos);
  }
}

}  // namespace
}  // namespace fencepost::test
