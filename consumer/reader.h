// A reader: reports every record that it sees, and does nothing else. The audit of the demos.
#pragma once

#include "common/client_node.h"
#include "consumer/calls.h"
#include "consumer/core/consumer.h"

namespace fencepost::consumer {

class Reader final : public Program {
 public:
  explicit Reader(Client& client);

  Task<int> main() override;
  void control(const wire::Control& control) override;

 private:
  Client& client_;
  Consumer consumer_;
  Calls calls_;
  TickSpan poll_timeout_;
  bool closing_ = false;
};

}  // namespace fencepost::consumer
