// `fencepost packets`, as the shell sees it: what goes where, and the exit status.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

namespace fs = std::filesystem;

struct Said {
  int code = 0;
  std::string out;  // with what it said on standard error
};

class PacketsCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new test::Scratch;
    const std::string demo = "scenarios/demos/07b-zombie-sigstop.yaml";
    ASSERT_EQ(shell(fmt::format("{} run {} --in-process --quiet --out {}", program(),
                                (fs::path(FENCEPOST_SOURCE_DIR) / demo).string(), run().string()))
                  .code,
              0);
  }
  static void TearDownTestSuite() {
    delete scratch_;
    scratch_ = nullptr;
  }

  static std::string program() { return std::string(FENCEPOST_BINARIES) + "/fencepost"; }
  static fs::path run() { return scratch_->path() / "run"; }
  static Said shell(const std::string& command) {
    Said said;
    FILE* const pipe = ::popen(("{ " + command + "; } 2>&1").c_str(), "r");
    std::array<char, 4096> block{};
    for (std::size_t size = 0; (size = std::fread(block.data(), 1, block.size(), pipe)) > 0;) {
      said.out.append(block.data(), size);
    }
    said.code = WEXITSTATUS(::pclose(pipe));
    return said;
  }
  static Said packets(const std::string& words) {
    return shell(fmt::format("{} packets {}", program(), words));
  }
  static Said of_run(const std::string& words) { return packets(run().string() + " " + words); }

  static test::Scratch* scratch_;
};

test::Scratch* PacketsCommand::scratch_ = nullptr;

TEST_F(PacketsCommand, ListsWhatTheRunHasLeftAsPacketsLog) {
  std::ifstream log(run() / "packets.log");
  const std::string text{std::istreambuf_iterator<char>(log), std::istreambuf_iterator<char>()};
  EXPECT_EQ(of_run("").out, text);
  EXPECT_EQ(packets((run() / "capture.bin").string()).out, text);
}

TEST_F(PacketsCommand, FiltersHoldTogether) {
  const Said said =
      of_run("--between B1,C2 --errors --only OffsetCommit --ticks 60..70 --no-marks");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out,
            "   No.   Tick       Time  Source Destination Protocol  Length  Info\n"
            "   409     66     66.000  B1     C2          Fencepost     56  OffsetCommit Response  "
            "error=UNKNOWN_MEMBER_ID [request 405]\n");
}

TEST_F(PacketsCommand, NothingLeftIsSaidBesideTheList) {
  const Said said = of_run("--only JoinGroup --ticks 110.. --format json --no-marks");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out, "no packet of 711 matches\n");
  EXPECT_EQ(of_run("--only JoinGroup --ticks 110.. --format json --no-marks 2>/dev/null").out, "");
}

struct Mistake {
  const char* name;
  const char* words;
  const char* answer;
};

class Mistaken : public PacketsCommand, public testing::WithParamInterface<Mistake> {};

TEST_P(Mistaken, IsToldWhatToSay) {
  const Said said = of_run(GetParam().words);
  EXPECT_EQ(said.code, 2);
  EXPECT_NE(said.out.find(GetParam().answer), std::string::npos) << said.out;
}

INSTANTIATE_TEST_SUITE_P(
    Words, Mistaken,
    testing::Values(
        Mistake{"Api", "--only JoinGruop",
                "--only: unknown API or process \"JoinGruop\"; did you "
                "mean \"JoinGroup\"?"},
        Mistake{"Host", "--host C9", "--host: unknown process \"C9\"; did you mean \"C"},
        Mistake{"HostIsNoApi", "--host Fetch", "--host: unknown process \"Fetch\""},
        Mistake{"Between", "--between C2,B9", "--between: unknown process \"B9\"; did you mean"},
        Mistake{"BetweenOne", "--between C2", "--between takes two processes"},
        Mistake{"Group", "--group biling",
                "--group: unknown group \"biling\"; did you mean "
                "\"billing\"?"},
        Mistake{"Ticks", "--ticks 9..1", "--ticks: \"9..1\" is no range: say 10, 10..20"},
        Mistake{"Number", "--packet x", "--packet: \"x\" is no range"},
        Mistake{"Format", "--format xml", "--format"}, Mistake{"Option", "--onyl x", "--onyl"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(PacketsCommand, NorAnyOtherViewTakesThePlaceOfAFileOfTheRun) {
  const std::string directory = run().string();
  for (const char* view : {"packets {0} --pcapng {1}", "diagram {0} --mermaid {1}",
                           "diagram {0} --trace {1}", "report {0} --out {1}"}) {
    for (const char* name : {"capture.bin", "plan.bin", "scenario.yaml"}) {
      const fs::path file = run() / name;
      const auto size = fs::file_size(file);
      const Said said =
          shell(program() + " " + fmt::format(fmt::runtime(view), directory, file.string()));
      EXPECT_EQ(said.code, 2) << view;
      EXPECT_NE(said.out.find("belongs to the run itself"), std::string::npos) << said.out;
      EXPECT_EQ(fs::file_size(file), size) << view << " " << name;
    }
  }
}

TEST_F(PacketsCommand, ACaptureThatIsCutShortIsListed) {
  const fs::path cut = scratch_->path() / "cut.bin";
  fs::copy_file(run() / "capture.bin", cut, fs::copy_options::overwrite_existing);
  fs::resize_file(cut, fs::file_size(cut) / 2);
  const Said said = packets(cut.string());
  EXPECT_EQ(said.code, 0);
  EXPECT_NE(said.out.find("\n     1      0"), std::string::npos);
  EXPECT_NE(said.out.find("cut.bin: byte "), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("the file ends within"), std::string::npos) << said.out;
}

TEST_F(PacketsCommand, ADamagedCaptureIsListedUpToTheDamage) {
  const fs::path damaged = scratch_->path() / "damaged.bin";
  fs::copy_file(run() / "capture.bin", damaged, fs::copy_options::overwrite_existing);
  std::ofstream(damaged, std::ios::app | std::ios::binary) << std::string("\0\0\0\2\xff\xff", 6);
  const Said said = packets(damaged.string());
  EXPECT_EQ(said.code, 2);
  EXPECT_NE(said.out.find("*** end of the run"), std::string::npos);
  EXPECT_NE(said.out.find("cannot be understood; what comes before it is listed"),
            std::string::npos)
      << said.out;
}

TEST_F(PacketsCommand, WhatIsNoCaptureIsRefusedInOneLine) {
  const fs::path other = scratch_->path() / "other.bin";
  std::ofstream(other) << "this is no capture, whatever its name may say";
  for (const fs::path& path : {other, scratch_->path() / "nowhere", scratch_->path()}) {
    const Said said = packets(path.string());
    EXPECT_EQ(said.code, 2) << path;
    EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 1) << said.out;
  }
}

TEST_F(PacketsCommand, WhoStopsReadingDisturbsNobody) {
  const Said said = shell(fmt::format(
      "bash -c '{0} packets {1} --format json | head -n 1 >/dev/null; echo ${{PIPESTATUS[0]}}'",
      program(), run().string()));
  EXPECT_EQ(said.out, "0\n");
}

}  // namespace
}  // namespace fencepost::lab
