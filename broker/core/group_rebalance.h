// The procedures of a rebalance (group-protocol 1.4): PREPARE, COMPLETE, the timers, and what adds
// and removes members. Kafka's own order of steps, since clients can see it.
#pragma once

#include <string>

#include "broker/core/broker_config.h"
#include "broker/core/deadlines.h"
#include "broker/core/effects.h"
#include "broker/core/group.h"

namespace fencepost::broker {

// A member whose first join is parked does not heartbeat; it is given up after this long.
inline constexpr std::int32_t kNewMemberJoinTimeoutMs = 300'000;

class GroupRebalance {
 public:
  GroupRebalance(const BrokerConfig& config, Deadlines& deadlines, RecordSink& log)
      : config_(config), deadlines_(deadlines), log_(log) {}

  // Adds a member with its join parked; the first one leads. Does not start anything by itself.
  void add(Group& group, Member member, const RequestId& join, Turn& turn);
  // Parks a join; an older one of the same member is dropped without an answer, as in Kafka.
  void park_join(Group& group, Member& member, const RequestId& join);
  // REMOVE: takes a member out; its parked sync is answered UNKNOWN_MEMBER_ID, a parked join is
  // not. If it led, the smallest remaining id leads.
  void remove(Group& group, const MemberId& member, const std::string& why, Turn& turn);

  // PREPARE: starts a rebalance, or completes it at once if everyone has joined already.
  void prepare(Group& group, const std::string& why, Turn& turn);
  // TRY_COMPLETE: ends the join phase if nobody is missing. Never ends an initial wait.
  void try_complete(Group& group, Turn& turn);
  // The leader's assignments are durable: the group is Stable, parked syncs are answered.
  void stabilize(Group& group, const wire::SyncGroupRequest& request, Turn& turn);

  // -- timers --
  void arm_session(const Group& group, const Member& member, Turn& turn);
  void arm_pending(const Group& group, const MemberId& id, std::int32_t session_ms, Turn& turn);
  void cancel_session(const Group& group, const MemberId& member);
  void session_expired(Group& group, const MemberId& member, Turn& turn);
  void join_expired(Group& group, Turn& turn);
  void sync_expired(Group& group, Turn& turn);
  // A member has synced: without anyone left to wait for, the sync timer goes.
  void synced(Group& group, const MemberId& member);

  // The partition of the offsets topic has left this broker: parked requests get kNotCoordinator
  // and the group is Dead. Not reached yet, since leaders are fixed by configuration.
  void unload(Group& group, Turn& turn);

  void append_metadata(const Group& group, Turn& turn);

 private:
  void complete(Group& group, const std::string& why, Turn& turn);
  void remove_those_who_did_not_rejoin(Group& group, Turn& turn);
  // False if nobody has joined although there are members: the phase goes on.
  bool elect_leader(Group& group);
  void complete_with_members(Group& group, const std::string& why, Turn& turn);
  void initial_expired(Group& group, Turn& turn);
  void cancel_syncs(Group& group, Turn& turn);
  void arm_join(const Group& group, TickSpan delay, std::string_view name, Turn& turn);
  void transition(Group& group, GroupState to, const std::string& why, Turn& turn);

  const BrokerConfig& config_;
  Deadlines& deadlines_;
  RecordSink& log_;
};

}  // namespace fencepost::broker
