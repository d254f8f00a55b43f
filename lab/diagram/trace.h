// A run as a trace in Chrome's JSON format, for Perfetto: for each process its life, its packets
// with arrows to who got them, its batches and records; for each group its states, its rebalances,
// and who owned which partition, with pauses and lags. A stop is a gap in all tracks of a process.
#pragma once

#include <string>

#include "lab/run_index.h"

namespace fencepost::lab {

// The whole file, of the whole run; a function of the capture alone. Reads it twice: `capture` is
// the file of the index. Throws std::runtime_error as CaptureReader does.
std::string trace_of(const RunIndex& index, const std::string& capture);

}  // namespace fencepost::lab
