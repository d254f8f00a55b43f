// What a timeline tells an application to do with its Kafka client: `call: {process: C2, method:
// seek, arguments: [orders-0, 5]}`. Kafka's consumer belongs to one thread, so a call is noted when
// it comes and carried out by the application between two polls, after the batch in hand; a poll
// that waits is woken for it.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "common/client_node.h"
#include "consumer/core/consumer.h"

namespace fencepost::consumer {

class Calls {
 public:
  // A new subscription goes on with this listener.
  Calls(Client& client, Consumer& consumer, RebalanceListener* listener);

  void note(const wire::Control& call) { noted_.push_back(call); }
  // Carries out what was noted, in order, each with client.called. What cannot be done (no such
  // method, arguments that it does not take, a partition that is not assigned) is one client.error
  // and changes nothing.
  Task<void> carry_out();

 private:
  Task<ClientResult<void>> make(wire::Control call);
  ClientResult<void> subscribe(const wire::Control& call);
  ClientResult<void> pause_or_resume(const wire::Control& call);
  ClientResult<void> seek(const wire::Control& call);

  Client& client_;
  Consumer& consumer_;
  RebalanceListener* listener_;
  std::deque<wire::Control> noted_;
};

}  // namespace fencepost::consumer
