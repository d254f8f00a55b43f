// Properties from the command line that are stronger than a scenario's: -X.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "proto/plan.pb.h"

namespace fencepost::lab {

// Each is "key=value", for every process of a role that knows the property; "C2:key=value", for one
// process; or "consumer:key=value", for one role. Keys are as in a scenario: Kafka's, or ours with
// or without "app.". Throws ConfigError that says which of them is wrong, and why.
void override_properties(wire::Plan& plan, const std::vector<std::string>& assignments);

// The option -X, once for each property.
CLI::Option* add_overrides(CLI::App& command, std::vector<std::string>& assignments);

}  // namespace fencepost::lab
