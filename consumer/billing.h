// The application of the demos: reads records, spends app.process.ms on each, writes an invoice
// ("inv(o2.3)" for o2.3) to app.output, and commits. It reads like the Kafka program that a user
// would write; its habits, good and bad, stand in consumer/habits.
#pragma once

#include <memory>
#include <optional>

#include "common/client_node.h"
#include "consumer/calls.h"
#include "consumer/core/consumer.h"
#include "consumer/habits/commits.h"
#include "consumer/habits/worker.h"
#include "consumer/processing.h"

namespace fencepost::consumer {

class Billing final : public Program, private RebalanceListener {
 public:
  explicit Billing(Client& client);

  Task<int> main() override;
  // CLOSE: finish the batch in hand, commit, leave the group. SLOW: the record in hand takes
  // longer. CALL: see calls.h.
  void control(const wire::Control& control) override;

 private:
  Task<ClientResult<void>> run();
  Task<ClientResult<Records>> poll();
  Task<ClientResult<void>> handle(Records records);
  Task<ClientResult<void>> process(Records records);
  Task<ClientResult<void>> hand_over(Records records);
  Task<ClientResult<void>> finish();

  Task<ClientResult<void>> on_partitions_revoked(TopicPartitions partitions) override;
  Task<ClientResult<void>> on_partitions_assigned(TopicPartitions partitions) override;
  Task<ClientResult<void>> on_partitions_lost(TopicPartitions partitions) override;

  Client& client_;
  Consumer consumer_;
  Processing processing_;
  Commits commits_;
  Calls calls_;
  std::optional<Worker> worker_;  // app.worker
  TickSpan poll_timeout_;
  bool polling_ = false;
  bool closing_ = false;
};

}  // namespace fencepost::consumer
