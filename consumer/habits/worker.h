// app.worker: the records of a batch are processed by a worker while the application goes on
// polling with their partitions paused, so that no batch is too long for max.poll.interval.ms.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>

#include "common/client_node.h"
#include "consumer/core/consumer.h"
#include "consumer/processing.h"

namespace fencepost::consumer {

class Worker {
 public:
  // `done` is told of each record that is processed and was not dropped meanwhile.
  Worker(Client& client, Processing& processing, std::function<void(const ConsumerRecord&)> done);

  void hand_over(Records records);
  // Partitions whose records have all been processed since this was asked last.
  TopicPartitions take_finished();
  // These are no longer ours: records that wait are not processed, and the one in hand does not
  // count.
  void drop(const TopicPartitions& partitions);
  // Records of these that wait are not processed; until the one in hand is, which counts.
  Task<void> finish_record_of(TopicPartitions partitions);
  // Until there is nothing left to do.
  Task<void> finish();
  // An invoice could not be written: the worker does nothing any more.
  const std::optional<ClientError>& failure() const { return failure_; }

 private:
  Task<void> run();

  Client& client_;
  Processing& processing_;
  std::function<void(const ConsumerRecord&)> done_;
  Signal work_;
  Signal progress_;
  bool started_ = false;
  std::deque<ConsumerRecord> waiting_;
  std::optional<TopicPartition> in_hand_;
  bool in_hand_counts_ = true;
  TopicPartitions begun_;  // handed over, and not yet taken as finished
  std::optional<ClientError> failure_;
};

}  // namespace fencepost::consumer
