// Executes a plan in either world: over real processes, or with all nodes in this one. Both leave
// the same capture, byte for byte (DESIGN 2).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/host/in_process_host.h"
#include "common/ids.h"
#include "common/node.h"
#include "lab/run_directory.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

enum class World { kProcesses, kInProcess };

struct RunSettings {
  World world = World::kProcesses;
  std::function<void(Tick closed)> on_progress = {};  // called now and then
  // The rest is for runs over processes.
  std::int64_t pace_ms = 0;  // wall time of a tick; 0: as fast as it can
  // A person is there (`up`): nobody gives up waiting, and a `pause` of the scenario pauses.
  bool by_hand = false;
  std::function<void(const std::string& address)> on_clock = {};  // as in RunOptions
};

struct RunOutcome {
  std::string capture_sha256;
  bool disturbed = false;                    // something happened that the scenario does not say
  bool interrupted = false;                  // a person ended it
  std::optional<std::string> failure;        // the run is void: not reproducible, or aborted
  std::vector<std::string> unexpected_ends;  // one sentence each; over processes only
  std::uint64_t supplies = 0;                // frames that had to be delivered again
  Tick last_tick{-1};
};

// The nodes of all roles, for a run in this process.
NodeFactories node_factories();

// Properties that are Kafka's and mean nothing here: a sentence for each process that has some.
std::vector<std::string> notices_of(const wire::Plan& plan);

// Runs to the end and leaves capture and journal in the directory, which is prepared. Throws
// std::runtime_error or ConfigError where it cannot begin.
RunOutcome run_plan(const wire::Plan& plan, const RunSettings& settings,
                    const RunDirectory& directory);

}  // namespace fencepost::lab
