// The records that wait to be sent (Kafka's RecordAccumulator): for each partition a queue of
// batches. A batch is closed when it is full or on its way; a batch that failed goes back to the
// head of its queue, before those that were sent after it and behind nothing, as in Kafka's plain
// producer.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "proto/log.pb.h"

namespace fencepost::producer {

using BatchId = Strong<struct BatchIdTag, std::uint64_t>;

struct Batch {
  BatchId id;
  TopicPartition where;
  wire::RecordBatch records;
  std::vector<std::string> names;  // of the records, for events
  std::int64_t size_bytes = 0;
  Tick created;
  int attempts = 0;  // how often it has failed
  Tick not_before;   // the end of its pause after a failure
};

// When a batch may go, and how large it may be.
struct BatchPolicy {
  std::int64_t size_bytes_max = 0;
  TickSpan linger{0};
};

class Batches {
 public:
  explicit Batches(BatchPolicy policy) : policy_(policy) {}

  // Adds a record to the partition's open batch, or to a new one. `name` is for events.
  void append(const TopicPartition& where, wire::Record record, std::string name, Tick now,
              std::int64_t timestamp_ms);
  // Sends everything that is here now without waiting for linger.ms.
  void hurry();
  // The head of a queue, if it may go now.
  bool ready(const TopicPartition& where, Tick now) const;
  std::unique_ptr<Batch> take(const TopicPartition& where);
  // A failed batch returns; it may go again at `not_before`.
  void put_back(std::unique_ptr<Batch> batch, Tick not_before);
  // Takes the batches that are older than `age`, oldest partition order first.
  std::vector<std::unique_ptr<Batch>> take_expired(Tick now, TickSpan age);

  // The partitions that have something waiting, sorted.
  std::vector<TopicPartition> waiting() const;
  // The next tick, after `now`, at which a batch may go or reaches `age`.
  std::optional<Tick> next_event(Tick now, TickSpan age) const;
  BatchId last_id() const { return BatchId(next_id_ - 1); }

 private:
  using Queue = std::deque<std::unique_ptr<Batch>>;
  bool full(const Batch& batch) const { return batch.size_bytes >= policy_.size_bytes_max; }
  Batch& open_batch(const TopicPartition& where, std::int64_t record_bytes, Tick now);
  Tick may_go_at(const Queue& queue) const;

  BatchPolicy policy_;
  std::map<TopicPartition, Queue> queues_;  // no empty queue
  std::uint64_t next_id_ = 1;
  BatchId hurried_{0};  // batches up to this one do not linger
};

}  // namespace fencepost::producer
