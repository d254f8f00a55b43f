// What an assignor is (group-protocol 5): members and partition counts in, an assignment out. A
// pure function, run by the group's leader.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.h"
#include "consumer/core/topic_partitions.h"

namespace fencepost::consumer {

struct MemberSubscription {
  MemberId member_id;
  std::optional<std::string> instance_id;
  std::vector<std::string> topics;  // sorted
  TopicPartitions owned;            // claims
  Generation generation = kNoGeneration;
  std::string user_data;
};

struct AssignorInput {
  std::vector<MemberSubscription> members;
  std::map<std::string, std::int32_t> partition_counts;  // topics without metadata are missing
};

// Every member has an entry, possibly empty.
using GroupAssignment = std::map<MemberId, TopicPartitions>;

class Assignor {
 public:
  virtual ~Assignor() = default;
  virtual std::string_view name() const = 0;
  // Whether the member may keep its partitions through a rebalance under this assignor.
  virtual bool supports_cooperative() const { return false; }
  virtual GroupAssignment assign(const AssignorInput& input) const = 0;
};

// By Kafka's short name; none if there is no such assignor (yet).
std::unique_ptr<Assignor> make_assignor(std::string_view name);

// "Member order": static members first, by instance id, then dynamic ones, by member id. Indexes
// into the members given.
std::vector<std::size_t> member_order(const std::vector<MemberSubscription>& members);

}  // namespace fencepost::consumer
