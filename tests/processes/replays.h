// What a recorded run must give once more, in either world: the same bytes.
#pragma once

#include <string>

#include "lab/run_scenario.h"
#include "proto/plan.pb.h"
#include "tests/processes/process_world.h"

namespace fencepost::test {

// The plan with what the run's journal says; fails the test if the run has not ended in order.
wire::Plan replay_of(const wire::Plan& plan, const RunDirectory& recorded);

// Replays the recorded run in this world and expects its capture. `what` names it in a failure.
void expect_same_in_replay(const wire::Plan& plan, const RunDirectory& recorded, lab::World world,
                           const std::string& what = "");

// The capture of an undisturbed run without sockets.
std::string capture_in_process(const wire::Plan& plan);

// "C2 ... frame 17": the first record in which two captures differ, and empty if they are equal.
std::string first_difference(const RunDirectory& left, const RunDirectory& right);

}  // namespace fencepost::test
