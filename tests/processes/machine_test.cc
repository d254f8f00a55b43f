// What the machine is like must not show: socket buffers of any size, one core, busy cores, and
// a process that is slow. The capture is that of a run without sockets.
#include <gtest/gtest.h>
#include <sched.h>
#include <spdlog/fmt/fmt.h>

#include <thread>
#include <utility>
#include <vector>

#include "tests/processes/failpoints.h"
#include "tests/processes/replays.h"

namespace fencepost::test {
namespace {

// Large batches, so that frames and Grants are far larger than the smallest buffers; with a crash,
// a zombie and a restart of the broker.
wire::Plan busy_plan() {
  wire::Plan plan = shop_plan(80);
  for (wire::ProcessSpec& spec : *plan.mutable_processes()) {
    if (spec.role() != "producer") continue;
    wire::Property& batch = *spec.add_properties();
    batch.set_name("app.batch.records");
    batch.set_value("200");
  }
  add_action(plan, 15, wire::Action::KILL, "C2");
  add_action(plan, 25, wire::Action::START, "C2");
  add_action(plan, 30, wire::Action::STOP, "C1");
  add_action(plan, 42, wire::Action::CONT, "C1");
  add_action(plan, 50, wire::Action::RESTART, "B1");
  add_action(plan, 60, wire::Action::CLOSE, "C3");
  return plan;
}

class Machine : public testing::Test {
 protected:
  explicit Machine(wire::Plan plan = busy_plan()) : plan_(std::move(plan)) {}

  void expect_the_same_capture() {
    const RunDirectory directory;
    const lab::RunResult result = run(plan_, directory);
    EXPECT_EQ(result.failure, std::nullopt) << directory.log_of("clock");
    EXPECT_FALSE(result.disturbed);
    EXPECT_TRUE(directory.text_of("capture.bin") == expected_) << directory.path();
  }

  const wire::Plan plan_;
  const std::string expected_ = capture_in_process(plan_);
};

TEST_F(Machine, WithTheSmallestSocketBuffersGivesTheSameCapture) {
  const Faults faults{{"SOCKET_BUFFERS", "1"}};
  expect_the_same_capture();
}

TEST_F(Machine, WithHugeSocketBuffersGivesTheSameCapture) {
  const Faults faults{{"SOCKET_BUFFERS", "67108864"}};
  expect_the_same_capture();
}

TEST_F(Machine, WithOneCoreGivesTheSameCapture) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t core = 0; CPU_COUNT(&one) == 0; ++core) {
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);  // the children inherit it
  expect_the_same_capture();
  sched_setaffinity(0, sizeof before, &before);
}

TEST_F(Machine, WithLoadedCoresGivesTheSameCapture) {
  const unsigned busy = 3 * std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> loops;
  for (unsigned i = 0; i < busy; ++i) {
    loops.emplace_back([](const std::stop_token& stop) {
      while (!stop.stop_requested()) continue;
    });
  }
  expect_the_same_capture();
}

class SlowProcess : public Machine, public testing::WithParamInterface<std::string> {
 protected:
  SlowProcess() : Machine(billing_plan(30)) {}
};

// Slower than the patience for frames of a sender, now and then than a tick of everybody else.
TEST_P(SlowProcess, IsWaitedFor) {
  const Faults faults{{"FAILPOINT", GetParam() + " delay 25000"}};
  expect_the_same_capture();
}

INSTANTIATE_TEST_SUITE_P(Of, SlowProcess, testing::Values("B1", "P1", "C1"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace fencepost::test
