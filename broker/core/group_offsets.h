// Committed offsets (group-protocol 2.7, 2.8, 1.9). Written by apply() alone, from the records of
// __consumer_offsets, so a restart finds what was committed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "broker/core/broker_config.h"
#include "broker/core/effects.h"
#include "broker/core/group.h"
#include "broker/core/topics.h"
#include "common/ids.h"
#include "proto/offsets.pb.h"

namespace fencepost::broker {

struct CommittedOffset {
  Offset offset;
  std::int32_t leader_epoch = -1;
  std::string metadata;
  std::int64_t commit_ms = 0;             // virtual ms
  std::optional<std::int64_t> expire_ms;  // overrides the retention
  friend bool operator==(const CommittedOffset&, const CommittedOffset&) = default;
};

using CommittedOffsets = std::map<TopicPartition, CommittedOffset>;

// May this commit be stored? Errors by the table of group-protocol 2.7: kCoordinatorNotAvailable,
// kUnknownMemberId, kFencedInstanceId, kIllegalGeneration, kRebalanceInProgress.
Result<void> check_commit(const Group& group, const wire::OffsetCommitRequest& request);

class GroupOffsets {
 public:
  GroupOffsets(const BrokerConfig& config, const Topics& topics, RecordSink& log)
      : config_(config), topics_(topics), log_(log) {}

  // Whether the request names a partition that exists: otherwise the group is not consulted.
  bool names_known_partition(const wire::OffsetCommitRequest& request) const;
  // Stores what can be stored, and answers. A partition that does not exist has
  // kUnknownTopicOrPartition whatever the group says; all others have `group_error` unless it is
  // kNone.
  void commit(const wire::OffsetCommitRequest& request, ErrorCode group_error, const Caller& caller,
              Turn& turn);

  // One group of an OffsetFetch: offset -1 where nothing is committed.
  wire::OffsetFetchResponse::Group fetch(const wire::OffsetFetchRequest::Group& request) const;
  // The answer about a group that has none.
  static wire::OffsetFetchResponse::Group fetch_nothing(
      const wire::OffsetFetchRequest::Group& request);

  // From the log: a commit, or its tombstone (no value).
  void apply(const wire::OffsetCommitKey& key, const std::optional<wire::OffsetCommitValue>& value);

  // Removes what the retention no longer covers. Whether the group has offsets left: has().
  void expire(const Group& group, Turn& turn);

  // Removes the offsets of these partitions, as far as there are any.
  void remove(const GroupId& group, const std::vector<TopicPartition>& partitions,
              const std::string& why, Turn& turn);
  void remove_all(const GroupId& group, const std::string& why, Turn& turn);
  // Removes every group's offsets of a topic that is no more.
  void forget(const std::string& topic, Turn& turn);

  bool has(const GroupId& group) const { return offsets_.contains(group); }
  const std::map<GroupId, CommittedOffsets>& all() const { return offsets_; }

 private:
  struct Accepted {
    TopicPartition where;
    wire::OffsetCommitValue value;
  };
  static wire::OffsetFetchResponse::Group answer_of(const wire::OffsetFetchRequest::Group& request,
                                                    const CommittedOffsets& committed);
  ErrorCode check_partition(const std::string& topic,
                            const wire::OffsetCommitRequest::Partition& partition,
                            ErrorCode group_error) const;
  void store(const wire::OffsetCommitRequest& request, const std::vector<Accepted>& accepted,
             Turn& turn);

  const BrokerConfig& config_;
  const Topics& topics_;
  RecordSink& log_;
  std::map<GroupId, CommittedOffsets> offsets_;  // no group is kept without offsets
};

}  // namespace fencepost::broker
