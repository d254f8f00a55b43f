// Runs a scenario over real processes: starts the clock and, when the clock says so, everybody
// else; sends real signals; tells the clock what it sees of its children; and leaves no process
// behind, whatever happens.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

struct RunOptions {
  std::string binaries;               // directory of clock, broker, consumer, producer
  std::string out;                    // run directory; exists, and gets everything of the run
  std::chrono::milliseconds pace{0};  // wall time of a tick; 0: as fast as it can
  std::chrono::seconds watchdog{60};  // of one tick that waits for somebody; 0: none
  std::optional<std::chrono::seconds> time_limit;  // of the whole run
  std::string log_level = "info";                  // of all processes
  bool stop_at_breakpoints = false;                // a `pause` of the scenario waits for a person
  // Called once, when the clock listens at this address and before anybody else is started.
  std::function<void(const std::string& address)> on_clock = {};
  // Called now and then: this tick has closed.
  std::function<void(Tick closed)> on_progress = {};
};

struct RunResult {
  std::string capture_path;
  std::string capture_sha256;          // 64 hex digits; empty if the clock died
  bool disturbed = false;              // something happened that the scenario does not say
  bool interrupted = false;            // by SIGINT, SIGTERM, or SIGHUP (its terminal is gone)
  std::optional<std::string> failure;  // the run is void
  // Children that ended without having been told to, or not with success: what ended each, and the
  // last line of its log. One sentence each.
  std::vector<std::string> unexpected_ends;
  std::uint64_t supplies = 0;  // frames that the clock had to deliver again
  Tick last_tick{-1};
};

// Where the binaries are: next to the running one.
std::string directory_of_binaries();

// Blocks until the run has ended and every child is gone. Call from the main thread, with no other
// child processes of interest: SIGCHLD, SIGINT, SIGTERM and SIGHUP are the runner's meanwhile.
// Throws std::runtime_error, in one line, if the run cannot be started.
RunResult run_over_processes(const wire::Plan& plan, const RunOptions& options);

}  // namespace fencepost::lab
