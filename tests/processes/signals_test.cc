// What people do to processes by hand, and that nobody outlives a run.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <memory>
#include <utility>

#include "lab/journal_file.h"
#include "tests/processes/process_world.h"
#include "tests/processes/replays.h"

namespace fencepost::test {
namespace {

using namespace std::chrono_literals;

// A run that goes on until it is ended, slow enough to be disturbed, in a process of its own.
class LongRun : public testing::Test {
 protected:
  explicit LongRun(wire::Plan plan = billing_plan(100'000)) : plan_(std::move(plan)) {
    lab::RunOptions options = options_for(directory_);
    options.pace = 20ms;
    runner_ = run_in_background(plan_, options);
    const bool all_there = directory_.eventually([this] {
      for (const std::string name : {"B1", "P1", "C1", "C2"}) {
        if (directory_.log_of(name).find("joined") == std::string::npos) return false;
      }
      return true;
    });
    EXPECT_TRUE(all_there);
  }
  ~LongRun() override {
    if (runner_ > 0) {
      kill(runner_, SIGKILL);
      waitpid(runner_, nullptr, 0);
    }
  }

  void signal(const std::string& name, int number) {
    const std::optional<pid_t> pid = pid_of(directory_, name);
    ASSERT_TRUE(pid.has_value()) << name;
    kill(*pid, number);
  }
  int wait_for_runner() {
    int status = 0;
    waitpid(std::exchange(runner_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void interrupt() {
    kill(runner_, SIGINT);
    EXPECT_EQ(wait_for_runner(), 0);
  }
  bool nobody_is_left() { return everybody_gone(directory_); }
  bool journal_has(const std::string& text) {
    return directory_.eventually([&] {
      const lab::JournalFile journal = lab::load_journal(directory_.path() + "/journal.yaml");
      for (const wire::Decision& decision : journal.decisions) {
        const std::string entry =
            wire::Decision::Kind_Name(decision.kind()) + " " + decision.process();
        if (entry == text) return true;
      }
      return false;
    });
  }
  void expect_same_in_replays() {
    expect_same_in_replay(plan_, directory_, lab::World::kProcesses);
    expect_same_in_replay(plan_, directory_, lab::World::kInProcess);
  }

  // A reader that this test starts, so no child of the runner.
  auto start_by_hand(const std::string& name) {
    const auto address = run_command("cat " + directory_.path() + "/clock.address");
    const std::string command = std::string(FENCEPOST_BINARIES) + "/consumer --name " + name +
                                " --clock " + address.output.substr(0, address.output.find('\n')) +
                                " -X bootstrap.servers=B1:19092 -X app.assign=orders-0"
                                " -X auto.offset.reset=earliest 2>&1";
    return std::unique_ptr<FILE, int (*)(FILE*)>(popen(command.c_str(), "r"), pclose);
  }

  wire::Plan plan_;
  RunDirectory directory_;
  pid_t runner_ = -1;
};

TEST_F(LongRun, InterruptEndsItAndLeavesNobody) {
  interrupt();
  EXPECT_TRUE(nobody_is_left());
  EXPECT_TRUE(journal_has("END "));
  expect_same_in_replays();
}

TEST_F(LongRun, KillOfTheRunnerLeavesNobody) {
  signal("C2", SIGSTOP);
  EXPECT_TRUE(journal_has("FREEZE C2"));
  kill(runner_, SIGKILL);
  EXPECT_EQ(wait_for_runner(), -1);
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(LongRun, KillOfTheClockLeavesNobody) {
  signal("C2", SIGSTOP);
  EXPECT_TRUE(journal_has("FREEZE C2"));
  signal("clock", SIGKILL);
  EXPECT_EQ(wait_for_runner(), 1);
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(LongRun, KillByHandIsJournaledAndReplays) {
  signal("C2", SIGKILL);
  EXPECT_TRUE(journal_has("KILL C2"));
  interrupt();
  expect_same_in_replays();
}

TEST_F(LongRun, StopAndContinueByHandAreJournaledAndReplay) {
  signal("C1", SIGSTOP);
  EXPECT_TRUE(journal_has("FREEZE C1"));
  signal("C1", SIGCONT);
  EXPECT_TRUE(journal_has("THAW C1"));
  interrupt();
  expect_same_in_replays();
}

TEST_F(LongRun, TerminationByHandClosesGracefully) {
  signal("C2", SIGTERM);
  EXPECT_TRUE(journal_has("CLOSE C2"));
  EXPECT_TRUE(directory_.eventually([this] {
    return directory_.log_of("C2").find("ends with exit code 0") != std::string::npos;
  }));
  interrupt();
  expect_same_in_replays();
}

TEST_F(LongRun, ProcessStartedByHandJoinsAndReplays) {
  auto by_hand = start_by_hand("C9");
  EXPECT_TRUE(journal_has("JOIN C9"));
  interrupt();
  by_hand.reset();
  expect_same_in_replays();
}

// What the scenario does to C9 when it has read a record, whoever has started it.
wire::Plan plan_that_acts_on_c9() {
  wire::Plan plan = billing_plan(100'000);
  add_action_when(plan, "C9", "record.read", wire::Action::STOP, "C9");
  add_action(plan, 400, wire::Action::CONT, "C9");
  add_action(plan, 410, wire::Action::KILL, "C9");
  return plan;
}

class ScriptedLongRun : public LongRun {
 protected:
  ScriptedLongRun() : LongRun(plan_that_acts_on_c9()) {}
};

TEST_F(ScriptedLongRun, ActsOnWhoWasStartedByHand) {
  auto by_hand = start_by_hand("C9");
  EXPECT_TRUE(journal_has("JOIN C9"));
  EXPECT_TRUE(directory_.eventually(
      [this] { return directory_.log_of("clock").find("C9 is gone") != std::string::npos; }));
  interrupt();
  by_hand.reset();
  const std::vector<std::string> lives = lives_of(capture_of(directory_));
  for (const std::string life : {"FREEZE C9", "THAW C9", "KILL C9"}) {
    EXPECT_NE(std::find(lives.begin(), lives.end(), life), lives.end()) << life;
  }
  EXPECT_FALSE(journal_has("KILL C9")) << "the scenario did it";
  expect_same_in_replays();
}

}  // namespace
}  // namespace fencepost::test
