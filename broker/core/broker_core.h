// A broker as a value: requests and due timers in, effects out. Partition leader and group
// coordinator are modules of their own behind one switch; hard state is what apply() has seen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "broker/core/broker_config.h"
#include "broker/core/cluster_metadata.h"
#include "broker/core/compaction.h"
#include "broker/core/deadlines.h"
#include "broker/core/effects.h"
#include "broker/core/fetch_waiters.h"
#include "broker/core/group_admin.h"
#include "broker/core/group_coordinator.h"
#include "broker/core/log_retention.h"
#include "broker/core/partition_leader.h"
#include "broker/core/topics.h"
#include "proto/frame.pb.h"

namespace fencepost::broker {

class BrokerCore : private RecordSink {
 public:
  explicit BrokerCore(BrokerConfig config);
  BrokerCore(const BrokerCore&) = delete;
  BrokerCore& operator=(const BrokerCore&) = delete;

  // Replays one stored batch; called for all of them in order, then start().
  void apply(const wire::StoredRow& row);
  // Makes the topics that are configured and absent, and begins the sessions of loaded groups.
  std::vector<Effect> start(Tick now, const wire::Cause& cause);

  // Runs one request to completion. Anything that is not a request is ignored.
  std::vector<Effect> handle(const wire::Frame& frame, Tick now, const wire::Cause& cause);

  // Runs the first timer that is due, if there is one.
  struct Expired {
    wire::Cause cause;
    std::vector<Effect> effects;
  };
  std::optional<Expired> advance(Tick now);
  // The stored batches that compaction has made obsolete since the last call.
  std::vector<StoredRowId> take_obsolete() { return std::exchange(obsolete_, {}); }
  std::optional<Tick> next_deadline() const { return deadlines_.next(); }

  const Topics& topics() const { return topics_; }
  const GroupCoordinator& groups() const { return groups_; }
  GroupCoordinator& groups() { return groups_; }
  const FetchWaiters& fetches() const { return fetches_; }

 private:
  Offset append(const TopicPartition& where, wire::RecordBatch batch, Turn& turn) override;
  void apply_batch(const TopicPartition& where, const wire::RecordBatch& batch, std::string bytes);
  void compact(const TopicPartition& where, const wire::RecordBatch& batch);
  void apply_topic(const wire::Record& record);
  void remove_topic(const std::string& name);
  void create_configured_topics(Turn& turn);
  void dispatch(const wire::Frame& frame, const Caller& caller, Turn& turn);
  // The answer to a request of an administrator.
  wire::Frame administer(const wire::Frame& frame, const Caller& caller, Turn& turn);
  wire::DeleteTopicsResponse delete_topics(const wire::DeleteTopicsRequest& request, Turn& turn);
  // What was appended in this turn may be what a parked fetch waits for.
  std::vector<Effect> finish(Turn& turn);

  BrokerConfig config_;
  Topics topics_;
  Deadlines deadlines_;
  FetchWaiters fetches_;
  ClusterMetadata cluster_;
  PartitionLeader leader_;
  GroupCoordinator groups_;
  GroupAdmin admin_;
  LogRetention retention_;
  std::map<TopicPartition, Compaction> compactions_;  // of the internal topics that are compacted
  std::vector<StoredRowId> obsolete_;
  std::set<TopicPartition> changed_;  // in this turn: they have grown, or are gone
};

}  // namespace fencepost::broker
