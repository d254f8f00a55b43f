// Pages of docs/ show real output: every line of it is printed by the command above it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "lab/commands/command.h"
#include "lab/commands/run.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

constexpr std::string_view kCode = "    ";
constexpr std::string_view kPrompt = "$ ./fencepost ";

// A command of the page, and what it shows below it.
struct Example {
  std::vector<std::string> words;
  std::string output;
};

std::vector<Example> examples_of(const std::string& name) {
  std::ifstream page(std::filesystem::path(FENCEPOST_SOURCE_DIR) / "docs" / name);
  std::vector<Example> found;
  bool open = false;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with(kCode)) {
      open = false;
      continue;
    }
    line.erase(0, kCode.size());
    if (line.starts_with(kPrompt)) {
      std::istringstream words(line.substr(kPrompt.size()));
      found.emplace_back();
      for (std::string word; words >> word;) found.back().words.push_back(word);
      open = true;
    } else if (open) {
      found.back().output += line + "\n";
    }
  }
  return found;
}

struct Page {
  std::string name;
  std::size_t examples;  // that are compared, at least
};

class Pages : public testing::TestWithParam<Page> {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    std::filesystem::create_directory_symlink(
        std::filesystem::path(FENCEPOST_SOURCE_DIR) / "scenarios", scratch_.path() / "scenarios");
    std::filesystem::current_path(scratch_.path());
  }
  void TearDown() override { std::filesystem::current_path(before_); }

  static std::string call(std::vector<std::string> words) {
    if (words.front() == "run") words.emplace_back("--in-process");
    CLI::App app;
    Chosen chosen;
    add_packets(app, chosen);
    add_run(app, chosen);
    add_why(app, chosen);
    std::reverse(words.begin(), words.end());
    app.parse(words);
    std::ostringstream out;
    std::streambuf* const screen = std::cout.rdbuf(out.rdbuf());
    testing::internal::CaptureStdout();
    const int code = chosen();
    const std::string printed = testing::internal::GetCapturedStdout();
    std::cout.rdbuf(screen);
    EXPECT_EQ(code, kExitHolds);
    return out.str() + printed;
  }

  const test::Scratch scratch_;
  std::filesystem::path before_;
};

TEST_P(Pages, ShowRealOutput) {
  std::size_t compared = 0;
  for (const Example& example : examples_of(GetParam().name)) {
    const bool piped = std::ranges::find(example.words, "|") != example.words.end();
    if (piped) continue;
    std::string printed = call(example.words);
    if (example.output.empty()) continue;
    // A page ends its examples without an empty line.
    while (printed.ends_with("\n\n")) printed.pop_back();
    EXPECT_EQ(printed, example.output);
    ++compared;
  }
  EXPECT_GE(compared, GetParam().examples);
}

INSTANTIATE_TEST_SUITE_P(All, Pages, testing::Values(Page{"packets.md", 4}, Page{"why.md", 3}),
                         [](const auto& tested) {
                           return tested.param.name.substr(0, tested.param.name.find('.'));
                         });

}  // namespace
}  // namespace fencepost::lab
