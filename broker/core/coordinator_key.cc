#include "broker/core/coordinator_key.h"

#include <utility>
#include <vector>

#include "broker/core/record_batches.h"
#include "broker/core/topics.h"
#include "common/check.h"

namespace fencepost::broker {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code = kReplacement;
  std::size_t length = 1;
};

// How many bytes the lead byte announces, and the smallest code that needs so many.
struct Lead {
  std::size_t length = 0;  // 0: not a lead byte
  char32_t bits = 0;
  char32_t smallest = 0;
};

constexpr Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xC0 && byte < 0xE0) return {2, byte & 0x1FU, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {3, byte & 0x0FU, 0x800};
  if (byte >= 0xF0 && byte < 0xF8) return {4, byte & 0x07U, 0x10000};
  return {};
}

Decoded decode(std::string_view text) {
  const Lead lead = lead_of(static_cast<unsigned char>(text.front()));
  if (lead.length == 0 || lead.length > text.size()) return {};
  char32_t code = lead.bits;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < lead.smallest || code > 0x10FFFF || surrogate) return {};
  return {code, lead.length};
}

wire::Record record_with_key(const wire::OffsetsTopicKey& key) {
  wire::Record record;
  record.set_key(key.SerializeAsString());
  return record;
}

wire::OffsetsTopicKey offset_key(const GroupId& group, const TopicPartition& where) {
  wire::OffsetsTopicKey key;
  key.mutable_offset_commit()->set_group(group.value());
  key.mutable_offset_commit()->set_topic(where.topic);
  key.mutable_offset_commit()->set_partition(where.partition.value());
  return key;
}

}  // namespace

std::int32_t java_hash(std::string_view utf8) {
  std::uint32_t hash = 0;
  const auto add = [&hash](char32_t unit) { hash = 31 * hash + static_cast<std::uint32_t>(unit); };
  while (!utf8.empty()) {
    const Decoded decoded = decode(utf8);
    utf8.remove_prefix(decoded.length);
    if (decoded.code < 0x10000) {
      add(decoded.code);
    } else {
      add(0xD800 + ((decoded.code - 0x10000) >> 10U));
      add(0xDC00 + ((decoded.code - 0x10000) & 0x3FFU));
    }
  }
  return static_cast<std::int32_t>(hash);
}

PartitionId partition_of_key(std::string_view key, std::int32_t partitions) {
  CHECK(partitions > 0);
  const std::int32_t hash = java_hash(key);
  const std::int32_t positive = hash == INT32_MIN ? 0 : (hash < 0 ? -hash : hash);
  return PartitionId(positive % partitions);
}

TopicPartition offsets_partition_of(std::string_view group, const BrokerConfig& config) {
  return {std::string(kOffsetsTopic), partition_of_key(group, config.offsets_partitions)};
}

wire::RecordBatch group_metadata_batch(const GroupId& group, const wire::GroupMetadataValue& value,
                                       std::int64_t now_ms) {
  wire::OffsetsTopicKey key;
  key.mutable_group_metadata()->set_group(group.value());
  wire::Record record = record_with_key(key);
  record.set_value(value.SerializeAsString());
  return make_batch({std::move(record)}, now_ms);
}

wire::Record group_tombstone(const GroupId& group) {
  wire::OffsetsTopicKey key;
  key.mutable_group_metadata()->set_group(group.value());
  return record_with_key(key);
}

wire::Record offset_record(const GroupId& group, const TopicPartition& where,
                           const wire::OffsetCommitValue& value) {
  wire::Record record = record_with_key(offset_key(group, where));
  record.set_value(value.SerializeAsString());
  return record;
}

wire::Record offset_tombstone(const GroupId& group, const TopicPartition& where) {
  return record_with_key(offset_key(group, where));
}

}  // namespace fencepost::broker
