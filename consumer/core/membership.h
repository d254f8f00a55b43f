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
#include "consumer/core/subscription.h"

namespace fencepost::consumer {

// Kafka's ConsumerRebalanceListener. Called within poll, unsubscribe and close; may commit and
// seek. An error is the exception that the callback throws: it undoes nothing and comes out of the
// call as KafkaException.
class RebalanceListener {
 public:
  virtual ~RebalanceListener() = default;
  virtual Task<ClientResult<void>> on_partitions_revoked(TopicPartitions partitions) = 0;
  virtual Task<ClientResult<void>> on_partitions_assigned(TopicPartitions partitions) = 0;
  virtual Task<ClientResult<void>> on_partitions_lost(TopicPartitions partitions) {
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
  // Every topic whose name matches, once metadata shows it. Throws ConfigError.
  void subscribe_pattern(const std::string& pattern);
  void unsubscribe();
  bool subscribed() const { return subscription_.active(); }
  // Kafka's enforceRebalance: the next poll joins anew.
  void enforce_rebalance() { member_.request_rejoin("rebalance enforced by user"); }

  // As much of the join as can be done now. True: nothing is pending, the assignment stands. Errors
  // are those that poll throws.
  Task<ClientResult<bool>> advance();
  // LEAVE_PREPARE and Leave of unsubscribe() and close().
  Task<ClientResult<void>> leave(std::string reason);

  Member& member() { return member_; }
  CoordinatorLookup& coordinator() { return coordinator_; }
  OffsetCommits& commits() { return commits_; }
  Heartbeats& heartbeats() { return heartbeats_; }
  // A join has been completed since this was asked last (auto-commit's timer starts anew).
  bool take_joined() { return std::exchange(joined_, false); }

 private:
  void start_once();
  void look_for_changes();
  bool rejoin_to_come() const { return member_.rejoin_needed() || join_.pending(); }
  std::optional<ClientError> take_failure();
  Task<ClientResult<bool>> prepare();
  Task<bool> commit_before_prepare();
  Task<ClientResult<void>> give_up_for_join();
  bool start_join();
  Task<ClientResult<void>> take_over();
  Task<ClientResult<void>> take_over_eager(TopicPartitions assigned);
  Task<ClientResult<void>> take_over_cooperative(TopicPartitions assigned);
  Task<ClientResult<void>> revoke(TopicPartitions partitions);
  Task<ClientResult<void>> lose_all();
  Task<ClientResult<void>> report_assigned(TopicPartitions added);
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
  Subscription subscription_;
  std::uint64_t matched_version_ = 0;           // of the metadata, by pattern
  std::optional<ClientError> pattern_failure_;  // matching it takes too long
  // By pattern: a join waits for metadata after this version.
  std::optional<std::uint64_t> join_after_version_;
  std::optional<std::vector<std::string>> joined_subscription_;  // of the last JoinGroup
  std::shared_ptr<const OffsetCommits::Flight> prepare_commit_;
  std::optional<Tick> prepare_deadline_;  // of all attempts of one PREPARE_CLIENT
  bool joined_ = false;
  bool started_ = false;
};

}  // namespace fencepost::consumer
