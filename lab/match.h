// Whether an event or a packet is what a scenario's `expect: events` describes: by the clock's own
// rule, so that an expectation sees what a breakpoint would. `nth` is for whoever counts.
#pragma once

#include <string>

#include "proto/plan.pb.h"

namespace fencepost::lab {

bool matches(const wire::Match& match, const std::string& process, const wire::Event& event);
bool matches(const wire::Match& match, const wire::Frame& frame);

// "C2 record.processing record=p2.3", "OffsetCommit request of C2 to B1".
std::string describe(const wire::Match& match);

}  // namespace fencepost::lab
