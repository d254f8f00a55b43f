// What the coordinator knows about one classic consumer group (group-protocol 1.1). Plain data with
// the questions that are asked about it; what changes it is GroupRebalance and GroupMembership.
//
// Nothing here is written to the log when it changes: the log has what GroupMetadataValue has, at
// the moments that Kafka chose, and a restarted coordinator begins with the last of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/effects.h"
#include "broker/core/group_state.h"
#include "common/ids.h"
#include "common/result.h"
#include "proto/group.pb.h"
#include "proto/offsets.pb.h"

namespace fencepost::broker {

inline constexpr std::string_view kConsumerProtocolType = "consumer";

struct GroupProtocol {
  std::string name;      // an assignor
  std::string metadata;  // opaque here
  friend bool operator==(const GroupProtocol&, const GroupProtocol&) = default;
};

struct Member {
  MemberId id;
  std::optional<std::string> instance_id;  // static membership (KIP-345)
  std::string client_id;
  std::string client_host;
  std::int32_t session_timeout_ms = 0;
  std::int32_t rebalance_timeout_ms = 0;
  std::string protocol_type;
  std::vector<GroupProtocol> protocols;  // in order of preference
  std::string assignment;
  std::optional<RequestId> parked_join;
  std::optional<RequestId> parked_sync;
  std::uint64_t join_order = 0;  // among the parked joins of the group: who came first
  bool is_new = true;            // until its first join phase completes

  // The metadata that it sent for a protocol; empty if it does not list it.
  const std::string& metadata_for(const std::string& protocol) const;
};

// The wait of a group that has left Empty (KIP-134).
struct InitialWait {
  TickSpan delay;
  TickSpan remaining;
};

struct Group {
  // A new group, Empty.
  Group(GroupId group_id, std::int64_t now_ms)
      : id(std::move(group_id)), status(GroupState::kEmpty, now_ms) {}
  // As the log has it: Stable if it has members, else Empty.
  Group(GroupId group_id, const wire::GroupMetadataValue& stored);

  GroupId id;
  GroupStatus status;
  Generation generation{0};
  std::optional<std::string> protocol_type;  // absent: a simple group, or nobody has joined yet
  std::optional<std::string> protocol_name;
  std::optional<MemberId> leader;
  // What its members subscribe to, as of the last join phase; absent if nobody can read it.
  std::optional<std::set<std::string>> subscribed;
  std::map<MemberId, Member> members;
  std::map<std::string, MemberId> static_ids;  // instance id to member
  std::set<MemberId> pending_join;             // handed out with MEMBER_ID_REQUIRED, not joined yet
  std::set<MemberId> pending_sync;             // have not synced since the join phase
  bool new_member_added = false;               // somebody was added during the initial wait
  std::optional<InitialWait> initial_wait;     // present: the join timer is in initial mode
  Generation sync_generation{0};               // for which the sync timer was armed
  std::uint64_t next_join_order = 1;

  GroupState state() const { return status.state(); }
  bool in(GroupState state) const { return status.state() == state; }
  Member* find(const MemberId& member);
  bool is_leader(const MemberId& member) const { return leader == member; }

  // R: the largest rebalance timeout of the members, virtual ms; 0 without members.
  std::int64_t rebalance_timeout_ms() const;
  std::size_t parked_joins() const;
  // What the other members have sent as metadata.
  std::size_t metadata_bytes_without(const MemberId& member) const;
  // Every member has rejoined and nobody who was given an id is still to come.
  bool all_joined() const;
  // Whether one of the protocols is listed by every present member (the empty group: any).
  bool supports_one_of(const std::vector<GroupProtocol>& protocols) const;
  // The protocol with most votes among those that all members list; ties go to the smallest name.
  // The group has members, and joins are checked so that there is always a candidate.
  std::string vote() const;
  // Errors in this order: kUnknownMemberId, kFencedInstanceId (group-protocol 2.2).
  Result<void> validate_member(const MemberId& member,
                               const std::optional<std::string>& instance_id) const;
  // What `subscribed` is to be now: the topics of the members, if they are of type "consumer" and
  // can be read.
  std::optional<std::set<std::string>> subscribed_topics() const;
  bool is_consumer_group() const { return protocol_type == kConsumerProtocolType; }
  // A group of consumers of which nobody can say counts as subscribed, as in Kafka.
  bool is_subscribed_to(const std::string& topic) const;
  // Comma separated member ids, for events.
  std::string member_list() const;

  // The value of its GroupMetadata record.
  wire::GroupMetadataValue to_record() const;
};

// A field of a request that may be absent or present.
template <class Request>
std::optional<std::string> instance_id_of(const Request& request) {
  if (!request.has_group_instance_id()) return std::nullopt;
  return request.group_instance_id();
}

std::vector<GroupProtocol> protocols_of(const wire::JoinGroupRequest& request);

}  // namespace fencepost::broker
