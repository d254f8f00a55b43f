// Eight real processes, killed, stopped, continued, terminated and started again at random moments:
// whatever comes of it must be written down so that it replays to the same bytes.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <cstdlib>
#include <string>

#include "lab/journal_file.h"
#include "tests/processes/chaos_world.h"
#include "tests/processes/replays.h"

namespace fencepost::test {
namespace {

// A number from the environment, e.g. of how many runs.
int number_from(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

void run_and_replay(std::uint32_t seed, Tally& tally) {
  const std::string how =
      fmt::format("seed {} (FENCEPOST_CHAOS_FIRST={} FENCEPOST_CHAOS_RUNS=1)", seed, seed);
  DisturbedRun run(seed);
  run.disturb();
  ASSERT_TRUE(run.end_in_order()) << how << ": " << result_of(run.directory()).failure << "\n"
                                  << run.directory().log_of("clock");
  ASSERT_TRUE(everybody_gone(run.directory())) << how;
  ASSERT_TRUE(lab::load_journal(run.directory().path() + "/journal.yaml").ended) << how;
  run.count_into(tally);
  expect_same_in_replay(run.plan(), run.directory(), lab::World::kInProcess, how);
  expect_same_in_replay(run.plan(), run.directory(), lab::World::kProcesses, how);
}

TEST(Chaos, WhateverHappensReplays) {
  constexpr int kRuns = 10;
  const int first = number_from("FENCEPOST_CHAOS_FIRST", 1);
  const int runs = number_from("FENCEPOST_CHAOS_RUNS", kRuns);
  Tally tally;
  for (int i = 0; i < runs && !HasFailure(); ++i) {
    run_and_replay(static_cast<std::uint32_t>(first + i), tally);
  }
  fmt::print("{} runs: {}\n", runs, to_string(tally));
  if (HasFailure() || runs < kRuns) return;
  // What disturbs nothing proves nothing.
  for (const char* kind : {"JOIN", "KILL", "CLOSE", "FREEZE", "THAW", "HOLD"}) {
    EXPECT_GT(tally[kind], 0) << kind;
  }
}

}  // namespace
}  // namespace fencepost::test
