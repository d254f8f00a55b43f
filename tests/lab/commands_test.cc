// What the commands print, for one small run in one process.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lab/commands/command.h"
#include "lab/journal_file.h"
#include "lab/run_directory.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {
namespace fs = std::filesystem;

constexpr const char* kScenario =
    "topics: {orders: 2, invoices: 1}\n"
    "processes:\n"
    "  B1: {role: broker}\n"
    "  P1: {role: producer, records: {orders: 2}, start.ms: 9000}\n"
    "  C1: {role: consumer, group.id: billing, subscribe: orders, output: invoices,\n"
    "    auto.offset.reset: earliest}\n"
    "until: 30\n"
    "expect: {generations: 7, lost: 0}\n";

struct Said {
  int code = -1;
  std::string out{};
  std::string error{};  // thrown
};

// As /proc has it: a mask of the signals that a process handles.
bool catches(pid_t pid, int signal) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("SigCgt:")) continue;
    const std::uint64_t mask = std::stoull(line.substr(sizeof "SigCgt:"), nullptr, 16);
    return ((mask >> static_cast<unsigned>(signal - 1)) & 1U) != 0;
  }
  return false;
}

class Commands : public testing::Test {
 protected:
  Commands() { std::ofstream(folder_ / "small.yaml") << kScenario; }

  Said call(std::vector<std::string> words) {
    CLI::App app;
    Chosen chosen;
    add_run(app, chosen);
    add_replay(app, chosen);
    add_packets(app, chosen);
    add_diff(app, chosen);
    add_compare(app, chosen);
    std::reverse(words.begin(), words.end());
    app.parse(words);
    testing::internal::CaptureStdout();
    Said said;
    try {
      said.code = chosen();
    } catch (const std::exception& error) {  // as main() does
      said = {.code = kExitUnusable, .out = "", .error = error.what()};
    }
    std::fflush(stdout);
    said.out = testing::internal::GetCapturedStdout();
    return said;
  }
  Said run() {
    return call(
        {"run", (folder_ / "small.yaml").string(), "--in-process", "--quiet", "--out", run_});
  }
  Said replay() { return call({"replay", run_, "--in-process"}); }
  static std::string text_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  test::Scratch scratch_;
  const fs::path folder_ = scratch_.path();
  const std::string run_ = (folder_ / "run").string();
};

TEST_F(Commands, AQuietRunNamesTheExpectationsThatFail) {
  const Said said = run();
  EXPECT_EQ(said.code, kExitFails);
  EXPECT_TRUE(said.out.starts_with("invalid  generations: 7   found 1\n1 of 2 expectations hold\n"))
      << said.out;
}

TEST_F(Commands, CompareRunsBothSidesWithTheirProperties) {
  const std::string file = (folder_ / "small.yaml").string();
  const Said said = call({"compare", file, "--in-process", "--out", run_, "-X", "process.ms=2000",
                          "--with", "-X", "C1:process.ms=5000", "-X", "max.poll.records=1"});
  EXPECT_EQ(said.code, kExitHolds) << said.error;
  EXPECT_TRUE(said.out.starts_with("LEFT   " + file + " -X process.ms=2000\nRIGHT  " + file +
                                   " -X C1:process.ms=5000 -X max.poll.records=1\n"))
      << said.out;
  EXPECT_NE(said.out.find("rebalances                           1         1           =\n"),
            std::string::npos)
      << said.out;
  // What it left can be compared again.
  const Said again = call({"compare", run_ + "/left", run_ + "/right"});
  EXPECT_EQ(said.out.substr(said.out.find("a tick is")),
            again.out.substr(again.out.find("a tick is")));
}

TEST_F(Commands, CompareNeedsADifference) {
  const std::string file = (folder_ / "small.yaml").string();
  EXPECT_EQ(call({"compare", file, "--in-process", "--out", run_}).code, kExitUnusable);
  const Said said = call({"compare", file, "--out", run_, "--with", "-X", "max.pol.records=1"});
  EXPECT_EQ(said.code, kExitUnusable);
}

