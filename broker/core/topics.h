// The topics of a cluster as one broker knows them, and the logs of the partitions. Every broker
// knows every topic; it leads the partitions that BrokerConfig::leads names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/broker_config.h"
#include "broker/core/partition_log.h"
#include "common/ids.h"
#include "common/result.h"

namespace fencepost::broker {

// Group metadata and committed offsets (group-protocol 1.8).
inline constexpr std::string_view kOffsetsTopic = "__consumer_offsets";
// Which topics there are. Not visible to clients, as in Kafka.
inline constexpr std::string_view kClusterMetadataTopic = "__cluster_metadata";

// Over all topics of a cluster: a request for a million is refused, not tried.
inline constexpr std::int32_t kMaxPartitions = 10'000;
inline constexpr std::size_t kMaxTopicNameLength = 249;

// Kafka's rule: 1 to 249 of [a-zA-Z0-9._-], and neither "." nor "..".
bool valid_topic_name(std::string_view name);
bool is_internal(std::string_view topic);

class Topics {
 public:
  explicit Topics(const BrokerConfig& config) : config_(config) {}

  bool has(const std::string& topic) const { return topics_.contains(topic); }
  // Whether there is such a partition in the cluster, led here or not.
  bool has(const std::string& topic, std::int32_t partition) const;
  std::int32_t partition_count(const std::string& topic) const;
  std::vector<std::string> names() const;  // sorted
  std::int64_t partitions_in_all() const;
  std::int64_t records_in_all() const;

  // May a topic of this name be created? `partitions` as the request has it, -1 for num.partitions.
  // Returns their number. Errors: kInvalidTopicException, kTopicAlreadyExists, kInvalidPartitions.
  Result<std::int32_t> check_new(const std::string& topic, std::int32_t partitions) const;
  // The topic is new and its name legal.
  void create(const std::string& topic, std::int32_t partitions);
  // May the topic have `partitions` in all? Errors: kUnknownTopicOrPartition; kInvalidPartitions,
  // it would not be more, or too many in the cluster.
  Result<void> check_more(const std::string& topic, std::int32_t partitions) const;
  // The topic exists and has fewer. The new partitions are empty.
  void add_partitions(const std::string& topic, std::int32_t partitions);
  // Forgets a topic and its logs.
  void remove(const std::string& topic);

  // For clients. Errors: kUnknownTopicOrPartition; kNotLeaderOrFollower, another broker leads it.
  Result<const PartitionLog*> find(const std::string& topic, std::int32_t partition) const;
  // For the broker itself, the log of the cluster's metadata included. The partition exists.
  PartitionLog& log(const TopicPartition& where);

 private:
  const BrokerConfig& config_;
  std::map<std::string, std::vector<PartitionLog>> topics_;
  PartitionLog metadata_;
};

}  // namespace fencepost::broker
