#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "lab/commands/command.h"
#include "lab/interruption.h"
#include "lab/search/search.h"

namespace fencepost::lab {
namespace {

struct SearchArguments {
  std::uint64_t seeds = 1'000;
  std::uint64_t from = 1;
  bool all = false;
  Worlds worlds = Worlds::kInProcess;
  std::string out = "runs";
};

class Search {
 public:
  explicit Search(const SearchArguments& arguments) : arguments_(arguments), out_(arguments.out) {}

  int run();

 private:
  void show_progress(std::uint64_t done) const;
  void report(const RandomScenario& scenario, const Violation& violation) const;
  std::filesystem::path folder_of(std::uint64_t seed) const {
    return out_ / fmt::format("search-{}", seed);
  }

  const SearchArguments& arguments_;
  std::filesystem::path out_;
  std::uint64_t violations_ = 0;
};

int Search::run() {
  std::uint64_t done = 0;
  const std::filesystem::path trial = out_ / fmt::format("search.{}", ::getpid());
  while (done < arguments_.seeds && (arguments_.all || violations_ == 0) &&
         !Interruption::has_come()) {
    const RandomScenario scenario = draw_scenario(arguments_.from + done);
    const std::optional<Violation> violation = try_scenario(scenario, trial, arguments_.worlds);
    if (Interruption::has_come()) break;
    ++done;
    show_progress(done);
    if (!violation) continue;
    ++violations_;
    const RandomScenario fewest = shrink(scenario, *violation, [&](const RandomScenario& fewer) {
      return try_scenario(fewer, trial, arguments_.worlds);
    });
    report(fewest, *violation);
  }
  std::filesystem::remove_all(trial);
  if (::isatty(STDERR_FILENO) == 1) std::fprintf(stderr, "\r\033[K");
  std::printf("%s\n", fmt::format("{} random scenarios from seed {} on, {} of them break a promise",
                                  done, arguments_.from, violations_)
                          .c_str());
  if (violations_ > 0) return kExitFails;
  return done == arguments_.seeds ? kExitHolds : kExitUnknown;
}

void Search::show_progress(std::uint64_t done) const {
  constexpr std::uint64_t kBetween = 20;
  if (done % kBetween != 0 || ::isatty(STDERR_FILENO) != 1) return;
  std::fprintf(stderr, "\rseed %llu, %llu of %llu, violations: %llu",
               static_cast<unsigned long long>(arguments_.from + done - 1),
               static_cast<unsigned long long>(done),
               static_cast<unsigned long long>(arguments_.seeds),
               static_cast<unsigned long long>(violations_));
}

// Leaves the smallest run that fails, and says how to see it.
void Search::report(const RandomScenario& scenario, const Violation& violation) const {
  const std::filesystem::path folder = folder_of(scenario.seed);
  const std::optional<Violation> found = try_scenario(scenario, folder, arguments_.worlds);
  std::printf(
      "%s", fmt::format("seed {}: {}\n  {}\n  fewest faults: {}; repeat it with\n"
                        "    fencepost search --from {} --seeds 1\n"
                        "    fencepost run {} --in-process\n",
                        scenario.seed, violation.subject, found ? found->detail : violation.detail,
                        scenario.faults.size(), scenario.seed, (folder / "scenario.yaml").string())
                .c_str());
  std::fflush(stdout);
}

int search(const SearchArguments& arguments) {
  const Interruption interruption;
  return Search(arguments).run();
}

}  // namespace

void add_search(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<SearchArguments>();
  CLI::App* command = app.add_subcommand(
      "search", "Look for a run that breaks a promise, among random scenarios with many faults");
  command->add_option("--seeds", arguments->seeds, "How many scenarios (default 1000)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  command->add_option("--from", arguments->from, "The first seed (default 1)");
  command->add_flag("--all", arguments->all, "Go on after a violation");
  command->add_flag_callback(
      "--both-worlds", [arguments] { arguments->worlds = Worlds::kBoth; },
      "Over processes as well: the captures must be the same");
  command->add_option("--out", arguments->out, "Where failing runs go (default: runs)");
  command->footer(
      "Each seed is a scenario: a group with random properties, and joins, leaves, kills, stops,\n"
      "slow records, lost and late packets, restarts of the broker. All run in this process. What\n"
      "fails is cut down to the fewest faults and left as runs/search-SEED/scenario.yaml.\n\n"
      "Promises: those of every run (docs/scenarios.md), no record is lost by members that commit\n"
      "what they have processed, and in the end every partition has an owner.\n\n"
      "Exit status: 0 none is broken, 1 one is, 2 unusable input, 4 interrupted.\n\n"
      "Example:\n"
      "  fencepost search --seeds 20000\n");
  command->callback([arguments, &chosen] { chosen = [arguments] { return search(*arguments); }; });
}

}  // namespace fencepost::lab
