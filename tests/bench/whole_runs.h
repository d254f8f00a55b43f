// Whole runs of the command, as a user starts it: wall time, and the memory of its processes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fencepost::bench {

struct WholeRun {
  double seconds = 0;
  std::map<std::string, std::int64_t> peak_kib;  // resident memory at its highest, by program
};

// Runs `fencepost` with these arguments to its end, its output thrown away. Throws
// std::runtime_error if it does not end with 0.
WholeRun run_command(const std::string& fencepost, const std::vector<std::string>& arguments);

}  // namespace fencepost::bench
