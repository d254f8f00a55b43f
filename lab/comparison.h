// Two runs measured side by side: what the same faults cost under two configurations. A pure
// function of two histories; `fencepost compare` runs them and prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/history.h"

namespace fencepost::lab {

// One measure in both runs. Absent where a run has no such group, partition or rebalance.
struct Measure {
  std::string section;  // "group billing"
  std::string name;     // "rebalances"
  std::optional<std::int64_t> left;
  std::optional<std::int64_t> right;
};

struct Comparison {
  std::int64_t left_tick_ms = 0;
  std::int64_t right_tick_ms = 0;
  // Times are in ticks, the pause meter in partition-ticks (docs/scenarios.md, Paused).
  std::vector<Measure> measures;
};

// Of each group: its rebalances and generations, the pause meter of each rebalance and in all, what
// became of the records, and of each partition for how long nobody read it and nobody owned it.
Comparison compare_runs(const History& left, const History& right);

// How the two are called: a file, a run directory, with what was set for it.
struct RunTitles {
  std::string left;
  std::string right;
};
std::string to_table(const Comparison& comparison, const RunTitles& titles);
std::string to_json(const Comparison& comparison, const RunTitles& titles);

}  // namespace fencepost::lab
