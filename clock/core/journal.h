// journal.yaml: what came from outside during a run, so that it can be run again (DESIGN 3). YAML
// for people, written as a stream: the header, then one line for each decision, in the order
// decided.
//
//   fencepost.journal: 1
//   scenario: scenario.yaml
//   seed: 1
//   run: 4f1c0a
//   decisions:
//     - {tick: 12, kill: C2}   # at 12000 ms C2 is killed (kill -9)
//
// The tick is the first in which the decision holds. Read by lab/journal_file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/plan.pb.h"

namespace fencepost::clock {

inline constexpr int kJournalVersion = 1;

// The lines before the first decision, and the line of one with what happened in words, each with
// its newline.
std::string journal_header(const wire::Plan& plan, std::string_view scenario_file);
std::string journal_line(const wire::Decision& decision, std::int64_t tick_ms);

}  // namespace fencepost::clock
