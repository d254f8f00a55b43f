// What the members of a group say they own, and which of these claims counts (group-protocol 5.3).
#pragma once

#include <set>
#include <vector>

#include "consumer/core/assignors/group_index.h"

namespace fencepost::consumer {

struct Claim {
  Index member;
  Generation generation;
};

// The partitions of a group with everything that is claimed of them.
class Claims {
 public:
  // Claims on partitions without metadata are dropped.
  explicit Claims(const GroupIndex& group);

  // By partition: whose claim counts, or kNobody. The highest generation wins; of several claims of
  // that generation none does.
  const std::vector<Index>& settled() const { return settled_; }
  // Partitions that nobody keeps since several members claim them with equal right.
  const std::set<Index>& contested() const { return contested_; }
  // All claims on a partition, in order of members.
  const std::vector<Claim>& on(Index partition) const { return claims_[partition]; }
  bool is_claimed_by(Index partition, Index member) const;
  // The highest generation that any member has.
  Generation highest_generation() const { return highest_; }

 private:
  void settle(Index partition);

  std::vector<std::vector<Claim>> claims_;
  std::vector<Index> settled_;
  std::set<Index> contested_;
  Generation highest_ = kNoGeneration;
};

}  // namespace fencepost::consumer
