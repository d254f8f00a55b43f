// Which lines of a live list a person wants to see: --all, --events, --only.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lab/live_lines.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

void add_line_options(CLI::App& command, LiveLines::Options& lines);

// Throws std::runtime_error with the nearest word if one is neither an API nor a process of the
// plan.
void check_only(const std::vector<std::string>& words, const wire::Plan& plan);

}  // namespace fencepost::lab
