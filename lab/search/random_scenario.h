// Scenarios drawn from a seed: a group under every kind of fault that can be written down. Each is
// a file that `fencepost run` takes, so what the search finds can be read, repeated and cut down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fencepost::lab {

// Rules of a timeline that only make sense together: a stop and its cont, a kill and its restart.
struct Fault {
  std::vector<std::string> rules = {};      // in YAML's flow style
  std::vector<std::string> processes = {};  // that only these rules start
};

struct RandomScenario {
  std::uint64_t seed = 0;
  std::vector<std::string> head;     // topics, defaults, brokers and sources
  std::vector<std::string> members;  // of the group
  std::vector<Fault> faults;
  std::vector<std::string> closing;  // rules that are no faults, after the last of them
  std::int64_t until = 0;
  // Members commit what they have processed, and only then: no record may be lost.
  bool at_least_once = true;
};

// The same seed gives the same scenario, on any machine. After its last fault there is time enough
// for the group to settle.
RandomScenario draw_scenario(std::uint64_t seed);

// Without the faults whose index is not in `kept`.
RandomScenario with_faults(const RandomScenario& scenario, const std::vector<std::size_t>& kept);

std::string to_yaml(const RandomScenario& scenario);

}  // namespace fencepost::lab
