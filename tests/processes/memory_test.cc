// Memory: each process needs as much for a long run as for a short one, and a capture that does not
// fit into memory can be listed and judged.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "lab/commands/run.h"
#include "lab/packets/packet_list.h"
#include "tests/bench/whole_runs.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

namespace fs = std::filesystem;

const std::string kFencepost = std::string(FENCEPOST_BINARIES) + "/fencepost";
constexpr double kFlat = 1.3;  // the most that ten times the ticks may add

class Memory : public testing::Test {
 protected:
  // The scenario with so many ticks, in a file of its own.
  fs::path steady(std::int64_t ticks) const {
    std::ifstream in(fs::path(FENCEPOST_SOURCE_DIR) / "tests/processes/steady.yaml");
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const std::string until = "until: 100000";
    text.replace(text.find(until), until.size(), fmt::format("until: {}", ticks));
    const fs::path file = scratch_.path() / fmt::format("steady-{}.yaml", ticks);
    std::ofstream(file) << text;
    return file;
  }
  fs::path directory(std::int64_t ticks) const {
    return scratch_.path() / fmt::format("run-{}", ticks);
  }
  // The highest resident memory of each program, in KiB.
  std::map<std::string, std::int64_t> peaks(std::int64_t ticks) const {
    const bench::WholeRun run = bench::run_command(
        kFencepost, {"run", steady(ticks).string(), "--quiet", "--out", directory(ticks).string()});
    for (const auto& [program, kib] : run.peak_kib) {
      RecordProperty(fmt::format("{}_{}_kib", program, ticks), std::to_string(kib));
      fmt::print("{:>7} ticks  {:<10} {:>7} KiB\n", ticks, program, kib);
    }
    fmt::print("{:>7} ticks  {:.1f} s, capture {} KiB\n", ticks, run.seconds, capture_kib(ticks));
    return run.peak_kib;
  }
  std::int64_t capture_kib(std::int64_t ticks) const {
    return static_cast<std::int64_t>(fs::file_size(directory(ticks) / "capture.bin") / 1024);
  }
  void expect_flat(const std::map<std::string, std::int64_t>& shorter,
                   const std::map<std::string, std::int64_t>& longer) const {
    for (const char* program : {"broker", "clock", "consumer", "fencepost", "producer"}) {
      ASSERT_TRUE(shorter.contains(program) && longer.contains(program)) << program;
      EXPECT_LE(static_cast<double>(longer.at(program)),
                kFlat * static_cast<double>(shorter.at(program)))
          << program;
    }
  }
  void make_capture(std::int64_t ticks) const {
    bench::run_command(kFencepost, {"run", steady(ticks).string(), "--in-process", "--quiet",
                                    "--out", directory(ticks).string()});
  }
  void expect_judged_within(std::int64_t limit_kib, std::int64_t ticks) const;

  test::Scratch scratch_;
};

// Lists and judges a run; 0 if all that it expects holds.
int list_and_judge(const fs::path& scenario, const fs::path& run) {
  const LoadedScenario loaded = load_scenario(scenario.string());
  const RunDirectory directory(run);
  const Report report = make_report(*loaded.scenario, directory);
  leave_report(directory, report.story, "judged");
  const auto& expectations = report.judgement.expectations;
  const bool holds = std::ranges::all_of(expectations, [](const Verdict& verdict) {
    return verdict.outcome == Verdict::Outcome::kValid;
  });
  return holds && worst(report.judgement.checks) == Verdict::Outcome::kValid ? 0 : 1;
}

// In a process that gets no more memory than this.
void Memory::expect_judged_within(std::int64_t limit_kib, std::int64_t ticks) const {
  ASSERT_GT(capture_kib(ticks), 2 * limit_kib) << "a capture that would fit shows nothing";
  fs::remove(directory(ticks) / "packets.log");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto bytes = static_cast<rlim_t>(limit_kib) * 1024;
    const rlimit limit{bytes, bytes};
    if (setrlimit(RLIMIT_DATA, &limit) != 0) _exit(2);
    try {
      _exit(list_and_judge(steady(ticks), directory(ticks)));
    } catch (const std::exception&) {
      _exit(3);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "1: an expectation fails; 3: out of memory";
  EXPECT_GT(fs::file_size(directory(ticks) / "packets.log"),
            static_cast<std::uintmax_t>(ticks) * 100);
}

TEST_F(Memory, OfEachProcessIsFlatOverThousandsOfTicks) {
  const auto shorter = peaks(600);
  expect_flat(shorter, peaks(3000));
}

TEST_F(Memory, IsEnoughToListAndJudgeACaptureThatIsLarger) {
  make_capture(20'000);
  expect_judged_within(20 * 1024, 20'000);
}

class LongMemory : public Memory {};

TEST_F(LongMemory, OfEachProcessIsFlatUpToAHundredThousandTicks) {
  const auto thousand = peaks(1'000);
  const auto ten_thousand = peaks(10'000);
  const auto hundred_thousand = peaks(100'000);
  expect_flat(thousand, ten_thousand);
  expect_flat(ten_thousand, hundred_thousand);
  // The capture is written as a stream.
  EXPECT_LT(hundred_thousand.at("clock") * 5, capture_kib(100'000));
  EXPECT_LT(hundred_thousand.at("fencepost") * 5, capture_kib(100'000));
  expect_judged_within(24 * 1024, 100'000);
}

}  // namespace
}  // namespace fencepost::lab
