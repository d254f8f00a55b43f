// The walk of the README without Docker: `up` in a terminal, kill from another one, and a replay of
// what came of it.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "tests/processes/terminal.h"

namespace fencepost::test {
namespace {

constexpr const char* kShop = R"(
name: shop
tick.ms: 1000
topics: {orders: 3, invoices: 1}
defaults:
  broker: {group.initial.rebalance.delay.ms: 0}
  consumer:
    session.timeout.ms: 10000
    heartbeat.interval.ms: 2000
    enable.auto.commit: false
    auto.offset.reset: earliest
processes:
  B1: {role: broker}
  P1: {role: producer, records: {orders: 100000}, interval.ms: 4000}
  C1: {role: consumer, group.id: billing, subscribe: orders, output: invoices}
  C2: {role: consumer, group.id: billing, subscribe: orders, output: invoices}
  C3: {role: consumer, group.id: billing, subscribe: orders, output: invoices}
until: 1000000
)";

class Walk : public testing::Test {
 protected:
  Walk() { std::ofstream(directory_.path() + "/shop.yaml") << kShop; }

  static std::vector<std::string> up(const std::string& file,
                                     const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"up", file, "--pace", "20"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  CommandResult tell(const std::string& words) { return at_another_terminal(directory_, words); }
  void expect_told(const std::string& words, const std::string& answer) {
    const CommandResult result = tell(words);
    EXPECT_EQ(result.exit_code, 0) << words << "\n" << result.output;
    EXPECT_NE(result.output.find(answer), std::string::npos) << words << "\n" << result.output;
  }
  void expect_refused(const std::string& words, const std::string& why) {
    const CommandResult result = tell(words);
    EXPECT_EQ(result.exit_code, 2) << words << "\n" << result.output;
    EXPECT_NE(result.output.find(why), std::string::npos) << words << "\n" << result.output;
  }
  void signal(const std::string& name, int number, const std::string& cluster = "") {
    const pid_t pid = pid_by_ps(directory_, name, cluster);
    ASSERT_GT(pid, 0) << name;
    kill(pid, number);
  }
  void expect_same_in_replay(const std::string& run) {
    expect_told("replay " + run, "the same capture");
    expect_told("replay " + run + " --in-process", "the same capture");
  }
  void end_by_control_c(Terminal& terminal) {
    terminal.type("\x03");
    EXPECT_EQ(terminal.wait(), 0) << terminal.screen();
    EXPECT_TRUE(nobody_works_in(directory_));
  }

  RunDirectory directory_;
};

TEST_F(Walk, KillZombieRestartAndReplay) {
  Terminal terminal(directory_, up("shop.yaml"));
  EXPECT_TRUE(terminal.shows("shop is up"));
  EXPECT_TRUE(terminal.shows("kill -9 "));
  EXPECT_TRUE(terminal.shows("\x1b[36m")) << "no colours";
  expect_told("status --wait Stable --members 3", "is Stable");

  signal("C2", SIGKILL);
  EXPECT_TRUE(terminal.shows("is killed (kill -9) from outside"));
  expect_told("status --wait Stable --members 2", "session of member C2 expired");

  signal("C3", SIGSTOP);
  expect_told("status --wait Stable --members 1", "session of member C3 expired");
  signal("C3", SIGCONT);
  EXPECT_TRUE(terminal.shows("goes on (SIGCONT) from outside"));
  EXPECT_TRUE(terminal.shows("UNKNOWN_MEMBER_ID"));
  expect_told("status --wait Stable --members 2", "is Stable");

  expect_told("start C2", "C2 has joined at tick");
  EXPECT_TRUE(terminal.shows("C2 is pid "));
  expect_told("status --wait Stable --members 3", "is Stable");

  end_by_control_c(terminal);
  EXPECT_NE(terminal.screen().find("C2 is removed from group billing"), std::string::npos);
  EXPECT_NE(terminal.screen().find(" replay runs/shop --in-process"), std::string::npos);
  expect_same_in_replay("runs/shop");
}

// The administrator is a process like the others, so it is in the journal.
TEST_F(Walk, GroupsAreDescribedAndTheRunReplays) {
  Terminal terminal(directory_, up("shop.yaml"));
  EXPECT_TRUE(terminal.shows("shop is up"));
  expect_told("status --wait Stable --members 3", "is Stable");
  expect_told("groups --describe --group billing --state",
              "billing         B1:19092  (1)             range");
  expect_told("groups --list", "billing\n");
  const CommandResult missing = tell("groups --describe --group nobody");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.output.find("Error: Consumer group 'nobody' does not exist."),
            std::string::npos)
      << missing.output;
  EXPECT_TRUE(terminal.shows("admin-3"));
  end_by_control_c(terminal);
  expect_same_in_replay("runs/shop");
}

// Moves the first kill in a run's journal one tick earlier.
void kill_one_tick_earlier(const std::string& journal) {
  std::ifstream in(journal);
  std::string text;
  bool done = false;
  for (std::string line; std::getline(in, line);) {
    const std::size_t tick = line.find("tick: ");
    if (!done && line.find(", kill: ") != std::string::npos && tick != std::string::npos) {
      const std::size_t begin = tick + 6;
      const std::size_t end = line.find(',', begin);
      const int number = std::stoi(line.substr(begin, end - begin));
      line.replace(begin, end - begin, std::to_string(number - 1));
      done = true;
    }
    text += line + "\n";
  }
  in.close();
  std::ofstream(journal) << text;
}

TEST_F(Walk, KillIsMovedInTheJournal) {
  Terminal terminal(directory_, up("shop.yaml"));
  EXPECT_TRUE(terminal.shows("shop is up"));
  expect_told("status --wait Stable --members 3", "is Stable");
  signal("C2", SIGKILL);
  expect_told("status --wait Stable --members 2", "is Stable");
  end_by_control_c(terminal);
  const std::string journal = directory_.path() + "/runs/shop/journal.yaml";
  EXPECT_NE(directory_.text_of("runs/shop/journal.yaml").find(" ms C2 is killed (kill -9)"),
            std::string::npos);
  kill_one_tick_earlier(journal);
  const CommandResult replay = tell("replay runs/shop");
  EXPECT_EQ(replay.exit_code, 1);
  for (const char* part : {"C2 is killed (kill -9)", "REBALANCES of group billing",
                           "WHERE IT DIFFERS from runs/shop", "C2     *** is killed"}) {
    EXPECT_NE(replay.output.find(part), std::string::npos) << part << "\n" << replay.output;
  }
  const CommandResult inside = tell("replay runs/shop --in-process --out runs/inside");
  EXPECT_EQ(inside.exit_code, 1);
  expect_told("diff runs/shop/replay runs/inside", "the captures are the same");
  const CommandResult diff = tell("diff runs/shop runs/shop/replay");
  EXPECT_EQ(diff.exit_code, 1);
  EXPECT_NE(diff.output.find(">"), std::string::npos) << diff.output;
}

TEST_F(Walk, TimeObeysAndReplaysAllTheSame) {
  Terminal terminal(directory_, up("shop.yaml"));
  EXPECT_TRUE(terminal.shows("shop is up"));
  expect_told("pause", "paused after tick");
  EXPECT_TRUE(terminal.shows("paused after tick"));
  expect_told("status", "; paused");
  expect_told("step 3", "paused after tick");
  signal("C1", SIGKILL);
  EXPECT_TRUE(terminal.shows("is killed (kill -9) from outside"));
  expect_told("restart C1 -X max.poll.records=1", "C1 has joined at tick");
  expect_told("start C4 --like C3", "C4 has joined at tick");
  expect_told("pace 5", "5 ms a tick");
  expect_told("go", "goes on");
  EXPECT_TRUE(terminal.shows("the clock goes on"));
  expect_told("status --wait Stable --members 4", "is Stable");
  end_by_control_c(terminal);
  expect_same_in_replay("runs/shop");
}

TEST_F(Walk, KillAtABreakpointLeavesDuplicates) {
  const std::string scenario = std::string(FENCEPOST_SOURCE_DIR) + "/scenarios/breakpoint.yaml";
  Terminal terminal(directory_, up(scenario));
  EXPECT_TRUE(terminal.shows("paused at the breakpoint {when: {process: C2"));
  expect_told("status", "paused at the breakpoint {when: {process: C2");
  signal("C2", SIGKILL);
  EXPECT_TRUE(terminal.shows("is killed (kill -9) from outside"));
  expect_told("go", "goes on");
  EXPECT_TRUE(terminal.shows("the clock goes on"));
  expect_told("status --wait Stable --members 1", "session of member C2 expired");
  EXPECT_TRUE(terminal.shows("inv(p2.5)"));
  end_by_control_c(terminal);
  EXPECT_NE(terminal.screen().find("twice    p2.3 p2.4"), std::string::npos) << terminal.screen();
  expect_same_in_replay("runs/breakpoint");
}

TEST_F(Walk, SeveralClustersAreKeptApart) {
  expect_refused("ps", directory_.path() + "/runs; start one with");
  Terminal one(directory_, up("shop.yaml", {"--name", "one"}));
  Terminal two(directory_, up("shop.yaml", {"--name", "two"}));
  EXPECT_TRUE(one.shows("one is up"));
  EXPECT_TRUE(two.shows("two is up"));
  EXPECT_TRUE(two.shows("status --name two"));
  expect_refused("ps", "several clusters are up here: one, two; say which with --name");
  expect_refused("ps --name ona", "did you mean \"one\"?; up are: one, two");
  expect_refused("up shop.yaml --name one", "another run is using this directory");
  expect_told("status --wait Stable --members 3 --name one", "is Stable");
  signal("C1", SIGKILL, "one");
  expect_told("status --wait Stable --members 2 --name one", "is Stable");
  expect_told("status --wait Stable --members 3 --name two", "is Stable");
  two.type("\x03");
  EXPECT_EQ(two.wait(), 0);
  expect_told("ps", "C2 ");
  end_by_control_c(one);
}

TEST_F(Walk, MistakesAreNamed) {
  Terminal terminal(directory_, up("shop.yaml"));
  EXPECT_TRUE(terminal.shows("shop is up"));
  expect_refused("restart C8", "unknown process \"C8\"; did you mean \"C1\"?");
  expect_refused("start C9", "a new one needs --like NAME or --role ROLE");
  expect_refused("start C1", "C1 is there already");
  expect_refused("start C9 --like C1 -X grup.id=x", "did you mean \"group.id\"?");
  expect_refused("status --wait stable", "did you mean \"Stable\"?");
  expect_refused("ps --clock 127.0.0.1:1", "no clock answers at 127.0.0.1:1");
  EXPECT_EQ(tell("status --wait Dead --timeout 0.1").exit_code, 1);
  expect_refused("up shop.yaml --name ../x", "\"../x\" is no name of a cluster");
  expect_refused("kill 17", "these are real processes");
  expect_refused("down", "ends a cluster");
  expect_refused("up nope.yaml", "nope.yaml: there is no such file in " + directory_.path());
  expect_told("ps", "its Ctrl-C, or kill, ends the cluster");
  expect_told("status --process C1", "C1 is running");
  EXPECT_EQ(tell("status --process C7").exit_code, 1);
  expect_told("packets runs/shop --follow --host C1 --only JoinGroup,Fetch | grep -m 1 Fetch.Re",
              "Fetch Re");
  expect_told("packets runs/shop --follow --format json | head -n 1", "{\"kind\":\"rule\"");
  expect_told("packets runs/shop --ticks 0", "has no end: the run goes on, or was cut short");
  expect_refused("packets runs/shop --follow --host C8", "--host: unknown process \"C8\"");
  end_by_control_c(terminal);
  expect_refused("packets runs/shop --follow", "the run in runs/shop has ended");
  expect_told("packets runs/shop --only JoinGroup", "JoinGroup Request");
}

// ---- however it ends ----

struct WayOut {
  const char* name;
  const char* process;  // whom a signal reaches; empty: the command itself
  int signal;           // 0: the terminal is closed
  int exit_code;        // -1: by the signal
  bool replays;
};

class WaysOut : public Walk, public testing::WithParamInterface<WayOut> {};

TEST_P(WaysOut, LeaveNobody) {
  const WayOut& way = GetParam();
  Terminal terminal(directory_, up("shop.yaml"));
  EXPECT_TRUE(terminal.shows("shop is up"));
  signal("C2", SIGSTOP);
  EXPECT_TRUE(terminal.shows("is stopped (SIGSTOP)"));
  if (way.signal == 0) {
    terminal.close();
  } else if (*way.process == '\0') {
    kill(terminal.pid(), way.signal);
  } else {
    signal(way.process, way.signal);
  }
  EXPECT_EQ(terminal.wait(), way.exit_code) << terminal.screen();
  EXPECT_TRUE(nobody_works_in(directory_));
  if (way.replays) expect_same_in_replay("runs/shop");
}

INSTANTIATE_TEST_SUITE_P(
    Walk, WaysOut,
    testing::ValuesIn(std::vector<WayOut>{
        {.name = "ClosedTerminal", .process = "", .signal = 0, .exit_code = 2, .replays = true},
        {.name = "Sigterm", .process = "", .signal = SIGTERM, .exit_code = 0, .replays = true},
        {.name = "Hangup", .process = "", .signal = SIGHUP, .exit_code = 0, .replays = true},
        {.name = "KilledItself",
         .process = "",
         .signal = SIGKILL,
         .exit_code = -1,
         .replays = false},
        {.name = "KilledClock",
         .process = "clock",
         .signal = SIGKILL,
         .exit_code = 3,
         .replays = false},
        {.name = "TerminatedClock",
         .process = "clock",
         .signal = SIGTERM,
         .exit_code = 0,
         .replays = true}}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(Walk, GoesOnWithoutItsBroker) {
  Terminal terminal(directory_, up("shop.yaml"));
  EXPECT_TRUE(terminal.shows("shop is up"));
  expect_told("status --wait Stable --members 3", "is Stable");
  signal("B1", SIGKILL);
  EXPECT_TRUE(terminal.shows("[refused: nobody there]"));
  expect_told("status", "B1 is not there\n");
  expect_told("status", "known last  its coordinator B1 is not there\n");
  const CommandResult waited = tell("status --wait Dead --timeout 0.1");
  EXPECT_NE(waited.output.find("have passed\nB1 is not there\n"), std::string::npos)
      << waited.output;
  expect_told("restart B1", "B1 has joined at tick");
  expect_told("status --wait Stable --members 3", "is Stable");
  end_by_control_c(terminal);
  expect_same_in_replay("runs/shop");
}

}  // namespace
}  // namespace fencepost::test
