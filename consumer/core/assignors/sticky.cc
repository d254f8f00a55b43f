#include "consumer/core/assignors/sticky.h"

#include "consumer/core/assignors/claims.h"
#include "consumer/core/assignors/group_index.h"
#include "consumer/core/assignors/sticky_equal.h"
#include "consumer/core/assignors/sticky_unequal.h"

namespace fencepost::consumer {
namespace {

StickyResult balance(const GroupIndex& group, const Claims& claims) {
  if (group.members() == 0) return {};
  return group.has_equal_subscriptions() ? assign_equal(group, claims)
                                         : assign_unequal(group, claims);
}

// The eager assignor's claims are those of its user data, and no others. What cannot be read claims
// nothing.
AssignorInput with_claims_of_user_data(AssignorInput input) {
  for (MemberSubscription& member : input.members) {
    member.owned.clear();
    member.generation = kNoGeneration;
    wire::ConsumerProtocolSubscription claim;
    if (member.user_data.empty() || !claim.ParseFromString(member.user_data)) continue;
    member.owned = read_partitions(claim.owned_partitions());
    member.generation = Generation(claim.generation_id());
  }
  return input;
}

// Older clients say their generation in the user data: four bytes, the highest first.
AssignorInput with_generation_of_user_data(AssignorInput input) {
  for (MemberSubscription& member : input.members) {
    if (member.generation != kNoGeneration || member.user_data.size() != sizeof(std::int32_t)) {
      continue;
    }
    std::uint32_t number = 0;
    for (const char byte : member.user_data) {
      number = (number << 8U) | static_cast<unsigned char>(byte);
    }
    member.generation = Generation(static_cast<std::int32_t>(number));
  }
  return input;
}

struct Split {
  GroupAssignment now;
  GroupAssignment withheld;
};

Split split(const AssignorInput& input) {
  const AssignorInput completed = with_generation_of_user_data(input);
  const GroupIndex group(completed);
  StickyResult result = balance(group, Claims(group));
  std::vector<Index> withheld(result.owner.size(), kNobody);
  for (const Index partition : result.in_transfer) {
    std::swap(withheld[partition], result.owner[partition]);
  }
  return {.now = group.assignment_of(result.owner), .withheld = group.assignment_of(withheld)};
}

}  // namespace

GroupAssignment StickyAssignor::assign(const AssignorInput& input) const {
  const AssignorInput completed = with_claims_of_user_data(input);
  const GroupIndex group(completed);
  return group.assignment_of(balance(group, Claims(group)).owner);
}

std::string StickyAssignor::user_data(const TopicPartitions& last, Generation generation) const {
  wire::ConsumerProtocolSubscription claim;
  write_partitions(last, claim.mutable_owned_partitions());
  claim.set_generation_id(generation.value());
  return claim.SerializeAsString();
}

GroupAssignment CooperativeStickyAssignor::assign(const AssignorInput& input) const {
  return split(input).now;
}

GroupAssignment CooperativeStickyAssignor::withheld(const AssignorInput& input) const {
  return split(input).withheld;
}

}  // namespace fencepost::consumer
