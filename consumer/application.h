// What the applications of a consumer process share: how they are subscribed, how they end.
#pragma once

#include <string>
#include <vector>

#include "common/client_node.h"
#include "consumer/core/consumer.h"

namespace fencepost::consumer {

// Subscribes by app.subscribe or app.subscribe.pattern, or assigns by app.assign ("invoices-0", or
// "invoices" for all of its partitions). False when the consumer was woken before the partitions
// were known.
Task<bool> subscribe_as_configured(Client& client, Consumer& consumer, RebalanceListener* listener);

// The partitions that app.assign names; a bare topic stands for itself with no partition.
struct AssignItem {
  std::string topic;
  std::optional<PartitionId> partition;
  friend bool operator==(const AssignItem&, const AssignItem&) = default;
};
AssignItem parse_assign_item(const std::string& item);

// poll.returned, with the records' names.
void report_poll(Client& client, const Records& records);
// record.processing, record.processed or record.read.
void report_record(Client& client, std::string_view event, const ConsumerRecord& record);

// What a close waits for, at most: Kafka's default.
inline constexpr std::int64_t kCloseTimeoutMs = 30'000;
TickSpan close_timeout(const Client& client);

}  // namespace fencepost::consumer
