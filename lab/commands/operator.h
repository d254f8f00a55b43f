// What the commands that talk to a cluster that is up have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lab/clusters.h"

namespace fencepost::lab {

// --name and --clock.
void add_choice(CLI::App& command, ClusterChoice& choice);

// The processes of a cluster, for did-you-mean.
std::vector<std::string> process_names(const wire::Status& status);

}  // namespace fencepost::lab
