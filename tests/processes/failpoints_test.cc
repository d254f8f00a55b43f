// A sender that dies at every byte of what it sends, and after every write: between its Hello and
// its last Done there is no moment that does not replay.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/processes/chaos_world.h"
#include "tests/processes/failpoints.h"
#include "tests/processes/replays.h"

namespace fencepost::test {
namespace {

constexpr std::int64_t kRestart = 16;

// The victim is started anew, so that it also reads what its last life has left behind.
wire::Plan plan_with(const std::string& victim) {
  wire::Plan plan = billing_plan(kRestart + 12);
  add_action(plan, kRestart, wire::Action::RESTART, victim);
  return plan;
}

// What one process sends in its first life, undisturbed: the size of each of its writes.
std::vector<int> writes_of(const std::string& victim) {
  const RunDirectory directory;
  const Faults faults{{"FAILPOINT", victim + " delay 0"}, {"WRITES", directory.path() + "/writes"}};
  EXPECT_EQ(run(billing_plan(kRestart - 1), directory).failure, std::nullopt);
  std::istringstream text(directory.text_of("writes"));
  std::vector<int> sizes;
  for (int size = 0; text >> size;) sizes.push_back(size);
  return sizes;
}

class Failpoints : public testing::TestWithParam<std::string> {
 protected:
  // Kills the victim there, and replays. True if it came so far.
  bool run_and_replay(const std::string& where, bool over_processes_too) {
    const RunDirectory directory;
    const std::string what = fmt::format("{} {}", GetParam(), where);
    const wire::Plan plan = plan_with(GetParam());
    {
      const Faults faults{{"FAILPOINT", what},
                          {"FAILPOINT_ONCE", directory.path() + "/failpoint.done"}};
      const lab::RunResult result = run(plan, directory);
      EXPECT_EQ(result.failure, std::nullopt) << what << directory.log_of("clock");
      supplies_ += result.supplies;
      disturbed_ += result.disturbed ? 1 : 0;
    }
    ++runs_;
    expect_same_in_replay(plan, directory, lab::World::kInProcess, what);
    if (over_processes_too) expect_same_in_replay(plan, directory, lab::World::kProcesses, what);
    return std::filesystem::exists(directory.path() + "/failpoint.done");
  }

  // `every` 1: at each of them; every 10th one is replayed over processes as well.
  void walk(const std::string& kind, int last, int every) {
    constexpr int kOverProcesses = 10;
    for (int at = 1; at <= last && !HasFailure(); at += every) {
      const bool over_processes_too = runs_ % kOverProcesses == 0;
      EXPECT_TRUE(run_and_replay(fmt::format("{} {}", kind, at), over_processes_too))
          << GetParam() << " was not killed at " << kind << " " << at;
    }
    fmt::print("{} killed at {} {} of 1 to {}: {} runs, {} disturbed, {} supplies\n", GetParam(),
               every == 1 ? "every" : fmt::format("every {}th", every), kind, last, runs_,
               disturbed_, supplies_);
    // Where it died before it joined, it was started once more and nothing had happened.
    EXPECT_GT(disturbed_, runs_ / 2);
  }

  // All of them in the long test.
  static int every(int otherwise) {
    return std::getenv("FENCEPOST_FAILPOINTS_ALL") == nullptr ? otherwise : 1;
  }

  int runs_ = 0;
  int disturbed_ = 0;
  std::uint64_t supplies_ = 0;
};

TEST_P(Failpoints, DeathAtEveryByteReplays) {
  // From the Hello over the first frames to peers to the Done of at least two steps with frames.
  constexpr std::size_t kWrites = 12;
  constexpr int kSampled = 97;  // a prime: not the same place in each frame
  const std::vector<int> writes = writes_of(GetParam());
  ASSERT_GT(writes.size(), kWrites);
  int bytes = 0;
  for (std::size_t i = 0; i < kWrites; ++i) bytes += writes[i];
  walk("byte", bytes, every(kSampled));
}

TEST_P(Failpoints, DeathAfterEveryWriteReplays) {
  constexpr int kSampled = 5;
  // A request and a PeerHello may leave with one write or with two.
  constexpr int kSpare = 2;
  const int writes = static_cast<int>(writes_of(GetParam()).size());
  walk("write", writes - kSpare, every(kSampled));
}

INSTANTIATE_TEST_SUITE_P(Of, Failpoints, testing::Values("B1", "P1", "C1"),
                         [](const auto& tested) { return tested.param; });

// A run without its clock is over. What it has left by then is how the whole run begins.
TEST(FailpointsOfTheClock, DeathAfterAnyWriteLeavesAPrefixAndNobody) {
  constexpr int kWrites = 120;
  const int every = std::getenv("FENCEPOST_FAILPOINTS_ALL") == nullptr ? 9 : 1;
  const wire::Plan plan = billing_plan(300);
  const std::string whole = capture_in_process(plan);
  std::size_t longest = 0;
  for (int at = 1; at <= kWrites && !testing::Test::HasFailure(); at += every) {
    const std::string what = fmt::format("clock write {}", at);
    const RunDirectory directory;
    const Faults faults{{"FAILPOINT", what}};
    lab::RunOptions options = options_for(directory);
    options.pace = std::chrono::milliseconds(1);  // so that the capture is written as it grows
    const lab::RunResult result = lab::run_over_processes(plan, options);
    EXPECT_EQ(result.failure, "lost the clock: killed by signal 9") << what;
    EXPECT_TRUE(everybody_gone(directory)) << what;
    const std::string left = directory.text_of("capture.bin");
    EXPECT_TRUE(whole.starts_with(left)) << what;
    longest = std::max(longest, left.size());
  }
  EXPECT_GT(longest, 0U);
}

}  // namespace
}  // namespace fencepost::test
