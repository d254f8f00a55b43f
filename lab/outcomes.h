// How two runs have come out, beside each other: of each group its rebalances, and what became of
// the records.
#pragma once

#include <string>

#include "lab/history.h"

namespace fencepost::lab {

// A table; empty if one of them has not ended, since what is pending there says nothing.
std::string compare_outcomes(const History& left, const History& right);

}  // namespace fencepost::lab
