// The scenario language (docs/scenarios.md): a YAML file says topics, processes with their
// properties, a timeline and what must come out. It compiles to the plan that both hosts execute,
// and to the expectations that the history of the run is judged by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/expectation.h"
#include "lab/place.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

inline constexpr std::int64_t kTicksMax = 1'000'000'000;
inline constexpr std::int64_t kPartitionsMax = 1'000;
inline constexpr std::size_t kProcessesMax = 1'000;

// A file that the scenario was read from, for the copy in the run directory.
struct SourceFile {
  std::string name;  // without folders
  std::string text;
};

struct Scenario {
  wire::Plan plan;
  std::string about;
  Expectations expectations;
  std::vector<SourceFile> files;  // the scenario itself first, then what it includes
};

struct LoadedScenario {
  std::optional<Scenario> scenario;  // absent if there is any mistake
  std::vector<Mistake> mistakes;     // in the order of the file
};

// Reads and checks a scenario. Never throws for what a file may contain.
LoadedScenario load_scenario(const std::string& path);

// The same for a text that is not in a file; `name` is how messages call it. It cannot include.
LoadedScenario parse_scenario(const std::string& text, const std::string& name);

}  // namespace fencepost::lab
