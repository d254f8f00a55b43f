// A broker's configuration, read once from its properties: Kafka's names in the comments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/node.h"

namespace fencepost::broker {

struct TopicSpec {
  std::string name;
  std::int32_t partitions = 1;
  friend bool operator==(const TopicSpec&, const TopicSpec&) = default;
};

// From when a committed offset ages (group-protocol 1.9).
enum class OffsetRetentionRule {
  kKip211,  // while the group has members, only what it does not subscribe to
  kCommit,  // as before Kafka 2.1: every offset, from its commit, members or not
};

struct BrokerConfig {
  std::string name = "B1";
  Incarnation incarnation{1};
  std::uint64_t seed = 1;
  TickLength tick_ms{1000};
  std::vector<std::string> cluster{"B1"};         // app.cluster, in the order of node ids 1..n
  std::size_t index = 0;                          // of this broker in `cluster`
  std::vector<TopicSpec> topics;                  // app.topics
  bool auto_create_topics = true;                 // auto.create.topics.enable
  std::int32_t num_partitions = 1;                // num.partitions
  std::int32_t offsets_partitions = 50;           // offsets.topic.num.partitions
  std::int64_t min_session_ms = 6000;             // group.min.session.timeout.ms
  std::int64_t max_session_ms = 1800000;          // group.max.session.timeout.ms
  std::int64_t initial_delay_ms = 3000;           // group.initial.rebalance.delay.ms
  std::int64_t group_max_size = 2147483647;       // group.max.size
  std::int64_t offset_metadata_max_bytes = 4096;  // offset.metadata.max.bytes
  std::int64_t retention_minutes = 10080;         // offsets.retention.minutes
  OffsetRetentionRule retention_rule = OffsetRetentionRule::kKip211;  // app.offsets.retention
  std::int64_t retention_check_ms = 600000;      // offsets.retention.check.interval.ms
  std::int64_t log_retention_ms = 604800000;     // log.retention.ms; negative: for ever
  std::int64_t log_retention_bytes = -1;         // log.retention.bytes; negative: no limit
  std::int64_t log_retention_check_ms = 300000;  // log.retention.check.interval.ms

  TickSpan ticks(std::int64_t ms) const { return ticks_of_ms(ms, tick_ms); }
  std::int64_t virtual_ms(Tick tick) const { return tick.value() * tick_ms.value(); }

  // Partition p of a topic is led by broker p mod n.
  std::size_t leader_index(PartitionId partition) const {
    return static_cast<std::size_t>(partition.value()) % cluster.size();
  }
  bool leads(PartitionId partition) const { return leader_index(partition) == index; }
};

// The port in every virtual address; Wireshark leaves it alone, unlike Kafka's own 9092.
inline constexpr std::int32_t kVirtualPort = 19092;

inline std::int32_t node_id_of(std::size_t index) { return static_cast<std::int32_t>(index) + 1; }

// Throws ConfigError: a malformed app.topics, or a cluster that does not name this broker.
BrokerConfig config_from(const NodeContext& context);

// "orders:3,payments:3"; a name alone has `default_partitions`. Throws ConfigError.
std::vector<TopicSpec> parse_topics(const std::string& text, std::int32_t default_partitions);

}  // namespace fencepost::broker
