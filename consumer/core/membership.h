// The consumer's part in its group, as poll drives it (group-protocol 3.2, 3.3): when to rejoin,
// what to give up before, what to take over after. Nothing here waits for an answer; what is not
// finished yet is looked at again in the next round of poll.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/client_node.h"
#include "consumer/core/assigned_partitions.h"
#include "consumer/core/coordinator_lookup.h"
#include "consumer/core/group_join.h"
#include "consumer/core/group_leader.h"
#include "consumer/core/heartbeats.h"
#include "consumer/core/member.h"
#include "consumer/core/offset_commits.h"

namespace fencepost::consumer {

// Kafka's ConsumerRebalanceListener. Called within poll, unsubscribe and close; may commit.
class RebalanceListener {
 public:
  virtual ~RebalanceListener() = default;
  virtual Task<void> on_partitions_revoked(TopicPartitions partitions) = 0;
  virtual Task<void> on_partitions_assigned(TopicPartitions partitions) = 0;
  virtual Task<void> on_partitions_lost(TopicPartitions partitions) {
    return on_partitions_revoked(std::move(partitions));
  }
};

// Fixed at construction: the highest mode that all configured assignors support.
enum class RebalanceMode { kEager, kCooperative };

class Membership {
 public:
  // `signal` wakes poll. Everything outlives the membership.
  Membership(Client& client, const ConsumerConfig& config, Metadata& metadata,
             AssignedPartitions& assigned, Signal& signal);

  void set_listener(RebalanceListener* listener) { listener_ = listener; }
  void subscribe(std::vector<std::string> topics);
  bool subscribed() const { return !subscription_.empty(); }

  // As much of the join as can be done now. True: nothing is pending, the assignment stands. Errors
  // are those that poll throws.
  Task<ClientResult<bool>> advance();
  // LEAVE_PREPARE and Leave of unsubscribe() and close().
  Task<void> leave(std::string reason);

  Member& member() { return member_; }
  CoordinatorLookup& coordinator() { return coordinator_; }
  OffsetCommits& commits() { return commits_; }
  Heartbeats& heartbeats() { return heartbeats_; }
  // A join has been completed since this was asked last (auto-commit's timer starts anew).
  bool take_joined() { return std::exchange(joined_, false); }

 private:
  void look_for_changes();
  std::optional<ClientError> take_failure();
  Task<bool> prepare();
  bool commit_before_prepare();
  Task<void> give_up_for_join();
  Task<ClientResult<void>> take_over(std::string assignment);
  Task<void> take_over_eager(TopicPartitions assigned);
  Task<void> take_over_cooperative(TopicPartitions assigned);
  Task<void> revoke(TopicPartitions partitions);
  Task<void> lose_all();
  Task<void> report_assigned(TopicPartitions added);
  void report(std::string_view event, const TopicPartitions& partitions);

  Client& client_;
  const ConsumerConfig& config_;
  Metadata& metadata_;
  AssignedPartitions& assigned_;
  Signal background_;
  Member member_;
  CoordinatorLookup coordinator_;
  OffsetCommits commits_;
  Heartbeats heartbeats_;
  GroupLeader leader_;
  GroupJoin join_;
  RebalanceMode mode_;
  RebalanceListener* listener_ = nullptr;
  std::vector<std::string> subscription_;         // sorted
  std::vector<std::string> joined_subscription_;  // of the last JoinGroup
  std::shared_ptr<const OffsetCommits::Flight> prepare_commit_;
  Tick prepare_deadline_;
  bool joined_ = false;
  bool started_ = false;
};

}  // namespace fencepost::consumer
