#include "lab/partition_names.h"

#include <charconv>

namespace fencepost::lab {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    items.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return items;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

namespace {

std::optional<std::int32_t> partition_number(std::string_view text) {
  const auto number = parse_integer(text);
  if (!number || *number < 0 || *number > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

}  // namespace

std::optional<TopicPartition> parse_full_name(std::string_view text) {
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  const auto number = partition_number(text.substr(dash + 1));
  if (!number) return std::nullopt;
  return TopicPartition{std::string(text.substr(0, dash)), PartitionId(*number)};
}

PartitionNames::PartitionNames(const google::protobuf::RepeatedPtrField<wire::TopicName>& topics) {
  for (const wire::TopicName& topic : topics) {
    topics_[topic.topic()] = {topic.short_name(), topic.partitions()};
  }
}

std::string PartitionNames::short_name(const TopicPartition& where) const {
  const auto topic = topics_.find(where.topic);
  if (topic == topics_.end() || topic->second.short_name.empty()) return to_string(where);
  return topic->second.short_name + std::to_string(where.partition.value());
}

std::string PartitionNames::list(const std::set<TopicPartition>& partitions) const {
  std::string out;
  for (const TopicPartition& partition : partitions) {
    out += (out.empty() ? "" : " ") + short_name(partition);
  }
  return out.empty() ? "-" : out;
}

std::optional<TopicPartition> PartitionNames::parse(std::string_view text) const {
  for (const auto& [name, topic] : topics_) {
    for (const std::string& prefix : {name + "-", topic.short_name}) {
      if (prefix.empty() || !text.starts_with(prefix)) continue;
      const auto number = partition_number(text.substr(prefix.size()));
      if (number && *number < topic.partitions) return TopicPartition{name, PartitionId(*number)};
    }
  }
  return std::nullopt;
}

std::vector<TopicPartition> PartitionNames::partitions_of(std::string_view wanted) const {
  std::vector<TopicPartition> partitions;
  for (const auto& [name, topic] : topics_) {
    if (name != wanted && topic.short_name != wanted) continue;
    for (int number = 0; number < topic.partitions; ++number) {
      partitions.push_back({name, PartitionId(number)});
    }
    return partitions;
  }
  return partitions;
}

std::vector<std::string> PartitionNames::all_names() const {
  std::vector<std::string> names;
  for (const auto& [name, topic] : topics_) {
    names.push_back(name);
    for (const TopicPartition& partition : partitions_of(name)) {
      names.push_back(short_name(partition));
    }
  }
  return names;
}

}  // namespace fencepost::lab
