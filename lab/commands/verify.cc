#include <spdlog/fmt/fmt.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/commands/command.h"
#include "lab/commands/run.h"
#include "lab/diff.h"
#include "lab/load.h"
#include "lab/overrides.h"

namespace fencepost::lab {
namespace {

struct VerifyArguments {
  std::string file;
  int times = 10;
  bool stress = false;
  bool in_process = false;
  std::optional<std::uint64_t> seed;
  std::string out;                      // empty: runs/NAME.verify
  std::vector<std::string> properties;  // -X
};

// Every second run is under load; every second of these has one core only.
Load::Kind load_of(const VerifyArguments& arguments, int run) {
  if (!arguments.stress || run % 2 == 1) return Load::Kind::kNone;
  return run % 4 == 2 ? Load::Kind::kSpinning : Load::Kind::kOneCore;
}

std::string_view word_for(Load::Kind kind) {
  switch (kind) {
    case Load::Kind::kNone:
      return "";
    case Load::Kind::kSpinning:
      return "  (every core busy)";
    case Load::Kind::kOneCore:
      return "  (every core busy, one core for all)";
  }
  return "";
}

// The runs of one scenario, and how many different captures they gave.
class Verification {
 public:
  Verification(const VerifyArguments& arguments, const Scenario& scenario)
      : arguments_(arguments), scenario_(scenario), folder_(arguments.out) {
    if (folder_.empty()) {
      folder_ = std::filesystem::path("runs") / (scenario.plan.name() + ".verify");
    }
  }

  int run();

 private:
  bool run_once(int number);
  void show_difference() const;

  const VerifyArguments& arguments_;
  const Scenario& scenario_;
  std::filesystem::path folder_;
  std::map<std::string, std::filesystem::path> captures_;  // by hash: a run that gave it
  std::optional<std::string> first_;
  std::optional<std::string> other_;
  int disturbed_ = 0;
};

int Verification::run() {
  for (int number = 1; number <= arguments_.times; ++number) {
    if (!run_once(number)) return kExitNotReproducible;
  }
  if (other_) show_difference();
  if (disturbed_ > 0) {
    std::printf("%d of them were disturbed: something happened that the scenario does not say\n",
                disturbed_);
  }
  std::printf("%d runs, %zu distinct captures\n", arguments_.times, captures_.size());
  std::printf("capture sha256:%s\n", first_.value_or("").c_str());
  return captures_.size() == 1 && disturbed_ == 0 ? kExitHolds : kExitFails;
}

bool Verification::run_once(int number) {
  const RunDirectory directory(folder_ / fmt::format("run-{}", number));
  directory.prepare();
  directory.keep(scenario_);
  const Load::Kind kind = load_of(arguments_, number);
  RunSettings settings;
  settings.world = arguments_.in_process ? World::kInProcess : World::kProcesses;
  RunOutcome outcome;
  {
    const Load load(kind);
    outcome = run_plan(scenario_.plan, settings, directory);
  }
  if (outcome.failure || outcome.interrupted) {
    std::fprintf(stderr, "run %d: %s (see %s)\n", number,
                 outcome.failure.value_or("interrupted").c_str(), directory.path().c_str());
    return false;
  }
  const std::string& hash = outcome.capture_sha256;
  std::printf("%s", fmt::format("run {:>{}} of {}  sha256:{}{}\n", number,
                                std::to_string(arguments_.times).size(), arguments_.times,
                                hash.substr(0, 16), word_for(kind))
                        .c_str());
  std::fflush(stdout);
  if (outcome.disturbed) ++disturbed_;
  if (!first_) first_ = hash;
  if (hash != *first_ && !other_) other_ = hash;
  const bool is_new = captures_.try_emplace(hash, directory.path()).second;
  if (!is_new) std::filesystem::remove_all(directory.path());
  return true;
}

void Verification::show_difference() const {
  const RunDirectory left(captures_.at(*first_));
  const RunDirectory right(captures_.at(*other_));
  std::printf("%s and %s: ", left.path().c_str(), right.path().c_str());
  const auto difference = first_difference(left.capture().string(), right.capture().string());
  std::printf("%s", difference.value_or("no difference in records\n").c_str());
}

int verify(const VerifyArguments& arguments) {
  std::optional<Scenario> scenario = load_or_complain(arguments.file);
  if (!scenario) return kExitUnusable;
  override_properties(scenario->plan, arguments.properties);
  identify(scenario->plan, arguments.seed);
  return Verification(arguments, *scenario).run();
}

}  // namespace

void add_verify(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* command =
      app.add_subcommand("verify", "Run a scenario many times and compare the captures");
  command->add_option("FILE", arguments->file, "The scenario")->required();
  command->add_option("--times", arguments->times, "How often (default 10)")
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--stress", arguments->stress,
                    "Half of the runs with every core loaded, some on one core");
  command->add_flag("--in-process", arguments->in_process,
                    "All nodes in this process, without sockets");
  add_seed(*command, arguments->seed);
  add_overrides(*command, arguments->properties);
  command->add_option("--out", arguments->out, "Where runs go (default: runs/NAME.verify)");
  command->footer(
      "Keeps one run directory for each distinct capture. Exit status: 0 one capture only,\n"
      "1 several, or something\n"
      "happened that the scenario does not say; 2 unusable input, 3 a run was void.\n\n"
      "Example:\n"
      "  fencepost verify scenarios/demos/04-commit-after-crash-k2.yaml --times 50 --stress\n");
  command->callback([arguments, &chosen] { chosen = [arguments] { return verify(*arguments); }; });
}

}  // namespace fencepost::lab
