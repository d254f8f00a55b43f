// One attempt to get through a rebalance: JoinGroup, then SyncGroup (group-protocol 3.1, 3.3). It
// runs in the background, so a member in the middle of a batch gets through in time; its outcome is
// taken by the next poll.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/client_node.h"
#include "consumer/core/consumer_config.h"
#include "consumer/core/coordinator_lookup.h"
#include "consumer/core/group_leader.h"
#include "consumer/core/heartbeats.h"
#include "consumer/core/member.h"

namespace fencepost::consumer {

class GroupJoin {
 public:
  enum class Status { kIdle, kInFlight, kJoined, kRetry, kFatal };

  // Everything that a join concerns; all of it outlives the join.
  struct Rooms {
    Client& client;
    const ConsumerConfig& config;
    Member& member;
    CoordinatorLookup& coordinator;
    Heartbeats& heartbeats;
    GroupLeader& leader;
    Signal& changed;
  };

  explicit GroupJoin(const Rooms& rooms) : rooms_(rooms) {}

  // kJoined: the assignment is there, though the member may have been reset since. kRetry: at once;
  // any pause is over. kFatal: the error is to be thrown.
  Status status() const { return status_; }
  bool pending() const { return status_ != Status::kIdle; }
  // `topics` is the member's subscription, `owned` what it still owns. The coordinator is known.
  void start(const std::vector<std::string>& topics, const TopicPartitions& owned);
  // After kJoined: the serialized assignment.
  const std::string& assignment() const { return assignment_; }
  // After kJoined: the assignment is taken over. Idle afterwards; until then a poll finds it again.
  void finish();
  // Kafka's onAssignment of the assignor: what sticky assignors say of this member when it joins
  // again. It outlasts the membership.
  void remember(const TopicPartitions& assigned);
  // After kRetry or kFatal. Idle afterwards.
  ClientError take_error();

 private:
  enum class Next { kSync, kRetryNow, kRetryLater, kFatal, kDone };

  Task<void> run(std::string coordinator, wire::Frame request);
  wire::Frame join_request(const std::vector<std::string>& topics,
                           const TopicPartitions& owned) const;
  Next react_to_join(const Result<Answer>& answer, const Identity& sent);
  Next react_to_sync(const Result<Answer>& answer, const Identity& sent);
  Next join_failed(ErrorCode error, const Identity& sent);
  Next sync_failed(ErrorCode error, const Identity& sent);
  Next coordinator_lost(ErrorCode error);
  Task<Next> sync(const wire::JoinGroupResponse& joined);
  wire::Frame sync_request(wire::SyncGroupRequest assignments) const;

  struct Assigned {
    TopicPartitions partitions;
    Generation generation;
  };

  Rooms rooms_;
  Status status_ = Status::kIdle;
  std::string asked_;  // the coordinator of this attempt
  std::string assignment_;
  std::optional<Assigned> last_;  // what this member was assigned last, for sticky assignors
  ClientError error_;
};

}  // namespace fencepost::consumer
