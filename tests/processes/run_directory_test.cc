#include "lab/run_directory.h"

#include <gtest/gtest.h>

#include <fstream>

#include "clock/core/journal.h"

namespace fencepost::lab {
namespace {

namespace fs = std::filesystem;

class RunDirectoryTest : public testing::Test {
 protected:
  RunDirectoryTest() {
    std::string pattern = fs::temp_directory_path() / "fencepost-directory-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << pattern;
    folder_ = pattern;
  }
  ~RunDirectoryTest() override { fs::remove_all(folder_); }

  fs::path path() const { return folder_ / "run"; }
  static void write(const fs::path& file) { std::ofstream(file) << "text"; }
  // What a run leaves, with one file that its scenario included.
  void leave_run(const std::vector<wire::Decision::Kind>& decisions, bool replay = false) const {
    const RunDirectory directory(path());
    directory.prepare();
    Scenario scenario;
    scenario.plan.set_replay(replay);
    scenario.files = {{"my.yaml", "one"}, {"base.yaml", "two"}};
    directory.keep(scenario);
    std::string journal = clock::journal_header(scenario.plan, "scenario.yaml");
    for (const wire::Decision::Kind kind : decisions) {
      wire::Decision decision;
      decision.set_tick(3);
      decision.set_kind(kind);
      decision.set_process("C1");
      journal += clock::journal_line(decision, 1000);
    }
    write_file(directory.journal(), journal);
    fs::create_directories(path() / "logs");
    write(path() / "logs" / "C1.log");
    write(directory.capture());
    write(path() / kReportFile);
    write(path() / (std::string(kReportAgainst) + "other.html"));
    write(path() / kTraceFile);
  }
  std::string refusal() const {
    try {
      RunDirectory(path()).prepare();
      return "none";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  fs::path folder_;
};

TEST_F(RunDirectoryTest, LosesWhatARunLeftAndNothingElse) {
  leave_run({wire::Decision::END});
  write(path() / "notes.yaml");
  fs::create_directories(path() / "mine");
  RunDirectory(path()).prepare();
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(path())) left.push_back(entry.path().filename());
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"mine", "notes.yaml"}));
}

TEST_F(RunDirectoryTest, IsNotOverwrittenByWhatIsMadeOfIt) {
  leave_run({wire::Decision::END});
  const fs::path capture = RunDirectory(path()).capture();
  const fs::path other = folder_ / "elsewhere";
  fs::create_directories(other);
  fs::create_symlink(capture, other / "link");
  fs::create_hard_link(capture, other / "hard");
  for (const fs::path& taken :
       {capture, RunDirectory(path()).plan(), RunDirectory(path()).journal(),
        path() / "logs" / "C1.log", path() / "logs" / ".." / "capture.bin", other / "link",
        other / "hard"}) {
    EXPECT_THROW(require_not_of_run(taken, path()), std::runtime_error) << taken;
    EXPECT_THROW(require_not_of_run(taken, capture), std::runtime_error) << taken;
  }
  // Of another run than the one that it was made of.
  EXPECT_THROW(require_not_of_run(capture, other / "capture.bin"), std::runtime_error);
  for (const fs::path& free : {path() / kReportFile, path() / "a.pcapng", other / "capture.bin"}) {
    EXPECT_NO_THROW(require_not_of_run(free, path())) << free;
  }
}

TEST_F(RunDirectoryTest, OfADisturbedRunIsKeptUnderAnotherName) {
  for (const char* name : {"run.1", "run.2"}) {
    leave_run({wire::Decision::KILL, wire::Decision::END});
    RunDirectory(path() / "").prepare();
    EXPECT_TRUE(fs::is_empty(path()));
    EXPECT_TRUE(fs::exists(folder_ / name / "capture.bin"));
  }
}

TEST_F(RunDirectoryTest, OfADisturbedReplayIsNotKept) {
  leave_run({wire::Decision::KILL}, true);
  RunDirectory(path()).prepare();
  EXPECT_TRUE(fs::is_empty(path()));
  EXPECT_FALSE(fs::exists(folder_ / "run.1"));
}

TEST_F(RunDirectoryTest, WithAJournalThatCannotBeReadIsKept) {
  leave_run({});
  write(path() / "journal.yaml");
  RunDirectory(path()).prepare();
  EXPECT_TRUE(fs::exists(folder_ / "run.1" / "journal.yaml"));
}

TEST_F(RunDirectoryTest, BelongsToOneRunAtATime) {
  {
    const RunDirectory first(path());
    first.prepare();
    EXPECT_NE(refusal().find("another run is using this directory"), std::string::npos);
  }
  EXPECT_EQ(refusal(), "none");
}

TEST_F(RunDirectoryTest, WithAnythingElseIsRefusedAndUntouched) {
  fs::create_directories(path());
  write(path() / "thesis.tex");
  EXPECT_NE(refusal().find("not a run"), std::string::npos);
  EXPECT_TRUE(fs::exists(path() / "thesis.tex"));
  fs::remove_all(path());
  write(path());
  EXPECT_NE(refusal().find("is a file"), std::string::npos);
}

}  // namespace
}  // namespace fencepost::lab
