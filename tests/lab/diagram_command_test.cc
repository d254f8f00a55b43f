// What `fencepost diagram` writes where, and what it says where it cannot.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "lab/commands/command.h"
#include "tests/lab/run_builder.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {
namespace fs = std::filesystem;

struct Said {
  int code = -1;
  std::string out{};
  std::string error{};
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class DiagramCommand : public testing::Test {
 protected:
  DiagramCommand() {
    fs::create_directory(run_);
    RunBuilder()
        .joins("B1", "broker")
        .joins("C1", "consumer")
        .at(3)
        .fetches("C1", "orders-0", 0)
        .at(9)
        .killed("C1")
        .ends()
        .write((run_ / "capture.bin").string());
  }

  // DIR stands for the run directory, TMP for the folder around it.
  Said call(const std::string& words) {
    std::vector<std::string> all = {"diagram"};
    std::istringstream in(words);
    for (std::string word; in >> word;) {
      if (word.starts_with("DIR")) word.replace(0, 3, run_.string());
      if (word.starts_with("TMP")) word.replace(0, 3, scratch_.path().string());
      all.push_back(word);
    }
    CLI::App app;
    Chosen chosen;
    add_diagram(app, chosen);
    std::ranges::reverse(all);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Said said;
    try {
      app.parse(all);
      said.code = chosen();
    } catch (const std::exception& error) {  // as main() does
      said.code = kExitUnusable;
      std::fputs(error.what(), stderr);
    }
    std::fflush(stdout);
    said.out = testing::internal::GetCapturedStdout();
    said.error = testing::internal::GetCapturedStderr();
    return said;
  }

  test::Scratch scratch_;
  const fs::path run_ = scratch_.path() / "run";
};

TEST_F(DiagramCommand, WritesBothBesideTheCaptureAndSaysSo) {
  const Said said = call("DIR");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out, "");
  EXPECT_NE(said.error.find("diagram.mmd\n"), std::string::npos);
  EXPECT_NE(said.error.find("trace.json\n"), std::string::npos);
  EXPECT_TRUE(text_of(run_ / "diagram.mmd").starts_with("sequenceDiagram\n"));
  EXPECT_TRUE(text_of(run_ / "trace.json").starts_with("{\"displayTimeUnit\":\"ms\""));
}

TEST_F(DiagramCommand, WritesOneOfThemWhereItIsTold) {
  const Said said = call("DIR/capture.bin --mermaid -");
  EXPECT_TRUE(said.out.starts_with("sequenceDiagram\n"));
  EXPECT_EQ(said.error, "");
  EXPECT_FALSE(fs::exists(run_ / "trace.json"));
  EXPECT_EQ(call("DIR --trace TMP/t.json").code, 0);
  EXPECT_EQ(text_of(scratch_.path() / "t.json"), call("DIR --trace -").out);
  EXPECT_FALSE(fs::exists(run_ / "diagram.mmd"));
}

TEST_F(DiagramCommand, DrawsTheTicksThatItIsAskedFor) {
  const std::string whole = call("DIR --mermaid - --all").out;
  EXPECT_NE(whole.find("t=3 "), std::string::npos);
  for (const char* ticks : {"3", "..3", "0..8", "3.."}) {
    EXPECT_NE(call(std::string("DIR --mermaid - --all --ticks ") + ticks).out.find("t=3 "),
              std::string::npos)
        << ticks;
  }
  const std::string late = call("DIR --mermaid - --all --ticks 4..").out;
  EXPECT_EQ(late.find("t=3 "), std::string::npos);
  EXPECT_NE(late.find("tick 9: is killed"), std::string::npos);
}

TEST_F(DiagramCommand, SaysWhatIsWrong) {
  std::ofstream(scratch_.path() / "empty.bin");
  std::ofstream(scratch_.path() / "torn.bin") << text_of(run_ / "capture.bin").substr(0, 60);
  const std::pair<const char*, const char*> cases[] = {
      {"TMP/nothing", "there is no run directory"},
      {"TMP/empty.bin", "is empty, not a capture"},
      {"TMP/torn.bin", "the file ends within a record"},
      {"DIR --ticks 9..3", "--ticks 9..3: should be a range of ticks such as 10..20"},
      {"DIR --ticks soon", "--ticks soon: should be a range"},
      {"DIR --only Heartbeet", "did you mean \"Heartbeat\"?"},
      {"DIR --host C9", "unknown process \"C9\""},
      {"DIR --limit -1", "--limit: should be 0 (all) or more"},
      {"DIR --mermaid TMP/no/such.mmd", "no/such.mmd: cannot be written"},
      {"DIR --trace DIR", "cannot be written"},
  };
  for (const auto& [words, told] : cases) {
    const Said said = call(words);
    EXPECT_EQ(said.code, kExitUnusable) << words;
    EXPECT_NE(said.error.find(told), std::string::npos) << words << ": " << said.error;
    EXPECT_EQ(std::ranges::count(said.error, '\n'), 0) << said.error;
  }
}

}  // namespace
}  // namespace fencepost::lab
