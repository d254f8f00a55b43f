// Looks for a run that breaks a promise: draws scenarios from seeds, runs them in this process,
// judges each by all checkers, and cuts what fails down to the fewest faults that still do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/search/random_scenario.h"

namespace fencepost::lab {

// What a run has broken: the subject of the verdict that is invalid, "void" for a run that is not
// reproducible, "two captures" if the worlds differ, "crash" for one that threw; and one line on
// it.
struct Violation {
  std::string subject;
  std::string detail;
};

enum class Worlds {
  kInProcess,
  kBoth,  // over processes as well, which has to give the same capture
};

// Runs a scenario and judges it. `folder` is the run's, and holds its scenario, capture and journal
// afterwards; of the run over processes that has another capture, `folder`/processes.
std::optional<Violation> try_scenario(const RandomScenario& scenario,
                                      const std::filesystem::path& folder,
                                      Worlds worlds = Worlds::kInProcess);

// The same with fewer faults, of which none can be left out: without it the violation is gone, or
// is another one. `fails` says what a scenario breaks.
using Fails = std::function<std::optional<Violation>(const RandomScenario&)>;
RandomScenario shrink(const RandomScenario& scenario, const Violation& violation,
                      const Fails& fails);

}  // namespace fencepost::lab
