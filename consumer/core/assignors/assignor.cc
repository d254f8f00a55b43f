#include "consumer/core/assignors/assignor.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "consumer/core/assignors/range.h"
#include "consumer/core/assignors/round_robin.h"
#include "consumer/core/assignors/simple_sticky.h"
#include "consumer/core/assignors/sticky.h"

namespace fencepost::consumer {

GroupAssignment Assignor::withheld(const AssignorInput& input) const {
  GroupAssignment nothing;
  for (const MemberSubscription& member : input.members) nothing[member.member_id];
  return nothing;
}

std::string Assignor::user_data(const TopicPartitions&, Generation) const { return {}; }

std::unique_ptr<Assignor> make_assignor(std::string_view name, StickyRule rule) {
  if (name == "range") return std::make_unique<RangeAssignor>();
  if (name == "roundrobin") return std::make_unique<RoundRobinAssignor>();
  if (name == "sticky") return std::make_unique<StickyAssignor>();
  if (name != "cooperative-sticky") return nullptr;
  if (rule == StickyRule::kSimple) return std::make_unique<SimpleStickyAssignor>();
  return std::make_unique<CooperativeStickyAssignor>();
}

std::vector<std::string_view> assignor_names() {
  return {"range", "roundrobin", "sticky", "cooperative-sticky"};
}

std::vector<std::size_t> member_order(const std::vector<MemberSubscription>& members) {
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&members](std::size_t i) {
    const MemberSubscription& member = members[i];
    return std::tuple(!member.instance_id, member.instance_id.value_or(""), member.member_id);
  };
  std::sort(order.begin(), order.end(),
            [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace fencepost::consumer
