// Checks that the probes of a run were answered as their scripts expect.
//
// Anomalies:
// - An answer is not as expected: the probe reports the first field that differs, and ends.
// - A probe that lived to the end of the run waits for an answer or for its time: nobody can judge.
#pragma once

#include "lab/checkers/verdict.h"
#include "lab/history.h"

namespace fencepost::lab {

Verdict check_probes(const History& history);

}  // namespace fencepost::lab
