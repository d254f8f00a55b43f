// A group as the sticky assignors see it: partitions and members as numbers, in the order in which
// the algorithms take them. A partition's number grows with (topic, index), a member's with its id.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "consumer/core/assignors/assignor.h"

namespace fencepost::consumer {

using Index = std::size_t;
inline constexpr Index kNobody = static_cast<Index>(-1);  // no member

class GroupIndex {
 public:
  // The input outlives the index. Topics without metadata, or that nobody subscribes to, are left
  // out.
  explicit GroupIndex(const AssignorInput& input);

  std::size_t partitions() const { return topic_of_.size(); }
  std::size_t members() const { return members_.size(); }
  std::size_t topics() const { return topics_.size(); }

  const MemberSubscription& member(Index member) const { return *members_[member]; }
  Index topic_of(Index partition) const { return topic_of_[partition]; }
  // Its place within its topic.
  Index index_of(Index partition) const { return partition - first_[topic_of_[partition]]; }
  // The partitions of a topic are [begin, end).
  Index begin_of(Index topic) const { return first_[topic]; }
  Index end_of(Index topic) const { return first_[topic + 1]; }

  const std::vector<Index>& topics_of(Index member) const { return topics_of_member_[member]; }
  const std::vector<Index>& subscribers(Index topic) const { return subscribers_[topic]; }
  bool subscribes(Index member, Index topic) const;
  // Whether all members have the same topics.
  bool has_equal_subscriptions() const;

  // Nothing if there is no such partition.
  std::optional<Index> find(const TopicPartition& where) const;

  // By member, sets of partitions, as an assignment. `owner` is by partition.
  GroupAssignment assignment_of(const std::vector<Index>& owner) const;

 private:
  std::vector<std::string> topics_;
  std::vector<Index> first_;     // by topic, and one more
  std::vector<Index> topic_of_;  // by partition
  std::vector<const MemberSubscription*> members_;
  std::vector<std::vector<Index>> topics_of_member_;  // ascending
  std::vector<std::vector<Index>> subscribers_;       // by topic, ascending
};

}  // namespace fencepost::consumer
