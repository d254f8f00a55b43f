#include "broker/core/broker_config.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include "broker/core/topics.h"

namespace fencepost::broker {
namespace {

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) {
    const auto first = item.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    items.push_back(item.substr(first, item.find_last_not_of(" \t") - first + 1));
  }
  return items;
}

TopicSpec parse_topic(const std::string& item, std::int32_t default_partitions) {
  const auto colon = item.rfind(':');
  TopicSpec spec{item.substr(0, colon), default_partitions};
  if (colon != std::string::npos) {
    const char* const end = item.data() + item.size();
    const auto [rest, error] = std::from_chars(item.data() + colon + 1, end, spec.partitions);
    if (error != std::errc() || rest != end || spec.partitions < 1 ||
        spec.partitions > kMaxPartitions) {
      throw ConfigError(fmt::format(
          "app.topics: '{}' is not NAME:PARTITIONS with 1 to {} partitions", item, kMaxPartitions));
    }
  }
  if (!valid_topic_name(spec.name)) {
    throw ConfigError(fmt::format("app.topics: '{}' is not a legal topic name", spec.name));
  }
  return spec;
}

}  // namespace

std::vector<TopicSpec> parse_topics(const std::string& text, std::int32_t default_partitions) {
  std::vector<TopicSpec> topics;
  std::set<std::string> names;
  std::int64_t partitions = 0;
  for (const std::string& item : split_list(text)) {
    topics.push_back(parse_topic(item, default_partitions));
    partitions += topics.back().partitions;
    if (!names.insert(topics.back().name).second) {
      throw ConfigError(fmt::format("app.topics: '{}' stands there twice", topics.back().name));
    }
  }
  if (partitions > kMaxPartitions) {
    throw ConfigError(fmt::format("app.topics: more than {} partitions", kMaxPartitions));
  }
  return topics;
}

BrokerConfig config_from(const NodeContext& context) {
  const Properties& properties = context.properties;
  BrokerConfig config;
  config.name = context.name;
  config.incarnation = context.incarnation;
  config.seed = context.seed;
  config.tick_ms = context.tick_ms;
  config.cluster = split_list(properties.get("app.cluster"));
  if (config.cluster.empty()) config.cluster = {context.name};
  const auto self = std::ranges::find(config.cluster, context.name);
  if (self == config.cluster.end()) {
    throw ConfigError(fmt::format("app.cluster: it does not name this broker, {}", context.name));
  }
  config.index = static_cast<std::size_t>(self - config.cluster.begin());
  config.auto_create_topics = properties.get_bool("auto.create.topics.enable");
  config.num_partitions = static_cast<std::int32_t>(properties.get_int("num.partitions"));
  config.offsets_partitions =
      static_cast<std::int32_t>(properties.get_int("offsets.topic.num.partitions"));
  if (config.num_partitions > kMaxPartitions || config.offsets_partitions > kMaxPartitions) {
    throw ConfigError(fmt::format(
        "num.partitions, offsets.topic.num.partitions: at most {} partitions", kMaxPartitions));
  }
  config.topics = parse_topics(properties.get("app.topics"), config.num_partitions);
  config.min_session_ms = properties.get_int("group.min.session.timeout.ms");
  config.max_session_ms = properties.get_int("group.max.session.timeout.ms");
  config.initial_delay_ms = properties.get_int("group.initial.rebalance.delay.ms");
  config.group_max_size = properties.get_int("group.max.size");
  config.offset_metadata_max_bytes = properties.get_int("offset.metadata.max.bytes");
  config.retention_minutes = properties.get_int("offsets.retention.minutes");
  config.retention_rule = properties.get("app.offsets.retention") == "commit"
                              ? OffsetRetentionRule::kCommit
                              : OffsetRetentionRule::kKip211;
  config.retention_check_ms = properties.get_int("offsets.retention.check.interval.ms");
  config.log_retention_ms = properties.get_int("log.retention.ms");
  config.log_retention_bytes = properties.get_int("log.retention.bytes");
  config.log_retention_check_ms = properties.get_int("log.retention.check.interval.ms");
  return config;
}

}  // namespace fencepost::broker
