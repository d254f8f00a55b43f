// The sticky assignment of a group whose members subscribe to the same topics (group-protocol 5.4):
// everybody keeps up to his share, and the rest is dealt in turn.
#pragma once

#include <set>
#include <vector>

#include "consumer/core/assignors/claims.h"
#include "consumer/core/assignors/group_index.h"

namespace fencepost::consumer {

struct StickyResult {
  std::vector<Index> owner;     // by partition
  std::set<Index> in_transfer;  // what somebody else still has, or says he has
};

StickyResult assign_equal(const GroupIndex& group, const Claims& claims);

}  // namespace fencepost::consumer
