#include "consumer/core/assignors/claims.h"

#include <algorithm>

namespace fencepost::consumer {

Claims::Claims(const GroupIndex& group)
    : claims_(group.partitions()), settled_(group.partitions(), kNobody) {
  for (Index m = 0; m < group.members(); ++m) {
    const MemberSubscription& member = group.member(m);
    highest_ = std::max(highest_, member.generation);
    for (const TopicPartition& where : member.owned) {
      const std::optional<Index> partition = group.find(where);
      if (partition) claims_[*partition].push_back({m, member.generation});
    }
  }
  for (Index p = 0; p < claims_.size(); ++p) settle(p);
}

void Claims::settle(Index partition) {
  Generation best = kNoGeneration;
  std::size_t with_best = 0;
  for (const Claim& claim : claims_[partition]) {
    if (with_best > 0 && claim.generation < best) continue;
    with_best = with_best > 0 && claim.generation == best ? with_best + 1 : 1;
    best = claim.generation;
    settled_[partition] = claim.member;
  }
  if (with_best < 2) return;
  settled_[partition] = kNobody;
  contested_.insert(partition);
}

bool Claims::is_claimed_by(Index partition, Index member) const {
  const std::vector<Claim>& all = claims_[partition];
  return std::any_of(all.begin(), all.end(),
                     [member](const Claim& claim) { return claim.member == member; });
}

}  // namespace fencepost::consumer
