// The requests of members against one group: JoinGroup, SyncGroup, Heartbeat, LeaveGroup
// (group-protocol 2.3 to 2.6). Checks come in Kafka's order, so that the error is Kafka's.
// What does not depend on the group (its name, its coordinator) has been checked before.
#pragma once

#include <string>

#include "broker/core/broker_config.h"
#include "broker/core/effects.h"
#include "broker/core/group.h"
#include "broker/core/group_rebalance.h"
#include "common/random.h"

namespace fencepost::broker {

// What the members of a group may send as metadata in all: the leader gets it in one frame. Beyond
// it a group counts as full.
inline constexpr std::size_t kMaxGroupBytes = std::size_t{4} << 20U;

class GroupMembership {
 public:
  GroupMembership(const BrokerConfig& config, GroupRebalance& rebalance)
      : config_(config),
        rebalance_(rebalance),
        ids_(config.seed, config.name, config.incarnation, "member.id") {}

  // JoinGroup (api key 11). Answered now, or parked until the join phase ends.
  // Errors: kGroupMaxSizeReached; kCoordinatorNotAvailable; kInconsistentGroupProtocol, another
  // type or nothing in common with the members; kMemberIdRequired, come again with this id
  // (KIP-394); kUnknownMemberId; kFencedInstanceId.
  void join(Group& group, const wire::JoinGroupRequest& request, const Caller& caller, Turn& turn);

  // SyncGroup (api key 14). A follower is parked until the leader's assignment is durable.
  // Errors: kUnknownMemberId, kCoordinatorNotAvailable, kFencedInstanceId, kIllegalGeneration,
  // kInconsistentGroupProtocol, kRebalanceInProgress.
  void sync(Group& group, const wire::SyncGroupRequest& request, const Caller& caller, Turn& turn);

  // Heartbeat (api key 12). Moves the session's deadline, also when it answers
  // kRebalanceInProgress (rejoin). Errors: kCoordinatorNotAvailable, kUnknownMemberId,
  // kFencedInstanceId, kIllegalGeneration.
  ErrorCode heartbeat(Group& group, const wire::HeartbeatRequest& request, Turn& turn);

  // LeaveGroup (api key 13). Each entry succeeds or fails by itself; one rebalance for all.
  void leave(Group& group, const wire::LeaveGroupRequest& request, const Caller& caller,
             Turn& turn);

 private:
  Result<void> check_join(Group& group, const wire::JoinGroupRequest& request, Turn& turn);
  bool has_room(const Group& group, const MemberId& member) const;
  void hand_out_id(Group& group, const wire::JoinGroupRequest& request, const Caller& caller,
                   Turn& turn);
  void add_member(Group& group, MemberId id, const wire::JoinGroupRequest& request,
                  const Caller& caller, Turn& turn);
  void join_static(Group& group, const wire::JoinGroupRequest& request, const Caller& caller,
                   Turn& turn);
  void replace_static(Group& group, const MemberId& old, const wire::JoinGroupRequest& request,
                      const Caller& caller, Turn& turn);
  void rejoin(Group& group, const wire::JoinGroupRequest& request, const Caller& caller,
              Turn& turn);
  ErrorCode check_sync(const Group& group, const wire::SyncGroupRequest& request) const;
  ErrorCode leave_one(Group& group, const wire::LeaveGroupRequest::Member& entry, Turn& turn);
  MemberId new_id(const std::string& prefix) { return MemberId(prefix + "-" + ids_.uuid()); }

  const BrokerConfig& config_;
  GroupRebalance& rebalance_;
  Random ids_;
};

}  // namespace fencepost::broker
