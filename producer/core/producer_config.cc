#include "producer/core/producer_config.h"

#include <algorithm>

namespace fencepost::producer {
namespace {

ProducerConfig common_part(const Client& client) {
  const Properties& properties = client.properties();
  ProducerConfig config;
  config.metadata = metadata_config(client);
  config.metadata.allow_auto_create = true;  // Kafka's producer always asks for it
  const std::string acks = properties.get("acks");
  config.acks = acks == "all" ? -1 : static_cast<std::int32_t>(std::stol(acks));
  config.retries = properties.get_int("retries");
  config.batch_size_bytes = properties.get_int("batch.size");
  config.requests_in_flight_max = properties.get_int("max.in.flight.requests.per.connection");
  config.linger = client.ticks("linger.ms");
  config.delivery_timeout = std::max(client.ticks("delivery.timeout.ms"), TickSpan(1));
  config.block_max = client.ticks("max.block.ms");
  return config;
}

void take_timeouts(ProducerConfig& config, const Client& client, const std::string& prefix) {
  config.request_timeout_ms = client.properties().get_int(prefix + "request.timeout.ms");
  config.request_timeout = std::max(client.ticks(prefix + "request.timeout.ms"), TickSpan(1));
  config.metadata.request_timeout = config.request_timeout;
  config.retry_backoff = client.ticks(prefix + "retry.backoff.ms");
  config.retry_backoff_max = client.ticks(prefix + "retry.backoff.max.ms");
}

}  // namespace

ProducerConfig producer_config(const Client& client) {
  ProducerConfig config = common_part(client);
  take_timeouts(config, client, "");
  return config;
}

ProducerConfig producer_config_of_consumer(const Client& client) {
  ProducerConfig config = common_part(client);
  take_timeouts(config, client, "app.producer.");
  const std::string client_id = client.properties().get("app.producer.client.id");
  if (!client_id.empty()) config.metadata.client_id = client_id;
  return config;
}

}  // namespace fencepost::producer
