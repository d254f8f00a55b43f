#include "consumer/core/topic_partitions.h"

namespace fencepost::consumer {

std::string to_text(const TopicPartitions& partitions) {
  std::string text;
  for (const TopicPartition& where : partitions) {
    if (!text.empty()) text += ',';
    text += to_string(where);
  }
  return text;
}

std::string to_text(const Offsets& offsets) {
  std::string text;
  for (const auto& [where, offset] : offsets) {
    if (!text.empty()) text += ',';
    text += to_string(where) + "=" + std::to_string(offset.value());
  }
  return text;
}

void write_partitions(const TopicPartitions& partitions, WireTopicPartitions* out) {
  for (const TopicPartition& where : partitions) {
    if (out->empty() || out->rbegin()->topic() != where.topic) out->Add()->set_topic(where.topic);
    out->rbegin()->add_partitions(where.partition.value());
  }
}

TopicPartitions read_partitions(const WireTopicPartitions& in) {
  TopicPartitions partitions;
  for (const wire::TopicPartitions& topic : in) {
    for (const std::int32_t index : topic.partitions()) {
      partitions.insert({topic.topic(), PartitionId(index)});
    }
  }
  return partitions;
}

}  // namespace fencepost::consumer
