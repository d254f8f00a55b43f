// What a producer is configured with, by Kafka's property names.
#pragma once

#include "common/client_node.h"
#include "common/metadata.h"

namespace fencepost::producer {

struct ProducerConfig {
  MetadataConfig metadata;
  std::int32_t acks = -1;                   // acks; -1: all
  std::int64_t retries = 0;                 // retries
  std::int64_t batch_size_bytes = 0;        // batch.size
  std::int64_t requests_in_flight_max = 0;  // max.in.flight.requests.per.connection
  std::int64_t request_timeout_ms = 0;      // request.timeout.ms, as it stands in requests
  TickSpan linger{0};                       // linger.ms
  TickSpan request_timeout{1};              // request.timeout.ms, at least one tick
  TickSpan delivery_timeout{1};             // delivery.timeout.ms
  TickSpan retry_backoff{0};                // retry.backoff.ms; zero retries at once
  TickSpan retry_backoff_max{0};            // retry.backoff.max.ms
  TickSpan block_max{0};                    // max.block.ms
};

// From the properties of a process of role producer.
ProducerConfig producer_config(const Client& client);
// The producer of a consumer's application: what both clients know under one name is app.producer.*
// here.
ProducerConfig producer_config_of_consumer(const Client& client);

}  // namespace fencepost::producer
