// WHAT HAPPENED and NEVER HAPPENED: the decisions of a run in their order, and what its plan asked
// for in vain. Made from the history; a rule's actions stand in the plan alone.
#pragma once

#include <string>
#include <vector>

#include "lab/history.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

struct TimelineLine {
  Tick tick;
  std::string text;
};

// Processes, rules, removed members and Stable generations, in the order of the capture. With a
// plan, each action that had no effect stands under its rule.
std::vector<TimelineLine> timeline_of(const History& history, const wire::Plan* plan);

// The rules that never fired, and the event that would have ended the run and did not come.
std::vector<std::string> never_happened(const History& history, const wire::Plan& plan);

}  // namespace fencepost::lab
