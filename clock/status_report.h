// The clock's state for people and scripts (wire::Status): `ps`, `status` and the healthchecks.
#pragma once

#include "clock/core/clock_core.h"
#include "clock/sessions.h"
#include "proto/clock.pb.h"
#include "proto/plan.pb.h"

namespace fencepost::clock {

// Everybody who waits to join, is there, is in the plan or has been there, by name.
void describe_processes(const wire::Plan& plan, const ClockCore& core, const Sessions& sessions,
                        wire::Status& status);

}  // namespace fencepost::clock
