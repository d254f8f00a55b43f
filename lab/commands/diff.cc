#include "lab/diff.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "lab/commands/command.h"
#include "lab/outcomes.h"
#include "lab/run_directory.h"

namespace fencepost::lab {
namespace {

struct DiffArguments {
  std::string left;
  std::string right;
};

std::string capture_in(const std::string& path) {
  require_run(path);
  return std::filesystem::is_regular_file(path) ? path : RunDirectory(path).capture().string();
}

// Of a run that was cut short there is nothing to say.
std::string outcomes_of(const std::string& left, const std::string& right) {
  try {
    const std::string table = compare_outcomes(read_history(left), read_history(right));
    return table.empty() ? "" : "\n" + table;
  } catch (const std::runtime_error&) {
    return "";
  }
}

int print_diff(const DiffArguments& arguments) {
  const std::string left = capture_in(arguments.left);
  const std::string right = capture_in(arguments.right);
  const auto difference = first_difference(left, right);
  if (!difference) {
    std::printf("the captures are the same\n");
    return kExitHolds;
  }
  std::printf("%s%s", difference->c_str(), outcomes_of(left, right).c_str());
  return kExitFails;
}

}  // namespace

void add_diff(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<DiffArguments>();
  CLI::App* command =
      app.add_subcommand("diff", "Show the first packet or event in which two runs differ");
  command->add_option("LEFT", arguments->left, "A run directory or a capture.bin")->required();
  command->add_option("RIGHT", arguments->right, "Another one")->required();
  command->footer(
      "Behind it stands how the two came out: rebalances, and what became of the records.\n"
      "Exit status: 0 the same, 1 different, 2 unusable input.\n\n"
      "Example:\n"
      "  fencepost diff runs/a runs/b\n");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return print_diff(*arguments); }; });
}

}  // namespace fencepost::lab
