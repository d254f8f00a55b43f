#include "common/host/row_text.h"

#include <spdlog/fmt/fmt.h>

#include <string_view>

#include "common/node.h"
#include "proto/log.pb.h"
#include "proto/offsets.pb.h"

namespace fencepost {
namespace {

constexpr std::size_t kMaxWord = 100;   // bytes of a key or a value that are shown
constexpr std::size_t kMaxText = 4000;  // of a row, about
constexpr std::string_view kOffsetsTopic = "__consumer_offsets";
constexpr std::string_view kClusterMetadataTopic = "__cluster_metadata";

std::string printable(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes.substr(0, kMaxWord)) {
    const bool plain = byte >= ' ' && byte <= '~';
    text += plain
                ? std::string(1, byte)
                : fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  }
  return bytes.size() > kMaxWord ? text + "..." : text;
}

std::string text_of_value(const wire::Record& record) {
  return record.has_value() ? printable(record.value()) : "null";
}

std::string text_of_plain(const wire::Record& record) {
  const std::string value = text_of_value(record);
  return record.has_key() ? fmt::format("{} = {}", printable(record.key()), value) : value;
}

// A group is stored when it has formed and when its last member has left.
std::string text_of_group(const std::string& group, const wire::Record& record) {
  if (!record.has_value()) return group + " is deleted";
  wire::GroupMetadataValue value;
  if (!value.ParseFromString(record.value())) return group;
  std::string text = fmt::format("{} generation {} {}", group, value.generation(),
                                 value.members().empty() ? "Empty" : "Stable");
  if (value.has_leader()) text += " leader " + printable(value.leader());
  std::string_view before = " members ";
  for (const wire::GroupMetadataValue::Member& member : value.members()) {
    text += fmt::format("{}{}", before, printable(member.member_id()));
    before = ", ";
  }
  return text;
}

std::string text_of_offset(const wire::OffsetCommitKey& key, const wire::Record& record) {
  const std::string what =
      fmt::format("{} {}-{}", printable(key.group()), printable(key.topic()), key.partition());
  if (!record.has_value()) return what + " is deleted";
  wire::OffsetCommitValue value;
  if (!value.ParseFromString(record.value())) return what;
  return fmt::format("{} = {}", what, value.offset());
}

std::string text_of_coordination(const wire::Record& record) {
  wire::OffsetsTopicKey key;
  if (!key.ParseFromString(record.key())) return text_of_plain(record);
  if (key.has_offset_commit()) return text_of_offset(key.offset_commit(), record);
  return text_of_group(printable(key.group_metadata().group()), record);
}

std::string text_of_topic(const wire::Record& record) {
  wire::TopicRecord topic;
  if (!topic.ParseFromString(record.value())) return text_of_plain(record);
  return fmt::format("topic {}, {} partitions", printable(topic.name()), topic.num_partitions());
}

std::string text_of(std::string_view topic, const wire::Record& record) {
  if (topic == kOffsetsTopic) return text_of_coordination(record);
  if (topic == kClusterMetadataTopic) return text_of_topic(record);
  return text_of_plain(record);
}

}  // namespace

std::string text_of(const wire::StoredRow& row) {
  if (is_deletion(row)) return fmt::format("the log begins at {}", row.base_offset());
  wire::RecordBatch batch;
  if (!batch.ParseFromString(row.batch())) return {};
  std::string text;
  for (const wire::Record& record : batch.records()) {
    if (!text.empty()) text += "; ";
    if (text.size() > kMaxText) return text + "...";
    text += fmt::format("{}: {}", row.base_offset() + record.offset_delta(),
                        text_of(row.topic(), record));
  }
  return text;
}

}  // namespace fencepost
