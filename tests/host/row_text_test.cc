#include "common/host/row_text.h"

#include <gtest/gtest.h>

#include "proto/log.pb.h"
#include "proto/offsets.pb.h"

namespace fencepost {
namespace {

// A row at offset 7 of one record for each pair of key and value; an empty one is absent.
wire::StoredRow row(const std::string& topic,
                    const std::vector<std::pair<std::string, std::string>>& records) {
  wire::RecordBatch batch;
  for (const auto& [key, value] : records) {
    wire::Record& record = *batch.add_records();
    record.set_offset_delta(batch.records_size() - 1);
    if (!key.empty()) record.set_key(key);
    if (!value.empty()) record.set_value(value);
  }
  wire::StoredRow made;
  made.set_topic(topic);
  made.set_base_offset(7);
  made.set_batch(batch.SerializeAsString());
  return made;
}

TEST(RowText, SaysOffsetKeyAndValue) {
  EXPECT_EQ(text_of(row("orders", {{"", "o0.7"}, {"o2.3", "inv(o2.3)"}, {"k", ""}})),
            "7: o0.7; 8: o2.3 = inv(o2.3); 9: k = null");
}

TEST(RowText, IsOnePrintableLineOfBoundedLength) {
  EXPECT_EQ(text_of(row("orders", {{"", "a\n\xff"}})), "7: a\\x0a\\xff");
  EXPECT_LT(text_of(row("orders", {{"", std::string(100'000, 'x')}})).size(), 200U);
  const std::vector<std::pair<std::string, std::string>> many(5000, {"key", "value"});
  EXPECT_LT(text_of(row("orders", many)).size(), 4200U);
}

TEST(RowText, SaysWhatAGroupCommitted) {
  wire::OffsetsTopicKey key;
  key.mutable_offset_commit()->set_group("billing");
  key.mutable_offset_commit()->set_topic("orders");
  key.mutable_offset_commit()->set_partition(0);
  wire::OffsetCommitValue value;
  value.set_offset(3);
  const std::string bytes = key.SerializeAsString();
  EXPECT_EQ(text_of(row("__consumer_offsets", {{bytes, value.SerializeAsString()}, {bytes, ""}})),
            "7: billing orders-0 = 3; 8: billing orders-0 is deleted");
}

TEST(RowText, SaysWhatAGroupIs) {
  wire::OffsetsTopicKey key;
  key.mutable_group_metadata()->set_group("billing");
  wire::GroupMetadataValue value;
  value.set_generation(2);
  value.set_leader("C1-1");
  for (const char* member : {"C1-1", "C2-1"}) value.add_members()->set_member_id(member);
  EXPECT_EQ(
      text_of(row("__consumer_offsets", {{key.SerializeAsString(), value.SerializeAsString()}})),
      "7: billing generation 2 Stable leader C1-1 members C1-1, C2-1");
}

TEST(RowText, SaysWhichTopicThereIs) {
  wire::TopicRecord topic;
  topic.set_name("orders");
  topic.set_num_partitions(3);
  EXPECT_EQ(text_of(row("__cluster_metadata", {{"", topic.SerializeAsString()}})),
            "7: topic orders, 3 partitions");
}

TEST(RowText, OfWhatIsNoBatchIsEmpty) {
  wire::StoredRow made;
  made.set_batch("\xff\xff");
  EXPECT_EQ(text_of(made), "");
}

}  // namespace
}  // namespace fencepost
