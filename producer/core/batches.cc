#include "producer/core/batches.h"

#include <algorithm>

#include "common/check.h"

namespace fencepost::producer {

Batch& Batches::open_batch(const TopicPartition& where, std::int64_t record_bytes, Tick now) {
  Queue& queue = queues_[where];
  const bool fits = !queue.empty() && queue.back()->attempts == 0 &&
                    queue.back()->size_bytes + record_bytes <= policy_.size_bytes_max;
  if (!fits) {
    auto batch = std::make_unique<Batch>();
    batch->id = BatchId(next_id_++);
    batch->where = where;
    batch->created = now;
    queue.push_back(std::move(batch));
  }
  return *queue.back();
}

void Batches::append(const TopicPartition& where, wire::Record record, std::string name, Tick now,
                     std::int64_t timestamp_ms) {
  const auto record_bytes = static_cast<std::int64_t>(record.ByteSizeLong());
  Batch& batch = open_batch(where, record_bytes, now);
  wire::RecordBatch& records = batch.records;
  if (batch.names.empty()) records.set_base_timestamp(timestamp_ms);
  records.set_max_timestamp(timestamp_ms);
  const auto index = static_cast<std::int32_t>(batch.names.size());
  records.set_last_offset_delta(index);
  record.set_offset_delta(index);
  record.set_timestamp_delta(timestamp_ms - records.base_timestamp());
  *records.add_records() = std::move(record);
  batch.names.push_back(std::move(name));
  batch.size_bytes += record_bytes;
}

void Batches::hurry() { hurried_ = last_id(); }

Tick Batches::may_go_at(const Queue& queue) const {
  const Batch& head = *queue.front();
  if (head.attempts > 0) return head.not_before;
  if (queue.size() > 1 || full(head) || head.id <= hurried_) return head.created;
  return head.created + policy_.linger;
}

bool Batches::ready(const TopicPartition& where, Tick now) const {
  const auto queue = queues_.find(where);
  return queue != queues_.end() && may_go_at(queue->second) <= now;
}

std::unique_ptr<Batch> Batches::take(const TopicPartition& where) {
  const auto queue = queues_.find(where);
  CHECK(queue != queues_.end(), "nothing waits for {}", to_string(where));
  std::unique_ptr<Batch> batch = std::move(queue->second.front());
  queue->second.pop_front();
  if (queue->second.empty()) queues_.erase(queue);
  return batch;
}

void Batches::put_back(std::unique_ptr<Batch> batch, Tick not_before) {
  ++batch->attempts;
  batch->not_before = not_before;
  queues_[batch->where].push_front(std::move(batch));
}

std::vector<std::unique_ptr<Batch>> Batches::take_expired(Tick now, TickSpan age) {
  std::vector<std::unique_ptr<Batch>> expired;
  for (const TopicPartition& where : waiting()) {
    while (queues_.contains(where) && queues_.at(where).front()->created + age <= now) {
      expired.push_back(take(where));
    }
  }
  return expired;
}

std::vector<TopicPartition> Batches::waiting() const {
  std::vector<TopicPartition> partitions;
  for (const auto& [where, queue] : queues_) partitions.push_back(where);
  return partitions;
}

std::optional<Tick> Batches::next_event(Tick now, TickSpan age) const {
  std::optional<Tick> next;
  const auto consider = [&next, now](Tick tick) {
    if (tick > now && (!next || tick < *next)) next = tick;
  };
  for (const auto& [where, queue] : queues_) {
    consider(may_go_at(queue));
    consider(queue.front()->created + age);
  }
  return next;
}

}  // namespace fencepost::producer
