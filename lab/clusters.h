// The clusters that are up here: every run directory says in clock.address where its clock listens.
#pragma once

#include <string>
#include <vector>

#include "proto/clock.pb.h"

namespace fencepost::lab {

struct Cluster {
  std::string name;  // of its run directory
  std::string address;
  wire::Status status;
};

// Which one is meant: by its name (or run directory), by the address of its clock, or neither.
struct ClusterChoice {
  std::string name;
  std::string clock;
};

// Those whose clock answers, in runs/ of the current directory, by name.
std::vector<Cluster> clusters_here();

// Throws ClockError if there is none, or several: it says what to do.
Cluster choose_cluster(const ClusterChoice& choice);

// How a person calls this command: "./fencepost" if the launcher has started it.
std::string own_command();

}  // namespace fencepost::lab
