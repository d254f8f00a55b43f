#include "consumer/processing.h"

#include "common/events.h"
#include "consumer/application.h"

namespace fencepost::consumer {

Processing::Processing(Client& client)
    : client_(client),
      output_(client.properties().get("app.output")),
      time_per_record_(client.ticks("app.process.ms")),
      hurry_(client.time()) {
  if (output_.empty()) return;
  producer_ =
      std::make_unique<producer::Producer>(client, producer::producer_config_of_consumer(client));
}

void Processing::slow(TickSpan in_all) {
  if (!processing_) return;
  until_ = since_ + in_all;
  hurry_.notify_all();
}

Task<ClientResult<void>> Processing::process(ConsumerRecord record) {
  report_record(client_, events::kRecordProcessing, record);
  processing_ = true;
  since_ = client_.now();
  until_ = since_ + time_per_record_;
  while (client_.now() < until_) {
    co_await hurry_.wait_until(until_, "app.process.ms");
  }
  processing_ = false;
  report_record(client_, events::kRecordProcessed, record);
  if (!producer_) co_return ClientResult<void>();
  producer::ProducerRecord invoice;
  invoice.topic = output_;
  invoice.key = record.value;
  invoice.value = "inv(" + record.value + ")";
  co_return co_await producer_->send(std::move(invoice));
}

Task<ClientResult<void>> Processing::flush() {
  if (producer_) co_return co_await producer_->flush();
  co_return ClientResult<void>();
}

}  // namespace fencepost::consumer
