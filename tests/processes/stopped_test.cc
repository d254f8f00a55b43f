// A stopped process slows nobody and costs nobody memory.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <utility>

#include "lab/journal_file.h"
#include "tests/processes/replays.h"
#include "tests/processes/strangers.h"

namespace fencepost::test {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kTicksMeanwhile = 2000;

wire::Plan plan_of_much_traffic() {
  wire::Plan plan = shop_plan(1'000'000);
  for (wire::ProcessSpec& spec : *plan.mutable_processes()) {
    for (wire::Property& property : *spec.mutable_properties()) {
      if (property.name() != "app.records") continue;
      property.set_value(property.value().substr(0, property.value().find(':')) + ":50000");
    }
  }
  return plan;
}

// The most that it has had in memory so far, in KiB.
long peak_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kPeak = "VmHWM:";
    if (line.starts_with(kPeak)) return std::stol(line.substr(kPeak.size()));
  }
  return 0;
}

class StoppedProcess : public testing::TestWithParam<std::string> {
 protected:
  StoppedProcess() {
    runner_ = run_in_background(plan_, options_for(directory_));
    EXPECT_TRUE(directory_.eventually(
        [this] { return directory_.log_of(GetParam()).find("joined") != std::string::npos; }));
    std::istringstream address(directory_.text_of("clock.address"));
    address >> address_;
  }
  ~StoppedProcess() override {
    if (runner_ <= 0) return;
    kill(runner_, SIGKILL);
    waitpid(runner_, nullptr, 0);
  }

  // Its tick, or nothing if this has not been decided.
  std::optional<std::int64_t> tick_of(wire::Decision::Kind kind) const {
    for (const auto& decision : lab::load_journal(directory_.path() + "/journal.yaml").decisions) {
      if (decision.kind() == kind && decision.process() == GetParam()) return decision.tick();
    }
    return std::nullopt;
  }
  // Also for the eyes of the clock: it answers.
  std::int64_t tick_now() const {
    wire::Command command;
    command.set_kind(wire::Command::STATUS);
    return ask_clock(address_, command).status().tick();
  }
  bool end_in_order() {
    kill(runner_, SIGINT);
    int status = 0;
    waitpid(std::exchange(runner_, -1), &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  const wire::Plan plan_ = plan_of_much_traffic();
  RunDirectory directory_;
  std::string address_;
  pid_t runner_ = -1;
};

TEST_P(StoppedProcess, SlowsNobodyAndGoesOn) {
  const std::optional<pid_t> pid = pid_of(directory_, GetParam());
  ASSERT_TRUE(pid.has_value());
  kill(*pid, SIGSTOP);
  ASSERT_TRUE(
      directory_.eventually([this] { return tick_of(wire::Decision::FREEZE).has_value(); }));
  const std::int64_t stopped = *tick_of(wire::Decision::FREEZE);
  ASSERT_TRUE(directory_.eventually([&] { return tick_now() >= stopped + kTicksMeanwhile; }))
      << "stopped at tick " << stopped << ", and now it is tick " << tick_now();

  constexpr long kMostKiB = 200 * 1024;
  for (const pid_t each : processes_of(directory_)) EXPECT_LT(peak_of(each), kMostKiB) << each;

  kill(*pid, SIGCONT);
  ASSERT_TRUE(directory_.eventually([this] { return tick_of(wire::Decision::THAW).has_value(); }));
  EXPECT_GE(*tick_of(wire::Decision::THAW), stopped + kTicksMeanwhile);
  ASSERT_TRUE(end_in_order()) << result_of(directory_).failure;
  expect_same_in_replay(plan_, directory_, lab::World::kInProcess);
  expect_same_in_replay(plan_, directory_, lab::World::kProcesses);
}

INSTANTIATE_TEST_SUITE_P(Of, StoppedProcess, testing::Values("C2", "P1", "A1", "B1"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace fencepost::test
