// Runs a scenario in this process and says what of its expectations, and of what is checked on
// every run, does not hold.
#pragma once

#include <string>
#include <vector>

namespace fencepost::lab {

// One line each; none if all is valid. A mistake in the text, a run that is void and a scenario
// that expects nothing are lines, too.
std::vector<std::string> what_fails(const std::string& scenario);

}  // namespace fencepost::lab
