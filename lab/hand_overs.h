// From where the owners of a rebalance begin, and what that meant: which records the next owner of
// a partition did again, and which nobody ever did. The point of committing before or after.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/history.h"

namespace fencepost::lab {

struct HandOver {
  TopicPartition partition;
  std::string process;                // who owns it now
  Offset start;                       // of its first Fetch
  std::optional<OffsetFact> commit;   // what it begins by; absent: nothing was committed
  std::optional<std::string> policy;  // auto.offset.reset decided
  bool after_loss = false;            // the owner before died, was removed or lost it
  std::vector<std::string> again;     // done before, and done again by the new owner
  std::vector<std::string> never;     // between the owner before and the start; nobody did them
};

class HandOvers {
 public:
  explicit HandOvers(const History& history);

  // Those of a rebalance of History::rebalances that are worth a word, by partition: after a loss,
  // where something is done again or never, or where auto.offset.reset decided.
  std::vector<HandOver> of(const Rebalance& rebalance) const;

 private:
  using Key = std::pair<std::string, TopicPartition>;  // group, partition

  bool is_forgotten(const Ownership& owned, const Rebalance& rebalance) const;
  HandOver hand_over(const Ownership& now, const Ownership* before) const;
  bool done(const std::string& record, const std::string& process, const Moment* after,
            const Moment* before) const;
  bool done_ever(const std::string& record) const;

  const History& history_;
  std::map<Key, std::vector<const Ownership*>> ownerships_;                        // in their order
  std::map<TopicPartition, std::vector<std::pair<Offset, std::string>>> records_;  // by offset
};

// Lines for people; hand-overs that read the same share one.
std::vector<std::string> lines_of(const std::vector<HandOver>& hand_overs,
                                  const PartitionNames& names);

}  // namespace fencepost::lab
