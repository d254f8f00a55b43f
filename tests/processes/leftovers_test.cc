// Whatever ends a run, at whatever moment: no process is left, no port and no temporary file.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <thread>
#include <utility>

#include "lab/child_process.h"
#include "tests/processes/process_world.h"

namespace fencepost::test {
namespace {

constexpr const char* kScenario = R"(
topics: {orders: 3, invoices: 1}
processes:
  B1: {role: broker}
  P1: {role: producer, records: {orders: 500}}
  C1: {role: consumer, group.id: billing, subscribe: orders, output: invoices}
  C2: {role: consumer, group.id: billing, subscribe: orders, output: invoices}
until: 10000000
)";

struct Ending {
  std::string name;
  std::string process;  // empty: the command itself
  int signal;
  int stopped_before;  // C2 is, in so many of a hundred runs
};

void PrintTo(const Ending& ending, std::ostream* out) { *out << ending.name; }

class Leftovers : public testing::TestWithParam<Ending> {
 protected:
  static constexpr int kRuns = 6;
  static constexpr int kLatest = 250;  // ms after the start

  void run_and_end(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](int bound) {
      return std::uniform_int_distribution<int>(0, bound - 1)(random);
    };
    const RunDirectory directory;
    const pid_t command = start(directory);
    // The moment is what is random here.
    std::this_thread::sleep_for(std::chrono::milliseconds(below(kLatest)));
    if (below(100) < GetParam().stopped_before) {
      if (const auto pid = pid_of(directory, "C2")) kill(*pid, SIGSTOP);
    }
    const std::string what = fmt::format("{}, seed {}", GetParam().name, seed);
    if (GetParam().process.empty()) {
      kill(command, GetParam().signal);
    } else if (const auto pid = pid_of(directory, GetParam().process)) {
      kill(*pid, GetParam().signal);
    }
    if (!ends_the_run()) kill(command, SIGINT);
    waitpid(command, nullptr, 0);
    expect_nothing_of(directory, what);
  }

  // A run goes on without its broker. Nobody may have been there yet to be killed.
  static bool ends_the_run() { return GetParam().process.empty(); }

  static pid_t start(const RunDirectory& directory) {
    std::ofstream(directory.path() + "/shop.yaml") << kScenario;
    std::filesystem::create_directory(directory.path() + "/tmp");
    setenv("TMPDIR", (directory.path() + "/tmp").c_str(), 1);
    lab::ChildCommand command;
    command.program = std::string(FENCEPOST_BINARIES) + "/fencepost";
    command.arguments = {"run",   directory.path() + "/shop.yaml", "--pace", "1",
                         "--out", directory.path() + "/run"};
    command.log_file = directory.path() + "/log";
    const pid_t child = lab::start_child(command);
    unsetenv("TMPDIR");
    return child;
  }

  static void expect_nothing_of(const RunDirectory& directory, const std::string& what) {
    EXPECT_TRUE(everybody_gone(directory)) << what;
    EXPECT_TRUE(std::filesystem::is_empty(directory.path() + "/tmp")) << what;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path())) {
      const std::string extension = entry.path().extension();
      EXPECT_TRUE(extension != ".tmp" && extension != ".lock" && !entry.is_socket() &&
                  !entry.is_fifo())
          << what << ": " << entry.path();
    }
  }
};

TEST_P(Leftovers, AreNone) {
  for (std::uint32_t seed = 1; seed <= kRuns && !HasFailure(); ++seed) run_and_end(seed);
}

INSTANTIATE_TEST_SUITE_P(Of, Leftovers,
                         testing::Values(Ending{"Interrupt", "", SIGINT, 30},
                                         Ending{"Termination", "", SIGTERM, 30},
                                         Ending{"ClosedTerminal", "", SIGHUP, 30},
                                         Ending{"Quit", "", SIGQUIT, 30},
                                         Ending{"KillOfTheRunner", "", SIGKILL, 30},
                                         Ending{"KillOfTheClock", "clock", SIGKILL, 30},
                                         Ending{"KillOfTheBroker", "B1", SIGKILL, 30}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace fencepost::test
