#include "consumer/billing.h"

#include <algorithm>

#include "common/events.h"
#include "consumer/application.h"

namespace fencepost::consumer {

Billing::Billing(Client& client)
    : client_(client),
      consumer_(client, consumer_config(client)),
      output_(client.properties().get("app.output")),
      poll_timeout_(std::max(client.ticks("app.poll.timeout.ms"), TickSpan(1))),
      process_time_(client.ticks("app.process.ms")),
      hurry_(client.time()) {
  const std::string order = client.properties().get("app.commit");
  order_ = order == "after"    ? CommitOrder::kAfter
           : order == "before" ? CommitOrder::kBefore
                               : CommitOrder::kNone;
  if (!client.properties().has("group.id")) order_ = CommitOrder::kNone;
  if (!output_.empty()) {
    producer_ =
        std::make_unique<producer::Producer>(client, producer::producer_config_of_consumer(client));
  }
}

void Billing::control(const wire::Control& control) {
  if (control.kind() == wire::Control::CLOSE) {
    closing_ = true;
    consumer_.wakeup();
  } else if (control.kind() == wire::Control::SLOW && processing_) {
    processing_until_ = processing_since_ + TickSpan(control.ticks());
    hurry_.notify_all();
  }
}

Task<int> Billing::main() {
  const ClientResult<void> outcome = co_await run();
  if (!outcome) {
    client_.report_error(outcome.error(), "billing");
    co_return 1;
  }
  const TickSpan timeout = close_timeout(client_);
  co_await consumer_.close(timeout);
  co_return 0;
}

Task<ClientResult<void>> Billing::run() {
  co_await subscribe_as_configured(client_, consumer_);
  while (!closing_) {
    ClientResult<Records> polled = co_await consumer_.poll(poll_timeout_);
    if (!polled) co_return polled.error();
    if (polled->empty()) continue;
    report_poll(client_, *polled);
    const ClientResult<void> handled = co_await handle(std::move(*polled));
    if (!handled) co_return handled.error();
  }
  co_return ClientResult<void>();
}

Task<ClientResult<void>> Billing::handle(Records records) {
  if (order_ == CommitOrder::kBefore) {
    const ClientResult<bool> committed = co_await commit();
    if (!committed) co_return committed.error();
    if (!*committed) co_return ClientResult<void>();  // somebody else will get these records
  }
  for (const ConsumerRecord& record : records) {
    const ClientResult<void> processed = co_await process(record);
    if (!processed) co_return processed.error();
  }
  if (producer_) {
    const ClientResult<void> flushed = co_await producer_->flush();
    if (!flushed) co_return flushed.error();  // an invoice is lost: to commit would lose its record
  }
  if (order_ == CommitOrder::kAfter) {
    const ClientResult<bool> committed = co_await commit();
    if (!committed) co_return committed.error();
  }
  co_return ClientResult<void>();
}

Task<ClientResult<void>> Billing::process(const ConsumerRecord& record) {
  report_record(client_, events::kRecordProcessing, record);
  processing_ = true;
  processing_since_ = client_.now();
  processing_until_ = processing_since_ + process_time_;
  while (client_.now() < processing_until_) {
    co_await hurry_.wait_until(processing_until_, "app.process.ms");
  }
  processing_ = false;
  report_record(client_, events::kRecordProcessed, record);
  if (producer_) {
    producer::ProducerRecord invoice;
    invoice.topic = output_;
    invoice.key = record.value;
    invoice.value = "inv(" + record.value + ")";
    co_return co_await producer_->send(std::move(invoice));
  }
  co_return ClientResult<void>();
}

// False: refused because of a rebalance, which a Kafka program catches, reports and survives. Any
// other error ends it.
Task<ClientResult<bool>> Billing::commit() {
  const ClientResult<void> committed = co_await consumer_.commit_sync();
  if (committed) co_return true;
  const std::string_view exception = committed.error().exception;
  const bool survivable = exception == "CommitFailedException" ||
                          exception == "RebalanceInProgressException" ||
                          exception == "TimeoutException";
  if (survivable) co_return false;
  co_return committed.error();
}

}  // namespace fencepost::consumer