TEST_F(Commands, AReplayLeavesItsOwnStoryAndPackets) {
  run();
  const Said said = replay();
  EXPECT_EQ(said.code, kExitHolds) << said.out;
  EXPECT_NE(said.out.find("the same capture\n"), std::string::npos) << said.out;
  const RunDirectory original(run_);
  const RunDirectory again(fs::path(run_) / "replay");
  EXPECT_NE(said.out.find("run directory " + again.path().string()), std::string::npos);
  EXPECT_EQ(text_of(original.packets()), text_of(again.packets()));
  EXPECT_NE(text_of(again.summary()).find("invalid  generations: 7"), std::string::npos);
}

TEST_F(Commands, ARunThatWasCutShortIsReplayedAsFarAsItGoes) {
  run();
  const fs::path capture = RunDirectory(run_).capture();
  fs::resize_file(capture, fs::file_size(capture) * 2 / 3);
  const Said said = replay();
  EXPECT_EQ(said.code, kExitHolds) << said.out;
  EXPECT_NE(said.out.find("the same as far as the recorded run goes ("), std::string::npos)
      << said.out;
}

// As `up` leaves it when its clock is killed: nothing says where it ends.
TEST_F(Commands, ARunThatNothingEndsIsReplayedAsFarAsItWasRecorded) {
  run();
  const RunDirectory directory(run_);
  wire::Plan plan = directory.read_plan();
  plan.clear_until();
  write_file(directory.plan(), plan.SerializeAsString());
  const std::string whole = text_of(directory.capture());
  fs::resize_file(directory.capture(), whole.size() * 2 / 3);
  const Said said = replay();
  EXPECT_EQ(said.code, kExitHolds) << said.out;
  EXPECT_NE(said.out.find("the same as far as the recorded run goes ("), std::string::npos)
      << said.out;
  EXPECT_LT(text_of(RunDirectory(fs::path(run_) / "replay").capture()).size(), whole.size());
  fs::resize_file(directory.capture(), 0);
  EXPECT_EQ(replay().code, kExitUnusable);
}

TEST_F(Commands, AJournalsDecisionWithoutEffectIsSaid) {
  run();
  std::ofstream(RunDirectory(run_).journal(), std::ios::app)
      << "  - {tick: 5, kill: C9}\n  - {tick: 99, kill: C1}\n";
  const Said said = replay();
  EXPECT_EQ(said.code, kExitHolds) << said.out;
  EXPECT_TRUE(said.out.starts_with(
      "the journal's decision had no effect: tick 5, kill C9\n"
      "the journal's decision had no effect: tick 99, kill C1 (the last tick is 30)\n"))
      << said.out;
}

TEST_F(Commands, AnEditedJournalGivesAnotherRunAndItsStory) {
  run();
  std::ofstream(RunDirectory(run_).journal(), std::ios::app) << "  - {tick: 5, kill: B1}\n";
  const Said said = replay();
  EXPECT_EQ(said.code, kExitFails);
  EXPECT_LT(said.out.find("B1 is killed (kill -9)"), said.out.find("WHERE IT DIFFERS from "))
      << said.out;
  EXPECT_NE(said.out.find("\n>             5      5.000  B1     *** is killed"), std::string::npos)
      << said.out;
  EXPECT_NE(said.out.find("it is what was done by hand (>: B1 is killed (kill -9) from outside)"),
            std::string::npos)
      << said.out;
  const Said compared = call({"diff", run_, (fs::path(run_) / "replay").string()});
  EXPECT_EQ(compared.code, kExitFails);
  EXPECT_NE(compared.out.find("HOW THEY CAME OUT"), std::string::npos) << compared.out;
  EXPECT_NE(compared.out.find("  records once "), std::string::npos) << compared.out;
  const fs::path capture = RunDirectory(run_).capture();
  fs::resize_file(capture, fs::file_size(capture) - 3);
  const Said cut = call({"diff", run_, (fs::path(run_) / "replay").string()});
  EXPECT_EQ(cut.code, kExitFails) << cut.error;
  EXPECT_EQ(cut.out.find("HOW THEY CAME OUT"), std::string::npos) << cut.out;
}

TEST_F(Commands, AMistakeInAJournalIsNamedWithItsPlace) {
  run();
  const std::string journal = RunDirectory(run_).journal().string();
  std::ofstream(journal, std::ios::app)
      << "  - {tick: 5, join: C9, role: consumer, properties: {grup.id: billing}}\n";
  const Said said = replay();
  EXPECT_EQ(said.code, kExitUnusable);
  EXPECT_TRUE(said.error.starts_with(journal + ":8:")) << said.error;
}

