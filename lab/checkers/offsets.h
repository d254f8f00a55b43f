// Checks that committed offsets are what members committed.
//
// Anomalies:
// - Moved by itself. The coordinator stores offset 6 for o2, and no member has asked for 6: records
//   would be skipped, or done again, without any program having said so.
// - Forgotten. 6 is stored for o2, later a member asks for its offset and is told 3, or none.
#pragma once

#include "lab/checkers/verdict.h"
#include "lab/history.h"

namespace fencepost::lab {

Verdict check_offsets(const History& history);

}  // namespace fencepost::lab
