#include "lab/comparison.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/commands/command.h"
#include "lab/commands/run.h"
#include "lab/overrides.h"
#include "lab/run_directory.h"

namespace fencepost::lab {
namespace {
namespace fs = std::filesystem;

struct CompareArguments {
  std::string left;
  std::string right;                    // empty: the same as left
  std::vector<std::string> properties;  // of both sides, in the order of the command line
  std::size_t left_count = 0;           // so many of them are the left one's
  bool has_with = false;
  bool in_process = false;
  std::optional<std::uint64_t> seed;
  std::string out;  // empty: runs/NAME.compare
  std::string format = "table";
};

// What one side is made from.
struct Side {
  std::string path;  // a scenario, or the directory of a finished run
  std::vector<std::string> properties;

  std::string title() const {
    std::string text = path;
    for (const std::string& one : properties) text += " -X " + one;
    return text;
  }
};

struct SideOutcome {
  int exit_code = kExitHolds;
  std::optional<History> history;
};

SideOutcome judged(History history) {
  SideOutcome outcome;
  for (const Verdict& check : check_all(history)) {
    if (check.outcome != Verdict::Outcome::kInvalid) continue;
    fmt::print(stderr, "A CHECK FAILED: {}\n", check.subject);
    outcome.exit_code = kExitFails;
  }
  outcome.history = std::move(history);
  return outcome;
}

SideOutcome finished_run(const Side& side) {
  if (!side.properties.empty()) {
    fmt::print(stderr, "fencepost compare: {} is a finished run: -X cannot change it\n", side.path);
    return {kExitUnusable, std::nullopt};
  }
  return judged(read_history(RunDirectory(side.path).capture().string()));
}

SideOutcome run_side(const Side& side, const CompareArguments& arguments,
                     std::string_view subfolder) {
  std::optional<Scenario> scenario = load_or_complain(side.path);
  if (!scenario) return {kExitUnusable, std::nullopt};
  override_properties(scenario->plan, side.properties);
  identify(scenario->plan, arguments.seed);
  const fs::path folder = arguments.out.empty()
                              ? fs::path("runs") / (scenario->plan.name() + ".compare")
                              : fs::path(arguments.out);
  const RunDirectory directory(folder / subfolder);
  directory.prepare();
  directory.keep(*scenario);
  RunSettings settings;
  settings.world = arguments.in_process ? World::kInProcess : World::kProcesses;
  const RunOutcome outcome = run_plan(scenario->plan, settings, directory);
  if (outcome.interrupted) return {kExitUnknown, std::nullopt};
  if (outcome.failure) return {report_void(*scenario, outcome, directory), std::nullopt};
  SideOutcome side_outcome = judged(read_history(directory.capture().string()));
  if (outcome.disturbed) side_outcome.exit_code = kExitFails;
  return side_outcome;
}

SideOutcome play(const Side& side, const CompareArguments& arguments, std::string_view subfolder) {
  return fs::is_directory(side.path) ? finished_run(side) : run_side(side, arguments, subfolder);
}

int compare(const CompareArguments& arguments) {
  const auto middle =
      arguments.properties.begin() + static_cast<std::ptrdiff_t>(arguments.left_count);
  const Side left{arguments.left, {arguments.properties.begin(), middle}};
  const Side right{arguments.right.empty() ? arguments.left : arguments.right,
                   {middle, arguments.properties.end()}};
  if (left.path == right.path && left.properties == right.properties) {
    fmt::print(stderr,
               "fencepost compare: both sides are the same; name two files, or say what the other "
               "side has after --with\n");
    return kExitUnusable;
  }
  const SideOutcome one = play(left, arguments, "left");
  if (!one.history) return one.exit_code;
  const SideOutcome other = play(right, arguments, "right");
  if (!other.history) return other.exit_code;
  const Comparison comparison = compare_runs(*one.history, *other.history);
  const RunTitles titles{left.title(), right.title()};
  fmt::print("{}", arguments.format == "json" ? to_json(comparison, titles)
                                              : to_table(comparison, titles));
  return std::max(one.exit_code, other.exit_code);
}

// How many -X stand before --with: all of them if there is none.
std::size_t count_left(const CLI::App& command, const CLI::Option* property,
                       const CLI::Option* with) {
  std::size_t count = 0;
  for (const CLI::Option* option : command.parse_order()) {
    if (option == with) break;
    if (option == property) ++count;
  }
  return count;
}

void describe_compare(CLI::App& command) {
  command.footer(
      "Measured: rebalances, generations, the pause meter of each rebalance (docs/scenarios.md),\n"
      "records done twice, lost and pending, and for each partition the ticks in which nobody "
      "read\n"
      "or owned it. -X before --with is for the left run, behind it for the right one. What the\n"
      "scenarios expect is not judged. The runs are kept in runs/NAME.compare/left and right.\n"
      "Exit status: 0 compared, 1 compared, but a run was disturbed or a check failed,\n"
      "2 unusable input, 3 a run is not reproducible, 4 interrupted.\n\n"
      "Examples:\n"
      "  fencepost compare scenarios/demos/02-range-eager.yaml "
      "scenarios/demos/03-cooperative.yaml\n"
      "  fencepost compare my.yaml --with -X partition.assignment.strategy=cooperative-sticky\n"
      "  fencepost compare my.yaml -X C2:max.poll.records=10 --with -X C2:max.poll.records=1\n"
      "  fencepost compare runs/a runs/b --format json\n");
}

}  // namespace

void add_compare(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand(
      "compare", "Run the same faults under two configurations and measure the difference");
  command->add_option("LEFT", arguments->left, "A scenario, or the directory of a finished run")
      ->required();
  command->add_option("RIGHT", arguments->right, "Another one (default: the same)");
  const CLI::Option* property = add_overrides(*command, arguments->properties);
  const CLI::Option* with =
      command->add_flag("--with", arguments->has_with, "What follows is for the right run");
  command->add_flag("--in-process", arguments->in_process,
                    "All nodes in this process, without sockets: the same, faster");
  add_seed(*command, arguments->seed);
  command->add_option("--out", arguments->out, "Where the runs go (default: runs/NAME.compare)");
  command->add_option("--format", arguments->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  describe_compare(*command);
  command->callback([arguments, command, property, with, &chosen] {
    arguments->left_count = count_left(*command, property, with);
    chosen = [arguments] { return compare(*arguments); };
  });
}

}  // namespace fencepost::lab
