// One command of an administrator, against a cluster that is up or inside of a finished run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admin/facts.h"
#include "common/ids.h"
#include "lab/clusters.h"
#include "lab/group_states.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

using PropertyList = std::vector<std::pair<std::string, std::string>>;

// What came of it.
struct AdminSession {
  admin::Facts facts;
  std::map<std::string, GroupStanding> standings;  // of the groups, by the coordinator's events
  Tick tick{-1};                                   // in which the command ended
  bool done = false;                               // it has ended with success
  std::optional<wire::Event> error;                // its client.error
  std::string problem;  // why it did not even come to an end; empty: it did
};

// Starts a process `admin` that joins the run by hand, and waits for its end: in virtual time, so
// as long as that takes. Its frames come from the clock (WATCH). SIGINT and SIGTERM end it, and
// take the process along. Throws ClockError, std::runtime_error.
AdminSession ask_cluster(const Cluster& cluster, const PropertyList& properties);

// Runs a plan in this process to the end of a tick (no tick: to its end), and asks its brokers then
// and there: nothing of the run goes on meanwhile, and it is thrown away afterwards. Only for what
// reads. Throws ConfigError, std::runtime_error.
AdminSession ask_past(wire::Plan plan, std::optional<Tick> at, const PropertyList& properties);

}  // namespace fencepost::lab
