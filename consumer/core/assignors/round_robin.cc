#include "consumer/core/assignors/round_robin.h"

#include <algorithm>

namespace fencepost::consumer {

GroupAssignment RoundRobinAssignor::assign(const AssignorInput& input) const {
  GroupAssignment assignment;
  for (const MemberSubscription& member : input.members) assignment[member.member_id];
  const std::vector<std::size_t> order = member_order(input.members);
  std::size_t wheel = 0;
  for (const auto& [topic, partitions] : input.partition_counts) {
    const auto subscribes = [&input, &topic = topic](std::size_t i) {
      const std::vector<std::string>& topics = input.members[i].topics;
      return std::find(topics.begin(), topics.end(), topic) != topics.end();
    };
    if (std::none_of(order.begin(), order.end(), subscribes)) continue;
    for (std::int32_t index = 0; index < partitions; ++index) {
      while (!subscribes(order[wheel % order.size()])) ++wheel;
      const MemberId& member = input.members[order[wheel++ % order.size()]].member_id;
      assignment[member].insert({topic, PartitionId(index)});
    }
  }
  return assignment;
}

}  // namespace fencepost::consumer
