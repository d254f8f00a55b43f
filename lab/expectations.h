// Judges what a scenario expects by what the history of its run shows, and by nothing else. Where
// the run ended before it could show it, the verdict is unknown.
#pragma once

#include <vector>

#include "lab/checkers/verdict.h"
#include "lab/expectation.h"
#include "lab/history.h"

namespace fencepost::lab {

// One verdict per expectation, in their order. `history` was read for `expected`. The plan knows
// the values of properties; without it those that are expected of a cause may be unknown.
std::vector<Verdict> judge(const Expectations& expected, const History& history,
                           const wire::Plan* plan = nullptr);

// The generations of a group that became Stable, in order; of all groups if it is empty.
std::vector<const GenerationFact*> stable_generations(const History& history,
                                                      const std::string& group);
// The rebalances of a group that led to a Stable generation, in order.
std::vector<const Rebalance*> settled_rebalances(const History& history, const std::string& group);
// The ticks that the partitions of a rebalance were paused, in all; open pauses count to `end`.
std::int64_t pause_ticks(const Rebalance& rebalance, Tick end);

}  // namespace fencepost::lab
