// The processes of a run in the order in which diagrams draw them: sources, brokers, consumers,
// everybody else; within a role by name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/run_index.h"

namespace fencepost::lab {

struct Actor {
  std::string name;
  std::string role;  // of its first life; empty: only addressed, never there
};

// Everybody who ever joined. Reads the lives in the capture.
std::vector<Actor> cast_of(const RunIndex& index);

}  // namespace fencepost::lab
