// Which partitions have moved between which members during one assignment. When one would move
// from A to B after another of its topic has moved from B to A, that other one goes back instead:
// the same balance, and one move less (Kafka's PartitionMovements).
#pragma once

#include <map>
#include <set>
#include <tuple>

#include "consumer/core/assignors/group_index.h"

namespace fencepost::consumer {

class Movements {
 public:
  struct Way {
    Index from;
    Index to;
    friend auto operator<=>(const Way&, const Way&) = default;
  };

  // What really moves when this partition of this topic is to move this way.
  Index partition_to_move(Index partition, Index topic, Way way) const {
    const auto opposite = by_way_.find({topic, {way.to, way.from}});
    return opposite == by_way_.end() ? partition : *opposite->second.begin();
  }

  void moved(Index partition, Index topic, Way way) {
    const auto before = way_of_.find(partition);
    if (before != way_of_.end()) {
      way.from = before->second.from;
      forget(partition, topic, before->second);
      if (way.from == way.to) return;  // it is back
    }
    way_of_[partition] = way;
    by_way_[{topic, way}].insert(partition);
  }

 private:
  void forget(Index partition, Index topic, Way way) {
    way_of_.erase(partition);
    const auto known = by_way_.find({topic, way});
    known->second.erase(partition);
    if (known->second.empty()) by_way_.erase(known);
  }

  std::map<Index, Way> way_of_;
  std::map<std::pair<Index, Way>, std::set<Index>> by_way_;
};

}  // namespace fencepost::consumer
