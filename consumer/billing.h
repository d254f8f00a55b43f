// The application of the demos: reads records, spends app.process.ms on each, writes an invoice
// ("inv(o2.3)" for o2.3) to app.output, and commits before or after the batch (app.commit). It
// reads like the Kafka program that a user would write.
#pragma once

#include <memory>
#include <string>

#include "common/client_node.h"
#include "consumer/core/consumer.h"
#include "producer/core/producer.h"

namespace fencepost::consumer {

class Billing final : public Program {
 public:
  explicit Billing(Client& client);

  Task<int> main() override;
  // CLOSE: finish the batch in hand, commit, leave the group. SLOW: the record in hand takes
  // longer.
  void control(const wire::Control& control) override;

 private:
  enum class CommitOrder { kAfter, kBefore, kNone };

  Task<ClientResult<void>> run();
  Task<ClientResult<void>> handle(Records records);
  Task<ClientResult<void>> process(const ConsumerRecord& record);
  Task<ClientResult<bool>> commit();

  Client& client_;
  Consumer consumer_;
  std::unique_ptr<producer::Producer> producer_;  // none when app.output is empty
  std::string output_;
  CommitOrder order_;
  TickSpan poll_timeout_;
  TickSpan process_time_;
  Signal hurry_;  // the end of the record in hand has changed
  bool closing_ = false;
  bool processing_ = false;
  Tick processing_since_;
  Tick processing_until_;
};

}  // namespace fencepost::consumer
