#include "consumer/habits/worker.h"

#include <algorithm>

namespace fencepost::consumer {

Worker::Worker(Client& client, Processing& processing,
               std::function<void(const ConsumerRecord&)> done)
    : client_(client),
      processing_(processing),
      done_(std::move(done)),
      work_(client.time()),
      progress_(client.time()) {}

void Worker::hand_over(Records records) {
  for (ConsumerRecord& record : records) {
    begun_.insert(record.where);
    waiting_.push_back(std::move(record));
  }
  if (!std::exchange(started_, true)) client_.time().spawn(run());
  work_.notify_all();
}

Task<void> Worker::run() {
  while (!failure_) {
    if (waiting_.empty()) {
      co_await work_.wait();
      continue;
    }
    const ConsumerRecord record = std::move(waiting_.front());
    waiting_.pop_front();
    in_hand_ = record.where;
    in_hand_counts_ = true;
    const ClientResult<void> processed = co_await processing_.process(record);
    in_hand_.reset();
    if (!processed) failure_ = processed.error();
    if (processed && in_hand_counts_) done_(record);
    progress_.notify_all();
  }
}

TopicPartitions Worker::take_finished() {
  TopicPartitions unfinished;
  for (const ConsumerRecord& record : waiting_) unfinished.insert(record.where);
  if (in_hand_) unfinished.insert(*in_hand_);
  TopicPartitions finished;
  for (const TopicPartition& where : begun_) {
    if (!unfinished.contains(where)) finished.insert(where);
  }
  for (const TopicPartition& where : finished) begun_.erase(where);
  return finished;
}

void Worker::drop(const TopicPartitions& partitions) {
  std::erase_if(waiting_, [&](const auto& record) { return partitions.contains(record.where); });
  std::erase_if(begun_, [&](const auto& where) { return partitions.contains(where); });
  if (in_hand_ && partitions.contains(*in_hand_)) in_hand_counts_ = false;
}

Task<void> Worker::finish_record_of(TopicPartitions partitions) {
  std::erase_if(waiting_, [&](const auto& record) { return partitions.contains(record.where); });
  while (in_hand_ && partitions.contains(*in_hand_) && !failure_) co_await progress_.wait();
}

Task<void> Worker::finish() {
  while ((in_hand_ || !waiting_.empty()) && !failure_) co_await progress_.wait();
}

}  // namespace fencepost::consumer
