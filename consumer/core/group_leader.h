// What a member does when it leads its group: runs the assignor over everybody's subscriptions, and
// watches the partition counts that the assignment was made from.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/client_node.h"
#include "common/metadata.h"
#include "consumer/core/assignors/assignor.h"
#include "consumer/core/consumer_config.h"
#include "proto/group.pb.h"

namespace fencepost::consumer {

class GroupLeader {
 public:
  GroupLeader(Client& client, const ConsumerConfig& config, Metadata& metadata);

  // The assignors of this member that exist, in its order of preference.
  const std::vector<std::unique_ptr<Assignor>>& assignors() const { return assignors_; }

  // Kafka's onLeaderElected. Asks for metadata of the group's topics first where that is missing.
  // Empty when the coordinator wants no assignment (skip_assignment). Error: the group has voted
  // for an assignor that this member does not have.
  Task<ClientResult<wire::SyncGroupRequest>> assign(const wire::JoinGroupResponse& response);
  // It is a follower in this generation: nothing to watch.
  void step_down() { watched_.reset(); }
  // A partition count that the last assignment was made from has changed.
  bool partitions_changed() const;

 private:
  using Counts = std::map<std::string, std::int32_t>;

  const Assignor* assignor(std::string_view name) const;
  Task<void> learn_topics(std::vector<std::string> topics);
  Counts counts_of(const std::vector<std::string>& topics) const;
  void report(const wire::JoinGroupResponse& response, const GroupAssignment& assignment);

  Client& client_;
  const ConsumerConfig& config_;
  Metadata& metadata_;
  std::vector<std::unique_ptr<Assignor>> assignors_;
  std::vector<std::string> topics_;  // of the whole group
  std::optional<Counts> watched_;
};

}  // namespace fencepost::consumer
