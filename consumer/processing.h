// What the application does with one record: it spends app.process.ms on it and writes an invoice
// ("inv(o2.3)" for o2.3) to app.output.
#pragma once

#include <memory>
#include <string>

#include "common/client_node.h"
#include "consumer/core/consumer.h"
#include "producer/core/producer.h"

namespace fencepost::consumer {

class Processing {
 public:
  explicit Processing(Client& client);

  // One record at a time.
  Task<ClientResult<void>> process(ConsumerRecord record);
  // Until every invoice is in its log. Error: one is lost, so to commit would lose its record.
  Task<ClientResult<void>> flush();
  // The record in hand takes so long in all; nothing without one.
  void slow(TickSpan in_all);

 private:
  Client& client_;
  std::unique_ptr<producer::Producer> producer_;  // none when app.output is empty
  std::string output_;
  TickSpan time_per_record_;
  Signal hurry_;  // the end of the record in hand has changed
  bool processing_ = false;
  Tick since_;
  Tick until_;
};

}  // namespace fencepost::consumer
