// Round-robin (group-protocol 5.2): all partitions in order of (topic, index), dealt by one wheel
// over all members in member order; a member that does not subscribe to the topic is passed over.
#pragma once

#include "consumer/core/assignors/assignor.h"

namespace fencepost::consumer {

class RoundRobinAssignor final : public Assignor {
 public:
  std::string_view name() const override { return "roundrobin"; }
  GroupAssignment assign(const AssignorInput& input) const override;
};

}  // namespace fencepost::consumer
