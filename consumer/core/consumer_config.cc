#include "consumer/core/consumer_config.h"

#include <algorithm>

namespace fencepost::consumer {
namespace {

// What Kafka adds to the rebalance timeout, so that the coordinator's answer always comes first.
constexpr std::int64_t kJoinLapseMs = 5000;

std::int32_t int_of(const Client& client, std::string_view property) {
  return static_cast<std::int32_t>(client.properties().get_int(property));
}

TickSpan at_least_one(const Client& client, std::string_view property) {
  return std::max(client.ticks(property), TickSpan(1));
}

void take_group(ConsumerConfig& config, const Client& client) {
  const std::string group = client.properties().get("group.id");
  if (!group.empty()) config.group = GroupId(group);
  const std::string instance = client.properties().get("group.instance.id");
  if (!instance.empty()) config.instance_id = instance;
  config.session_timeout_ms = int_of(client, "session.timeout.ms");
  config.heartbeats_inline = client.properties().get("app.heartbeat") == "inline";
  // JoinGroup v0 knew one timeout only.
  const std::string_view rebalance_timeout =
      config.heartbeats_inline ? "session.timeout.ms" : "max.poll.interval.ms";
  config.rebalance_timeout_ms = int_of(client, rebalance_timeout);
  config.session_timeout = at_least_one(client, "session.timeout.ms");
  config.rebalance_timeout = at_least_one(client, rebalance_timeout);
  config.heartbeat_interval = at_least_one(client, "heartbeat.interval.ms");
  config.strategies = client.properties().get_list("partition.assignment.strategy");
  config.sticky_rule = client.properties().get("app.cooperative-sticky") == "simple"
                           ? StickyRule::kSimple
                           : StickyRule::kKafka;
  config.auto_commit = config.group && client.properties().get_bool("enable.auto.commit");
  config.auto_commit_interval = at_least_one(client, "auto.commit.interval.ms");
  config.leave_on_close = client.properties().get_bool("internal.leave.group.on.close");
  config.commit_after_leaving = client.properties().get("app.commit.when.left") == "send";
  config.keep_on_illegal_generation =
      client.properties().get("app.on.illegal.generation") == "keep";
  config.exclude_internal_topics = client.properties().get_bool("exclude.internal.topics");
}

void take_fetching(ConsumerConfig& config, const Client& client) {
  config.poll_records_max = client.properties().get_int("max.poll.records");
  const std::string reset = client.properties().get("auto.offset.reset");
  config.reset_policy = reset == "earliest" ? ResetPolicy::kEarliest
                        : reset == "none"   ? ResetPolicy::kNone
                                            : ResetPolicy::kLatest;
  config.fetch_wait_ms_max = int_of(client, "fetch.max.wait.ms");
  config.fetch_bytes_min = int_of(client, "fetch.min.bytes");
  config.fetch_bytes_max = int_of(client, "fetch.max.bytes");
  config.partition_bytes_max = int_of(client, "max.partition.fetch.bytes");
  const bool committed = client.properties().get("isolation.level") == "read_committed";
  config.isolation_level = committed ? 1 : 0;
}

}  // namespace

std::string_view to_string(ResetPolicy policy) {
  switch (policy) {
    case ResetPolicy::kLatest:
      return "latest";
    case ResetPolicy::kEarliest:
      return "earliest";
    case ResetPolicy::kNone:
      return "none";
  }
  return "";
}

ConsumerConfig consumer_config(const Client& client) {
  ConsumerConfig config;
  config.metadata = metadata_config(client);
  config.metadata.allow_auto_create = client.properties().get_bool("allow.auto.create.topics");
  config.request_timeout = at_least_one(client, "request.timeout.ms");
  config.api_timeout = at_least_one(client, "default.api.timeout.ms");
  config.retry_backoff = at_least_one(client, "retry.backoff.ms");
  config.retry_backoff_max = at_least_one(client, "retry.backoff.max.ms");
  take_group(config, client);
  take_fetching(config, client);
  const TickSpan join =
      ticks_of_ms(config.rebalance_timeout_ms + kJoinLapseMs, client.context().tick_ms);
  config.join_request_timeout = std::max(config.request_timeout, join);
  return config;
}

}  // namespace fencepost::consumer
