#include "consumer/core/assignors/simple_sticky.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "consumer/core/assignors/claims.h"
#include "consumer/core/assignors/group_index.h"

namespace fencepost::consumer {
namespace {

class SimpleShares {
 public:
  explicit SimpleShares(const AssignorInput& input)
      : group_(input), claims_(group_), owned_(group_.members()) {}

  void run() {
    for (Index p = 0; p < group_.partitions(); ++p) {
      const Index holder = claims_.settled()[p];
      if (holder != kNobody && group_.subscribes(holder, group_.topic_of(p))) {
        owned_[holder].insert(p);
      }
    }
    for (Index m = 0; m < group_.members(); ++m) by_count_.emplace(owned_[m].size(), m);
    deal();
    while (even_out()) {
    }
  }

  // With `withheld` the partitions that are left out for this round, otherwise the others.
  GroupAssignment result(bool withheld) const {
    std::vector<Index> owner(group_.partitions(), kNobody);
    for (Index m = 0; m < owned_.size(); ++m) {
      for (const Index p : owned_[m]) {
        if (is_withheld(p, m) == withheld) owner[p] = m;
      }
    }
    return group_.assignment_of(owner);
  }

 private:
  bool is_withheld(Index partition, Index member) const {
    const Index holder = claims_.settled()[partition];
    return (holder != kNobody && holder != member) || claims_.contested().contains(partition);
  }

  void deal() {
    std::vector<bool> has_owner(group_.partitions(), false);
    for (const std::set<Index>& mine : owned_) {
      for (const Index p : mine) has_owner[p] = true;
    }
    for (Index p = 0; p < group_.partitions(); ++p) {
      if (has_owner[p]) continue;
      const Index topic = group_.topic_of(p);
      const auto least = std::find_if(by_count_.begin(), by_count_.end(), [&](const auto& entry) {
        return group_.subscribes(entry.second, topic);
      });
      if (least != by_count_.end()) put(p, least->second);
    }
  }

  void put(Index partition, Index member) {
    by_count_.erase({owned_[member].size(), member});
    owned_[member].insert(partition);
    by_count_.emplace(owned_[member].size(), member);
  }

  void take(Index partition, Index member) {
    by_count_.erase({owned_[member].size(), member});
    owned_[member].erase(partition);
    by_count_.emplace(owned_[member].size(), member);
  }

  // One move. False when no pair that differs by more than one has anything to move. Donors: most
  // partitions first, of equals the lower id.
  bool even_out() {
    for (auto end = by_count_.end(); end != by_count_.begin();) {
      const std::size_t count = std::prev(end)->first;
      const auto begin = by_count_.lower_bound({count, Index{0}});
      for (auto donor = begin; donor != end; ++donor) {
        if (give_one_from(donor->second)) return true;
      }
      end = begin;
    }
    return false;
  }

  bool give_one_from(Index donor) {
    for (const auto& [count, receiver] : by_count_) {
      if (owned_[donor].size() <= count + 1) return false;
      const Index partition = last_for(donor, receiver);
      if (partition == kNobody) continue;
      take(partition, donor);
      put(partition, receiver);
      return true;
    }
    return false;
  }

  // The donor's last partition of a topic that the receiver subscribes to.
  Index last_for(Index donor, Index receiver) const {
    const std::set<Index>& mine = owned_[donor];
    const auto last = std::find_if(mine.rbegin(), mine.rend(), [&](Index partition) {
      return group_.subscribes(receiver, group_.topic_of(partition));
    });
    return last == mine.rend() ? kNobody : *last;
  }

  GroupIndex group_;
  Claims claims_;
  std::vector<std::set<Index>> owned_;                // by member
  std::set<std::pair<std::size_t, Index>> by_count_;  // members, least first
};

}  // namespace

GroupAssignment SimpleStickyAssignor::assign(const AssignorInput& input) const {
  SimpleShares shares(input);
  shares.run();
  return shares.result(false);
}

GroupAssignment SimpleStickyAssignor::withheld(const AssignorInput& input) const {
  SimpleShares shares(input);
  shares.run();
  return shares.result(true);
}

}  // namespace fencepost::consumer
