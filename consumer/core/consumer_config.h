// What a consumer is configured with, by Kafka's property names. Lengths are ticks, at least one
// where zero would make a loop spin; what goes into a request keeps its milliseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/client_node.h"
#include "common/metadata.h"
#include "consumer/core/assignors/assignor.h"

namespace fencepost::consumer {

// auto.offset.reset
enum class ResetPolicy { kLatest, kEarliest, kNone };
std::string_view to_string(ResetPolicy policy);

struct ConsumerConfig {
  MetadataConfig metadata;
  std::optional<GroupId> group;            // group.id; absent: no group, no commits
  std::optional<std::string> instance_id;  // group.instance.id
  std::int32_t session_timeout_ms = 0;     // session.timeout.ms
  std::int32_t rebalance_timeout_ms = 0;   // max.poll.interval.ms
  TickSpan session_timeout{1};
  TickSpan rebalance_timeout{1};
  TickSpan heartbeat_interval{1};       // heartbeat.interval.ms
  TickSpan request_timeout{1};          // request.timeout.ms
  TickSpan join_request_timeout{1};     // max(request.timeout.ms, max.poll.interval.ms + 5000)
  TickSpan api_timeout{1};              // default.api.timeout.ms
  TickSpan retry_backoff{1};            // retry.backoff.ms
  TickSpan retry_backoff_max{1};        // retry.backoff.max.ms
  std::vector<std::string> strategies;  // partition.assignment.strategy, short names
  StickyRule sticky_rule = StickyRule::kKafka;  // app.cooperative-sticky
  bool auto_commit = false;                     // enable.auto.commit, and there is a group
  TickSpan auto_commit_interval{1};             // auto.commit.interval.ms
  std::int64_t poll_records_max = 0;            // max.poll.records
  ResetPolicy reset_policy = ResetPolicy::kLatest;
  std::int32_t fetch_wait_ms_max = 0;       // fetch.max.wait.ms
  std::int32_t fetch_bytes_min = 0;         // fetch.min.bytes
  std::int32_t fetch_bytes_max = 0;         // fetch.max.bytes
  std::int32_t partition_bytes_max = 0;     // max.partition.fetch.bytes
  std::int32_t isolation_level = 0;         // isolation.level: 0 read_uncommitted, 1 read_committed
  bool leave_on_close = true;               // internal.leave.group.on.close
  bool commit_after_leaving = false;        // app.commit.when.left=send
  bool heartbeats_inline = false;           // app.heartbeat=inline
  bool keep_on_illegal_generation = false;  // app.on.illegal.generation=keep
  bool exclude_internal_topics = true;      // exclude.internal.topics
};

ConsumerConfig consumer_config(const Client& client);

}  // namespace fencepost::consumer
