#include "consumer/core/assignors/sticky_equal.h"

#include <algorithm>
#include <deque>

namespace fencepost::consumer {
namespace {

class EqualShares {
 public:
  EqualShares(const GroupIndex& group, const Claims& claims)
      : group_(group),
        claims_(claims),
        quota_(group.partitions() / group.members()),
        larger_(group.partitions() % group.members()) {
    result_.owner.assign(group.partitions(), kNobody);
  }

  StickyResult run() {
    const std::vector<std::vector<Index>> settled = settled_by_member();
    for (Index m = 0; m < group_.members(); ++m) keep(m, settled[m]);
    deal();
    for (Index p = 0; p < group_.partitions(); ++p) {
      const Index before = claims_.settled()[p];
      if (before != kNobody && before != result_.owner[p]) result_.in_transfer.insert(p);
    }
    result_.in_transfer.insert(claims_.contested().begin(), claims_.contested().end());
    return std::move(result_);
  }

 private:
  // Each in order of (index, topic).
  std::vector<std::vector<Index>> settled_by_member() const {
    std::vector<std::vector<Index>> settled(group_.members());
    for (Index p = 0; p < group_.partitions(); ++p) {
      if (claims_.settled()[p] != kNobody) settled[claims_.settled()[p]].push_back(p);
    }
    for (std::vector<Index>& mine : settled) {
      std::sort(mine.begin(), mine.end(), [this](Index a, Index b) {
        const Index left = group_.index_of(a);
        const Index right = group_.index_of(b);
        return left != right ? left < right : a < b;
      });
    }
    return settled;
  }

  void keep(Index member, const std::vector<Index>& settled) {
    if (settled.size() < quota_) {
      take(member, settled, settled.size());
      below_.push_back({member, settled.size()});
    } else if (settled.size() > quota_ && with_larger_ < larger_) {
      take(member, settled, quota_ + 1);
      if (++with_larger_ == larger_) exactly_.clear();
    } else {
      take(member, settled, quota_);
      if (with_larger_ < larger_) exactly_.push_back(member);
    }
  }

  void take(Index member, const std::vector<Index>& settled, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) result_.owner[settled[i]] = member;
  }

  // In turn to those below their quota; then one more to each who has exactly that.
  void deal() {
    std::size_t turn = 0;
    for (Index p = 0; p < group_.partitions(); ++p) {
      if (result_.owner[p] != kNobody) continue;
      if (below_.empty()) {
        result_.owner[p] = exactly_.front();
        exactly_.pop_front();
        continue;
      }
      if (turn >= below_.size()) turn = 0;
      Below& next = below_[turn];
      result_.owner[p] = next.member;
      if (++next.count < quota_) {
        ++turn;
        continue;
      }
      exactly_.push_back(next.member);
      below_.erase(below_.begin() + static_cast<std::ptrdiff_t>(turn));
    }
  }

  struct Below {
    Index member;
    std::size_t count;
  };

  const GroupIndex& group_;
  const Claims& claims_;
  std::size_t quota_;   // everybody has so many
  std::size_t larger_;  // and so many members one more
  std::size_t with_larger_ = 0;
  std::vector<Below> below_;   // U of the specification
  std::deque<Index> exactly_;  // E
  StickyResult result_;
};

}  // namespace

StickyResult assign_equal(const GroupIndex& group, const Claims& claims) {
  return EqualShares(group, claims).run();
}

}  // namespace fencepost::consumer
