#include "consumer/reader.h"

#include <algorithm>

#include "common/events.h"
#include "consumer/application.h"

namespace fencepost::consumer {

Reader::Reader(Client& client)
    : client_(client),
      consumer_(client, consumer_config(client)),
      calls_(client, consumer_, nullptr),
      poll_timeout_(std::max(client.ticks("app.poll.timeout.ms"), TickSpan(1))) {}

void Reader::control(const wire::Control& control) {
  if (control.kind() == wire::Control::SLOW) return;  // it takes no time over a record
  if (control.kind() == wire::Control::CALL) calls_.note(control);
  if (control.kind() == wire::Control::CLOSE) closing_ = true;
  consumer_.wakeup();
}

Task<int> Reader::main() {
  bool subscribed = false;
  while (!subscribed && !closing_) {
    subscribed = co_await subscribe_as_configured(client_, consumer_, nullptr);
  }
  while (!closing_) {
    co_await calls_.carry_out();
    const ClientResult<Records> polled = co_await consumer_.poll(poll_timeout_);
    if (!polled) {
      client_.report_error(polled.error(), "reader");
      co_return 1;
    }
    if (polled->empty()) continue;
    report_poll(client_, *polled);
    for (const ConsumerRecord& record : *polled) {
      report_record(client_, events::kRecordRead, record);
    }
  }
  const TickSpan timeout = close_timeout(client_);
  co_await consumer_.close(timeout);
  co_return 0;
}

}  // namespace fencepost::consumer
