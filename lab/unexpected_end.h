// Tells how a child ended that nobody told to end: what the operating system says of it, and the
// last line of its log. The capture knows only that it is gone.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "lab/child_process.h"

namespace fencepost::lab {

// "C1 ended with exit code 2; the last line of its log: ...". Nothing if the end is in order:
// success, or one of the signals `sent` to it. `change` is of kind kExited.
std::optional<std::string> unexpected_end(const std::string& name, const ChildChange& change,
                                          const std::set<int>& sent, const std::string& log_file);

}  // namespace fencepost::lab