TEST_F(Commands, AnEmptyCaptureIsNoCapture) {
  const std::string empty = (folder_ / "capture.bin").string();
  std::ofstream(empty).flush();
  EXPECT_EQ(call({"packets", empty}).error, empty + ": is empty, not a capture");
  EXPECT_EQ(call({"diff", empty, empty}).error, empty + ": is empty, not a capture");
}

TEST_F(Commands, ARunThatIsNotThereIsSaidWithThoseThatAre) {
  run();
  const std::string absent = (folder_ / "nope").string();
  const std::string near = (folder_ / "rum").string();
  for (const char* const command : {"replay", "packets"}) {
    const Said said = call({command, absent});
    EXPECT_EQ(said.code, kExitUnusable);
    EXPECT_EQ(said.error, "there is no run directory " + absent + "; in " + folder_.string() +
                              " there are: run");
  }
  EXPECT_EQ(call({"diff", run_, near}).error,
            "there is no run directory " + near + "; did you mean \"" + run_ + "\"?");
}

TEST_F(Commands, RecordedPacketsCanBeChosen) {
  run();
  const Said all = call({"packets", run_});
  const Said chosen = call({"packets", run_, "--only", "JoinGroup"});
  EXPECT_EQ(chosen.code, kExitHolds) << chosen.error;
  EXPECT_NE(chosen.out.find("JoinGroup Request"), std::string::npos);
  EXPECT_EQ(chosen.out.find("Fetch Request"), std::string::npos);
  const std::size_t begin = chosen.out.rfind('\n', chosen.out.find("JoinGroup Request")) + 1;
  const std::string line = chosen.out.substr(begin, chosen.out.find('\n', begin) - begin);
  EXPECT_NE(all.out.find(line), std::string::npos) << "another number: " << line;
  EXPECT_EQ(call({"packets", run_, "--only", "JoinGruop"}).code, kExitUnusable);
}

TEST_F(Commands, AnInterruptedReplayComparesNothing) {
  std::ofstream(folder_ / "long.yaml") << "topics: {orders: 1}\n"
                                          "processes:\n"
                                          "  B1: {role: broker}\n"
                                          "  P1: {role: producer, records: {orders: 1000000}}\n"
                                          "until: 1000000\n";
  const auto interrupt_soon = [] {
    const pid_t child = fork();
    if (child == 0) {
      // When the handler is there: it asks for nothing that a process has to be told.
      while (!catches(getppid(), SIGTERM)) usleep(1000);
      kill(getppid(), SIGTERM);
      _exit(0);
    }
    return child;
  };
  pid_t child = interrupt_soon();
  const Said said =
      call({"run", (folder_ / "long.yaml").string(), "--in-process", "--quiet", "--out", run_});
  waitpid(child, nullptr, 0);
  EXPECT_EQ(said.code, kExitUnknown) << said.out;
  EXPECT_TRUE(load_journal(RunDirectory(run_).journal().string()).ended);
  EXPECT_EQ(replay().code, kExitHolds) << "the journal has where it ended";
  std::ofstream(RunDirectory(run_).journal(), std::ios::trunc) << "fencepost.journal: 1\nseed: 1\n";
  child = interrupt_soon();
  const Said again = replay();
  waitpid(child, nullptr, 0);
  EXPECT_EQ(again.code, kExitUnknown) << again.out;
  EXPECT_FALSE(catches(getpid(), SIGTERM)) << "the handler has stayed";
}

TEST_F(Commands, ReplayLeavesTheRunItselfAlone) {
  run();
  const Said said = call({"replay", run_, "--in-process", "--out", run_ + "/."});
  EXPECT_EQ(said.code, kExitUnusable);
  EXPECT_TRUE(fs::exists(fs::path(run_) / "summary.txt"));
}

TEST_F(Commands, SeedIsANumberAndNothingElse) {
  for (const char* wrong : {"-1", "0x10", "+7", "7x", "", "99999999999999999999"}) {
    EXPECT_THROW(call({"run", (folder_ / "small.yaml").string(), std::string("--seed=") + wrong}),
                 CLI::ParseError)
        << wrong;
  }
}

}  // namespace
}  // namespace fencepost::lab
