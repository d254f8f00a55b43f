// The sticky assignment of a group whose members subscribe to different topics (group-protocol
// 5.5): everybody keeps what he may, the rest goes to whoever has least, and then partitions move
// one by one as long as that makes two members more equal.
#pragma once

#include "consumer/core/assignors/sticky_equal.h"

namespace fencepost::consumer {

StickyResult assign_unequal(const GroupIndex& group, const Claims& claims);

}  // namespace fencepost::consumer
