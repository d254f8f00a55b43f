#include "consumer/core/assignors/group_index.h"

#include <algorithm>
#include <set>

namespace fencepost::consumer {

GroupIndex::GroupIndex(const AssignorInput& input) {
  std::set<std::string> wanted;
  for (const MemberSubscription& member : input.members) {
    members_.push_back(&member);
    wanted.insert(member.topics.begin(), member.topics.end());
  }
  std::sort(members_.begin(), members_.end(),
            [](const auto* a, const auto* b) { return a->member_id < b->member_id; });
  for (const auto& [topic, count] : input.partition_counts) {
    if (!wanted.contains(topic)) continue;
    first_.push_back(topic_of_.size());
    topic_of_.insert(topic_of_.end(), static_cast<std::size_t>(count), topics_.size());
    topics_.push_back(topic);
  }
  first_.push_back(topic_of_.size());
  subscribers_.resize(topics_.size());
  for (Index m = 0; m < members_.size(); ++m) {
    std::vector<Index>& topics = topics_of_member_.emplace_back();
    for (const std::string& name : members_[m]->topics) {
      const auto found = std::lower_bound(topics_.begin(), topics_.end(), name);
      if (found == topics_.end() || *found != name) continue;
      topics.push_back(static_cast<Index>(found - topics_.begin()));
      subscribers_[topics.back()].push_back(m);
    }
    std::sort(topics.begin(), topics.end());
  }
}

bool GroupIndex::subscribes(Index member, Index topic) const {
  const std::vector<Index>& topics = topics_of_member_[member];
  return std::binary_search(topics.begin(), topics.end(), topic);
}

bool GroupIndex::has_equal_subscriptions() const {
  return std::all_of(members_.begin(), members_.end(), [&](const MemberSubscription* member) {
    return member->topics == members_.front()->topics;
  });
}

std::optional<Index> GroupIndex::find(const TopicPartition& where) const {
  const auto found = std::lower_bound(topics_.begin(), topics_.end(), where.topic);
  if (found == topics_.end() || *found != where.topic || where.partition.value() < 0) {
    return std::nullopt;
  }
  const auto topic = static_cast<Index>(found - topics_.begin());
  const Index partition = first_[topic] + static_cast<Index>(where.partition.value());
  return partition < first_[topic + 1] ? std::optional(partition) : std::nullopt;
}

GroupAssignment GroupIndex::assignment_of(const std::vector<Index>& owner) const {
  GroupAssignment assignment;
  for (const MemberSubscription* member : members_) assignment[member->member_id];
  for (Index p = 0; p < owner.size(); ++p) {
    if (owner[p] == kNobody) continue;
    TopicPartitions& share = assignment[members_[owner[p]]->member_id];
    const auto index = static_cast<std::int32_t>(index_of(p));
    share.insert(share.end(), {topics_[topic_of_[p]], PartitionId(index)});
  }
  return assignment;
}

}  // namespace fencepost::consumer
