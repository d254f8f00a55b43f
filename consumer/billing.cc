#include "consumer/billing.h"

#include <algorithm>

#include "consumer/application.h"

namespace fencepost::consumer {

Billing::Billing(Client& client)
    : client_(client),
      consumer_(client, consumer_config(client)),
      processing_(client),
      commits_(client, consumer_, processing_),
      calls_(client, consumer_, this),
      poll_timeout_(std::max(client.ticks("app.poll.timeout.ms"), TickSpan(1))) {
  if (!client.properties().get_bool("app.worker")) return;
  worker_.emplace(client, processing_, [this](const auto& record) { commits_.store(record); });
}

void Billing::control(const wire::Control& control) {
  switch (control.kind()) {
    case wire::Control::CLOSE:
      closing_ = true;
      consumer_.wakeup();
      break;
    case wire::Control::SLOW:
      processing_.slow(TickSpan(control.ticks()));
      break;
    case wire::Control::CALL:
      calls_.note(control);
      if (polling_) consumer_.wakeup();
      break;
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
  co_await subscribe_as_configured(client_, consumer_, this);
  while (!closing_) {
    co_await calls_.carry_out();
    ClientResult<Records> polled = co_await poll();
    if (!polled) co_return polled.error();
    const ClientResult<void> committed = co_await commits_.again();
    if (!committed) co_return committed.error();
    const ClientResult<void> handled = co_await handle(std::move(*polled));
    if (!handled) co_return handled.error();
  }
  co_return co_await finish();
}

Task<ClientResult<Records>> Billing::poll() {
  polling_ = true;
  ClientResult<Records> polled = co_await consumer_.poll(poll_timeout_);
  polling_ = false;
  if (polled && !polled->empty()) report_poll(client_, *polled);
  co_return polled;
}

Task<ClientResult<void>> Billing::handle(Records records) {
  if (worker_) co_return co_await hand_over(std::move(records));
  if (records.empty()) co_return ClientResult<void>();
  const ClientResult<bool> go_on = co_await commits_.before_batch(records);
  if (!go_on) co_return go_on.error();
  if (!*go_on) co_return ClientResult<void>();
  co_return co_await process(std::move(records));
}

Task<ClientResult<void>> Billing::process(Records records) {
  for (const ConsumerRecord& record : records) {
    const ClientResult<void> processed = co_await processing_.process(record);
    if (!processed) co_return processed.error();
    commits_.store(record);
    const ClientResult<void> committed = co_await commits_.if_due();
    if (!committed) co_return committed.error();
  }
  const ClientResult<void> flushed = co_await processing_.flush();
  if (!flushed) co_return flushed.error();
  co_return co_await commits_.after_batch();
}

// The worker's partitions are paused until it is done with them: what a poll returns meanwhile is
// of others.
Task<ClientResult<void>> Billing::hand_over(Records records) {
  TopicPartitions busy;
  for (const ConsumerRecord& record : records) busy.insert(record.where);
  consumer_.pause(busy);
  worker_->hand_over(std::move(records));
  const TopicPartitions finished = worker_->take_finished();
  if (worker_->failure()) co_return *worker_->failure();
  TopicPartitions ours;
  for (const TopicPartition& where : finished) {
    if (consumer_.assignment().contains(where)) ours.insert(where);
  }
  consumer_.resume(ours);
  const ClientResult<void> committed = co_await commits_.if_due();
  if (!committed || finished.empty()) co_return committed;
  co_return co_await commits_.after_batch();
}

Task<ClientResult<void>> Billing::finish() {
  if (worker_) {
    co_await worker_->finish();
    if (worker_->failure()) co_return *worker_->failure();
  }
  co_return co_await commits_.at_end();
}

Task<ClientResult<void>> Billing::on_partitions_revoked(TopicPartitions partitions) {
  if (worker_ && commits_.commits_on_revoke()) co_await worker_->finish_record_of(partitions);
  if (worker_ && !commits_.keeps_stored_offsets()) worker_->drop(partitions);
  co_return co_await commits_.on_revoked(partitions);
}

Task<ClientResult<void>> Billing::on_partitions_assigned(TopicPartitions) {
  co_return ClientResult<void>();
}

// Somebody else may own them already: nothing can be committed any more.
Task<ClientResult<void>> Billing::on_partitions_lost(TopicPartitions partitions) {
  if (worker_ && !commits_.keeps_stored_offsets()) worker_->drop(partitions);
  commits_.drop(partitions);
  co_return ClientResult<void>();
}

}  // namespace fencepost::consumer
