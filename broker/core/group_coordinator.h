// The coordinator of classic consumer groups: finds the group of a request, makes it if the
// protocol says so, and hands over to the machine that knows. Owns the groups, their timers and
// their sweep.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/broker_config.h"
#include "broker/core/deadlines.h"
#include "broker/core/effects.h"
#include "broker/core/group.h"
#include "broker/core/group_membership.h"
#include "broker/core/group_offsets.h"
#include "broker/core/group_rebalance.h"
#include "broker/core/topics.h"

namespace fencepost::broker {

class GroupCoordinator {
 public:
  GroupCoordinator(const BrokerConfig& config, const Topics& topics, Deadlines& deadlines,
                   RecordSink& log);

  // Each answers `caller`, now or later. Errors that do not depend on the group, in this order:
  // kInvalidGroupId, kInvalidSessionTimeout, kNotCoordinator.
  void join(const wire::JoinGroupRequest& request, const Caller& caller, Turn& turn);
  void sync(const wire::SyncGroupRequest& request, const Caller& caller, Turn& turn);
  void heartbeat(const wire::HeartbeatRequest& request, const Caller& caller, Turn& turn);
  void leave(const wire::LeaveGroupRequest& request, const Caller& caller, Turn& turn);
  void commit(const wire::OffsetCommitRequest& request, const Caller& caller, Turn& turn);
  void fetch_offsets(const wire::OffsetFetchRequest& request, const Caller& caller, Turn& turn);

  // A timer of kind kSession, kJoin, kSync or kRetention.
  void expired(const TimerKey& timer, Turn& turn);

  // One record of __consumer_offsets. A group's metadata counts only until start(): afterwards the
  // group in memory is what the record was made from.
  void apply(const wire::Record& record);
  // The log has been replayed: sessions begin anew, and groups that are too large rebalance.
  void start(Turn& turn);

  // The group in memory, if there is one here.
  const Group* find(const std::string& group) const;
  const std::map<std::string, Group>& all() const { return groups_; }
  std::size_t group_count() const { return groups_.size(); }
  const GroupOffsets& offsets() const { return offsets_; }

  // kInvalidGroupId for "", kNotCoordinator if another broker coordinates it, else kNone.
  ErrorCode check_group(const std::string& group) const;
  ErrorCode check_coordinator(const std::string& group) const;

  // Forgets an Empty group: tombstones for its offsets, then for itself.
  void remove(const std::string& group, const std::string& why, Turn& turn);
  void remove_offsets(const GroupId& group, const std::vector<TopicPartition>& partitions,
                      const std::string& why, Turn& turn) {
    offsets_.remove(group, partitions, why, turn);
  }
  // A topic is no more: nor are the offsets that were committed for it.
  void forget(const std::string& topic, Turn& turn) { offsets_.forget(topic, turn); }

  // See GroupRebalance::unload.
  void unload(const std::string& group, Turn& turn);

 private:
  Group* lookup(const std::string& group);
  Group& create(const std::string& group, Turn& turn);
  ErrorCode check_session_timeout(const wire::JoinGroupRequest& request) const;
  ErrorCode commit_error(const wire::OffsetCommitRequest& request, Turn& turn);
  void arm_sweep(Turn& turn);
  void sweep(Turn& turn);

  const BrokerConfig& config_;
  Deadlines& deadlines_;
  RecordSink& log_;
  GroupRebalance rebalance_;
  GroupMembership membership_;
  GroupOffsets offsets_;
  std::map<std::string, Group> groups_;
  bool started_ = false;
  Tick started_at_;
  wire::Cause start_cause_;
};

}  // namespace fencepost::broker
