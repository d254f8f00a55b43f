// Whether a group has settled at the end of a run: whoever lives and subscribes to a topic is given
// it, and nobody is left out. What the other checkers say of every moment, this says of the last.
//
// Anomalies:
// - Nobody's. A living member subscribes to orders, and o2 has no owner at the end: its records
//   would wait for ever.
// - Somebody's who did not ask. The owner of o2 does not subscribe to orders.
// Unknown if the run did not end in quiet: its last rebalance is not settled.
#pragma once

#include <string>

#include "lab/checkers/verdict.h"
#include "lab/history.h"

namespace fencepost::lab {

// `capture` is the file that `history` was read from. For one group.
Verdict check_settlement(const std::string& capture, const History& history);

}  // namespace fencepost::lab
