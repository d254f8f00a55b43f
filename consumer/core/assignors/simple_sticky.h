// Cooperative-sticky by a rule that can be followed by hand (group-protocol 5.7): everybody keeps
// what he has; what nobody has goes to whoever has least; then whoever has most gives his last
// partition to whoever has least until no two differ by more than one.
#pragma once

#include "consumer/core/assignors/assignor.h"

namespace fencepost::consumer {

class SimpleStickyAssignor final : public Assignor {
 public:
  std::string_view name() const override { return "cooperative-sticky"; }
  bool supports_cooperative() const override { return true; }
  GroupAssignment assign(const AssignorInput& input) const override;
  GroupAssignment withheld(const AssignorInput& input) const override;
};

}  // namespace fencepost::consumer
