#include "consumer/calls.h"

#include <charconv>

#include "common/events.h"
#include "consumer/application.h"

namespace fencepost::consumer {
namespace {

constexpr ClientError kBadArgument{ErrorCode::kNone, "IllegalArgumentException"};

std::string joined_arguments(const wire::Control& call) {
  std::string text;
  for (const std::string& argument : call.arguments()) {
    if (!text.empty()) text += ',';
    text += argument;
  }
  return text;
}

std::optional<TopicPartition> read_partition(const std::string& text) {
  const AssignItem item = parse_assign_item(text);
  if (!item.partition) return std::nullopt;
  return TopicPartition{item.topic, *item.partition};
}

std::optional<Offset> read_offset(const std::string& text) {
  std::int64_t value = -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0) return std::nullopt;
  return Offset(value);
}

}  // namespace

Calls::Calls(Client& client, Consumer& consumer, RebalanceListener* listener)
    : client_(client), consumer_(consumer), listener_(listener) {}

Task<void> Calls::carry_out() {
  while (!noted_.empty()) {
    const wire::Control call = std::move(noted_.front());
    noted_.pop_front();
    const ClientResult<void> made = co_await make(call);
    if (made) {
      client_.report(events::make(events::kClientCalled, {{"method", call.method()},
                                                          {"arguments", joined_arguments(call)}}));
    } else {
      client_.report_error(made.error(), call.method() + "(" + joined_arguments(call) + ")");
    }
  }
}

Task<ClientResult<void>> Calls::make(wire::Control call) {
  const std::string& method = call.method();
  if (method == "subscribe") co_return subscribe(call);
  if (method == "pause" || method == "resume") co_return pause_or_resume(call);
  if (method == "seek") co_return seek(call);
  const bool known = method == "unsubscribe" || method == "enforceRebalance";
  if (!known || call.arguments_size() > 0) co_return kBadArgument;
  if (method == "unsubscribe") co_return co_await consumer_.unsubscribe();
  consumer_.enforce_rebalance();
  co_return ClientResult<void>();
}

ClientResult<void> Calls::subscribe(const wire::Control& call) {
  if (call.arguments().empty()) return kBadArgument;
  std::vector<std::string> topics(call.arguments().begin(), call.arguments().end());
  return consumer_.subscribe(std::move(topics), listener_);
}

// Without arguments: everything that is assigned.
ClientResult<void> Calls::pause_or_resume(const wire::Control& call) {
  TopicPartitions partitions;
  if (call.arguments().empty()) partitions = consumer_.assignment().owned();
  for (const std::string& argument : call.arguments()) {
    const std::optional<TopicPartition> where = read_partition(argument);
    if (!where) return kBadArgument;
    partitions.insert(*where);
  }
  return call.method() == "pause" ? consumer_.pause(partitions) : consumer_.resume(partitions);
}

ClientResult<void> Calls::seek(const wire::Control& call) {
  if (call.arguments_size() != 2) return kBadArgument;
  const std::optional<TopicPartition> where = read_partition(call.arguments(0));
  const std::optional<Offset> offset = read_offset(call.arguments(1));
  if (!where || !offset) return kBadArgument;
  return consumer_.seek(*where, *offset);
}

}  // namespace fencepost::consumer
