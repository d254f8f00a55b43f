#include "consumer/core/assignors/sticky_unequal.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "consumer/core/assignors/movements.h"

namespace fencepost::consumer {
namespace {

class UnequalShares {
 public:
  UnequalShares(const GroupIndex& group, const Claims& claims) : group_(group), claims_(claims) {
    owner_.assign(group.partitions(), kNobody);
    count_.assign(group.members(), 0);
    version_of_least_.assign(group.topics(), 0);
    least_.assign(group.topics(), kNobody);
    order_topics();
  }

  StickyResult run() {
    keep_claims();
    const bool anybody_kept = *std::max_element(count_.begin(), count_.end()) > 0;
    const std::vector<Index> unassigned = assign_the_rest();
    balance(unassigned, anybody_kept);
    StickyResult result{.owner = std::move(owner_), .in_transfer = {}};
    find_transfers(result);
    return result;
  }

 private:
  // By number of subscribers, then by name. Partitions are taken in this order.
  void order_topics() {
    topics_.resize(group_.topics());
    std::iota(topics_.begin(), topics_.end(), Index{0});
    std::stable_sort(topics_.begin(), topics_.end(), [this](Index a, Index b) {
      return group_.subscribers(a).size() < group_.subscribers(b).size();
    });
  }

  void keep_claims() {
    for (Index p = 0; p < group_.partitions(); ++p) {
      const Index member = claims_.settled()[p];
      if (member == kNobody) continue;
      if (group_.subscribes(member, group_.topic_of(p))) {
        give(p, member);
      } else {
        dropped_unsubscribed_ = true;
      }
    }
  }

  std::vector<Index> assign_the_rest() {
    std::vector<Index> unassigned;
    for (const Index topic : topics_) {
      if (group_.subscribers(topic).empty()) continue;
      for (Index p = group_.begin_of(topic); p < group_.end_of(topic); ++p) {
        if (owner_[p] != kNobody) continue;
        give(p, least_loaded(topic));
        unassigned.push_back(p);
      }
    }
    return unassigned;
  }

  void balance(const std::vector<Index>& unassigned, bool anybody_kept) {
    const std::vector<Index> owner_before = owner_;
    const std::vector<std::size_t> count_before = count_;
    if (!dropped_unsubscribed_) move_until_still(unassigned);
    std::vector<Index> all;
    for (const Index topic : topics_) {
      for (Index p = group_.begin_of(topic); p < group_.end_of(topic); ++p) all.push_back(p);
    }
    const bool moved = move_until_still(all);
    if (!anybody_kept || !moved || score(count_) < score(count_before)) return;
    owner_ = owner_before;
    count_ = count_before;
  }

  // Passes over these partitions until one moves nothing. Each move makes two counts that differ by
  // two or more one step more equal, so it ends.
  bool move_until_still(const std::vector<Index>& partitions) {
    bool moved_ever = false;
    for (bool moved = true; moved;) {
      moved = false;
      for (const Index p : partitions) {
        const Index to = better_owner(p);
        if (to == kNobody) continue;
        move(p, to);
        moved = true;
      }
      moved_ever = moved_ever || moved;
    }
    return moved_ever;
  }

  // Whoever had it before the current owner, if he has two less; else the least loaded subscriber,
  // if he has. kNobody: it is well where it is.
  Index better_owner(Index partition) {
    const Index topic = group_.topic_of(partition);
    if (group_.subscribers(topic).size() < 2) return kNobody;
    const std::size_t here = count_[owner_[partition]];
    const Index before = previous_owner(partition);
    if (before != kNobody && count_[before] + 1 < here) return before;
    const Index least = least_loaded(topic);
    return count_[least] + 1 < here ? least : kNobody;
  }

  // The newest of the claims that are older than the group's highest generation.
  Index previous_owner(Index partition) const {
    std::optional<Claim> newest;
    for (const Claim& claim : claims_.on(partition)) {
      if (claim.generation >= claims_.highest_generation()) continue;
      if (!newest || claim.generation > newest->generation) newest = claim;
    }
    const bool may_have_it =
        newest && group_.subscribes(newest->member, group_.topic_of(partition));
    return may_have_it ? newest->member : kNobody;
  }

  void move(Index partition, Index to) {
    const Index topic = group_.topic_of(partition);
    const Index from = owner_[partition];
    Index moving = movements_.partition_to_move(partition, topic, {from, to});
    if (owner_[moving] != from) moving = partition;  // it has moved on since
    movements_.moved(moving, topic, {from, to});
    --count_[from];
    give(moving, to);
  }

  void give(Index partition, Index member) {
    owner_[partition] = member;
    ++count_[member];
    ++version_;
  }

  // Ties: the lower id. Kept until a count changes.
  Index least_loaded(Index topic) {
    if (version_of_least_[topic] == version_ && least_[topic] != kNobody) return least_[topic];
    const std::vector<Index>& subscribers = group_.subscribers(topic);
    least_[topic] = *std::min_element(subscribers.begin(), subscribers.end(),
                                      [this](Index a, Index b) { return count_[a] < count_[b]; });
    version_of_least_[topic] = version_;
    return least_[topic];
  }

  // The sum of the differences between all pairs.
  static std::uint64_t score(std::vector<std::size_t> counts) {
    std::sort(counts.begin(), counts.end());
    std::uint64_t sum = 0;
    std::uint64_t smaller = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      sum += counts[i] * i - smaller;
      smaller += counts[i];
    }
    return sum;
  }

  // A partition whose new owner does not claim it, while somebody else does.
  void find_transfers(StickyResult& result) const {
    for (Index p = 0; p < group_.partitions(); ++p) {
      const Index owner = result.owner[p];
      if (owner == kNobody || claims_.on(p).empty() || claims_.is_claimed_by(p, owner)) continue;
      result.in_transfer.insert(p);
    }
  }

  const GroupIndex& group_;
  const Claims& claims_;
  std::vector<Index> topics_;
  std::vector<Index> owner_;                     // by partition
  std::vector<std::size_t> count_;               // by member
  std::uint64_t version_ = 0;                    // of the counts
  std::vector<std::uint64_t> version_of_least_;  // by topic
  std::vector<Index> least_;
  bool dropped_unsubscribed_ = false;
  Movements movements_;
};

}  // namespace

StickyResult assign_unequal(const GroupIndex& group, const Claims& claims) {
  return UnequalShares(group, claims).run();
}

}  // namespace fencepost::consumer
