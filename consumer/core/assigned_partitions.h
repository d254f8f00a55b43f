// What the consumer reads (Kafka's SubscriptionState): its partitions, their positions, and the
// records that are fetched but not returned by poll yet. A position is the offset after the last
// record returned.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "consumer/core/topic_partitions.h"

namespace fencepost::consumer {

struct ConsumerRecord {
  TopicPartition where;
  Offset offset;
  std::optional<std::string> key;
  std::string value;
  std::int64_t timestamp_ms = 0;
};
using Records = std::vector<ConsumerRecord>;

// Which log end a partition without a position is waiting for.
enum class LogEnd { kEarliest, kLatest };

// One partition from its assignment to its revocation.
struct PartitionState {
  std::uint64_t serial = 0;  // of the assignment: an answer meant for an earlier one is void
  bool paused = false;       // by the application; ends with the assignment
  std::optional<Offset> position;
  std::optional<LogEnd> reset;  // to be looked up, when there is no position
  std::deque<ConsumerRecord> buffered;
  std::optional<Offset> buffer_end;  // the position once the buffer is drained
};

// Names one partition of one assignment, in requests on their way.
struct PartitionTicket {
  TopicPartition where;
  std::uint64_t serial = 0;
};

class AssignedPartitions {
 public:
  // Owns exactly these from now on. What stays keeps position and buffer.
  void assign(const TopicPartitions& partitions);
  // No record of anything owned now is fetched or returned any more (it is about to be revoked).
  void stop_delivery() { delivering_ = false; }

  bool empty() const { return states_.empty(); }
  TopicPartitions owned() const;
  bool contains(const TopicPartition& where) const { return states_.contains(where); }
  // Every position that is known.
  Offsets positions() const;

  // The state of a partition, if it is still the same assignment of it.
  PartitionState* find(const PartitionTicket& ticket);
  PartitionState* find(const TopicPartition& where);

  std::vector<PartitionTicket> without_position() const;  // and not waiting for a reset
  std::vector<PartitionTicket> waiting_for_reset() const;
  // With a position, nothing buffered, and not paused.
  std::vector<PartitionTicket> fetchable() const;
  TopicPartitions paused() const;

  // Nothing of a paused partition is fetched or returned; what is buffered stays. set_paused and
  // seek are for partitions that are assigned.
  void set_paused(const TopicPartition& where, bool paused);
  void seek(const TopicPartition& where, Offset position);
  void request_reset(PartitionState& state, LogEnd end);
  // Records from `state.position` on; `end` is the position after them, also if there are none.
  void buffer(PartitionState& state, std::deque<ConsumerRecord> records, Offset end);

  // Up to `max` buffered records, partition by partition in order of (topic, index), starting after
  // the partition that was drained last.
  Records drain(std::int64_t max);

 private:
  void drain_one(const TopicPartition& where, PartitionState& state, std::int64_t max,
                 Records& out);

  std::map<TopicPartition, PartitionState> states_;
  std::uint64_t next_serial_ = 1;
  bool delivering_ = true;
  TopicPartition drained_last_;  // initially before every partition
};

}  // namespace fencepost::consumer
