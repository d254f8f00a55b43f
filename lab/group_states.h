// Where every consumer group stands, from the coordinators' own words (event group.state).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/ids.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

struct GroupStanding {
  std::string state;  // Kafka's name
  std::string generation;
  std::vector<std::string> members;  // their ids, as the coordinator has them
  std::string reason;                // of the last change
  Tick since;
  std::string coordinator;       // the broker that said so
  std::string rebalance_reason;  // of the last PreparingRebalance; empty: there was none
};

class GroupStates {
 public:
  void add(Tick tick, const wire::CaptureRecord& record);
  const std::map<std::string, GroupStanding>& groups() const { return groups_; }

 private:
  std::map<std::string, GroupStanding> groups_;
  std::string process_;  // whose step it is
};

}  // namespace fencepost::lab
