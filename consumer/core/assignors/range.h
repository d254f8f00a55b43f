// Range (group-protocol 5.1): each topic by itself, its partitions in consecutive runs over its
// subscribers in member order, the first ones getting one more where it does not divide.
#pragma once

#include "consumer/core/assignors/assignor.h"

namespace fencepost::consumer {

class RangeAssignor final : public Assignor {
 public:
  std::string_view name() const override { return "range"; }
  GroupAssignment assign(const AssignorInput& input) const override;
};

}  // namespace fencepost::consumer
