#include "consumer/core/assignors/range.h"

#include <algorithm>

namespace fencepost::consumer {
namespace {

bool subscribes(const MemberSubscription& member, const std::string& topic) {
  return std::find(member.topics.begin(), member.topics.end(), topic) != member.topics.end();
}

}  // namespace

GroupAssignment RangeAssignor::assign(const AssignorInput& input) const {
  GroupAssignment assignment;
  for (const MemberSubscription& member : input.members) assignment[member.member_id];
  const std::vector<std::size_t> order = member_order(input.members);
  for (const auto& [topic, partitions] : input.partition_counts) {
    std::vector<MemberId> subscribers;
    for (const std::size_t i : order) {
      if (subscribes(input.members[i], topic)) subscribers.push_back(input.members[i].member_id);
    }
    if (subscribers.empty()) continue;
    const auto count = static_cast<std::int32_t>(subscribers.size());
    std::int32_t next = 0;
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t quota = partitions / count + (i < partitions % count ? 1 : 0);
      TopicPartitions& share = assignment[subscribers[static_cast<std::size_t>(i)]];
      for (const std::int32_t end = next + quota; next < end; ++next) {
        share.insert({topic, PartitionId(next)});
      }
    }
  }
  return assignment;
}

}  // namespace fencepost::consumer
