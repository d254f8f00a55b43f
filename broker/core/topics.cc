#include "broker/core/topics.h"

#include <algorithm>

#include "common/check.h"

namespace fencepost::broker {

bool valid_topic_name(std::string_view name) {
  const auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kMaxTopicNameLength && name != "." && name != ".." &&
         std::ranges::all_of(name, legal);
}

bool is_internal(std::string_view topic) {
  return topic == kOffsetsTopic || topic == kClusterMetadataTopic;
}

bool Topics::has(const std::string& topic, std::int32_t partition) const {
  return partition >= 0 && partition < partition_count(topic);
}

std::int32_t Topics::partition_count(const std::string& topic) const {
  const auto found = topics_.find(topic);
  return found == topics_.end() ? 0 : static_cast<std::int32_t>(found->second.size());
}

std::vector<std::string> Topics::names() const {
  std::vector<std::string> names;
  for (const auto& [name, logs] : topics_) names.push_back(name);
  return names;
}

std::int64_t Topics::partitions_in_all() const {
  std::int64_t count = 0;
  for (const auto& [name, logs] : topics_) count += static_cast<std::int64_t>(logs.size());
  return count;
}

std::int64_t Topics::records_in_all() const {
  std::int64_t count = metadata_.record_count();
  for (const auto& [name, logs] : topics_) {
    for (const PartitionLog& log : logs) count += log.record_count();
  }
  return count;
}

Result<std::int32_t> Topics::check_new(const std::string& topic, std::int32_t partitions) const {
  if (!valid_topic_name(topic) || topic == kClusterMetadataTopic) {
    return ErrorCode::kInvalidTopicException;
  }
  if (has(topic)) return ErrorCode::kTopicAlreadyExists;
  const std::int32_t count = partitions == -1 ? config_.num_partitions : partitions;
  if (count < 1 || count > kMaxPartitions - partitions_in_all()) {
    return ErrorCode::kInvalidPartitions;
  }
  return count;
}

void Topics::create(const std::string& topic, std::int32_t partitions) {
  CHECK(partitions > 0, "topic {}", topic);
  const bool created =
      topics_.emplace(topic, std::vector<PartitionLog>(static_cast<std::size_t>(partitions)))
          .second;
  CHECK(created, "topic {}", topic);
}

Result<void> Topics::check_more(const std::string& topic, std::int32_t partitions) const {
  if (!has(topic)) return ErrorCode::kUnknownTopicOrPartition;
  const std::int32_t more = partitions - std::min(partitions, partition_count(topic));
  if (more < 1 || more > kMaxPartitions - partitions_in_all()) return ErrorCode::kInvalidPartitions;
  return {};
}

void Topics::add_partitions(const std::string& topic, std::int32_t partitions) {
  CHECK(partitions > partition_count(topic), "topic {}", topic);
  topics_.at(topic).resize(static_cast<std::size_t>(partitions));
}

void Topics::remove(const std::string& topic) {
  const auto removed = topics_.erase(topic);
  CHECK(removed == 1, "topic {}", topic);
}

Result<const PartitionLog*> Topics::find(const std::string& topic, std::int32_t partition) const {
  if (!has(topic, partition)) return ErrorCode::kUnknownTopicOrPartition;
  if (!config_.leads(PartitionId(partition))) return ErrorCode::kNotLeaderOrFollower;
  return &topics_.at(topic)[static_cast<std::size_t>(partition)];
}

PartitionLog& Topics::log(const TopicPartition& where) {
  if (where.topic == kClusterMetadataTopic) return metadata_;
  CHECK(has(where.topic, where.partition.value()), "{}", to_string(where));
  return topics_.at(where.topic)[static_cast<std::size_t>(where.partition.value())];
}

}  // namespace fencepost::broker
