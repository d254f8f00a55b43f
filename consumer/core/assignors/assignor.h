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
  // What assign() leaves out for this round since another member still has it, by the member that
  // is to get it. Every member has an entry.
  virtual GroupAssignment withheld(const AssignorInput& input) const;
  // What a member that was assigned this says of it when it joins again: in `user_data` of its
  // subscription.
  virtual std::string user_data(const TopicPartitions& last, Generation generation) const;
};

// Which algorithm stands behind `cooperative-sticky`: Kafka's, or the one that can be followed by
// hand (app.cooperative-sticky).
enum class StickyRule { kKafka, kSimple };

// By Kafka's short name; none if there is no such assignor.
std::unique_ptr<Assignor> make_assignor(std::string_view name,
                                        StickyRule rule = StickyRule::kKafka);
// Their short names.
std::vector<std::string_view> assignor_names();

// "Member order": static members first, by instance id, then dynamic ones, by member id. Indexes
// into the members given.
std::vector<std::size_t> member_order(const std::vector<MemberSubscription>& members);

}  // namespace fencepost::consumer
