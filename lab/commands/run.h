// Running one scenario and saying what came of it: what `run` and `demo` have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/run_scenario.h"
#include "lab/scenario.h"
#include "lab/story.h"

namespace fencepost::lab {

struct RunArguments {
  std::string file;
  bool in_process = false;
  std::optional<std::uint64_t> seed;
  std::int64_t pace_ms = 0;
  std::string out;  // empty: runs/NAME
  bool quiet = false;
  std::vector<std::string> properties;  // -X
};

// Reads a scenario; prints its mistakes to stderr and gives nothing if there are any.
std::optional<Scenario> load_or_complain(const std::string& file);

// --seed: a number from 0 to 2^64 - 1, written in decimal digits and nothing else.
void add_seed(CLI::App& command, std::optional<std::uint64_t>& seed);

// Takes another seed if there is one, and gives the run its id: the databases of its brokers carry
// it.
void identify(wire::Plan& plan, const std::optional<std::uint64_t>& seed);

// Judges what a run left in its directory, and leaves packets.log and summary.txt beside it. The
// closing line stands at the end of the summary; it is made from the judgement.
struct Report {
  std::string story;
  Judgement judgement;
};
Report make_report(const Scenario& scenario, const RunDirectory& directory);
void leave_report(const RunDirectory& directory, const std::string& story,
                  const std::string& closing);

// Says why a run is void, and leaves its story if there is one. The result is the exit code.
int report_void(const Scenario& scenario, const RunOutcome& outcome, const RunDirectory& directory);

// Runs, leaves everything in the run directory, prints the summary and the capture's hash.
// The result is the exit code.
int run_and_report(const RunArguments& arguments);

}  // namespace fencepost::lab
