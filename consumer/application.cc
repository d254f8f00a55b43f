#include "consumer/application.h"

#include <algorithm>
#include <charconv>

#include "common/events.h"

namespace fencepost::consumer {

AssignItem parse_assign_item(const std::string& item) {
  const std::size_t dash = item.rfind('-');
  if (dash != std::string::npos && dash > 0 && dash + 1 < item.size()) {
    std::int32_t index = 0;
    const char* end = item.data() + item.size();
    const auto [stop, error] = std::from_chars(item.data() + dash + 1, end, index);
    if (error == std::errc() && stop == end && index >= 0) {
      return {item.substr(0, dash), PartitionId(index)};
    }
  }
  return {item, std::nullopt};
}

Task<bool> subscribe_as_configured(Client& client, Consumer& consumer,
                                   RebalanceListener* listener) {
  const std::string pattern = client.properties().get("app.subscribe.pattern");
  if (!pattern.empty()) co_return consumer.subscribe_pattern(pattern, listener).has_value();
  std::vector<std::string> topics = client.properties().get_list("app.subscribe");
  if (!topics.empty()) co_return consumer.subscribe(std::move(topics), listener).has_value();
  TopicPartitions partitions;
  for (const std::string& text : client.properties().get_list("app.assign")) {
    const AssignItem item = parse_assign_item(text);
    if (item.partition) {
      partitions.insert({item.topic, *item.partition});
      continue;
    }
    const ClientResult<TopicPartitions> all = co_await consumer.partitions_of(item.topic);
    if (!all) co_return false;
    partitions.insert(all->begin(), all->end());
  }
  consumer.assign(partitions);
  co_return true;
}

void report_poll(Client& client, const Records& records) {
  std::string names;
  for (const ConsumerRecord& record : records) {
    if (!names.empty()) names += ',';
    names += record.value;
  }
  client.report(events::make(events::kPollReturned, {{"count", std::to_string(records.size())},
                                                     {"records", std::move(names)}}));
}

void report_record(Client& client, std::string_view event, const ConsumerRecord& record) {
  client.report(events::make(event, {{"record", record.value},
                                     {"topic", record.where.topic},
                                     {"partition", std::to_string(record.where.partition.value())},
                                     {"offset", std::to_string(record.offset.value())}}));
}

TickSpan close_timeout(const Client& client) {
  return std::max(ticks_of_ms(kCloseTimeoutMs, client.context().tick_ms), TickSpan(1));
}

}  // namespace fencepost::consumer
