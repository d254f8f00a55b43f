// What the Info column says: the table, and its interpreter.
#include "lab/packets/info.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "common/error_code.h"
#include "lab/packets/info_rows.h"
#include "lab/packets/info_template.h"
#include "lab/packets/printable.h"

namespace fencepost::lab {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr char kUuid[] = "-5f1c0000-0000-4000-8000-000000000000";

PartitionNames names() {
  wire::CaptureHeader header;
  for (const auto& [topic, letter] : {std::pair("orders", "o"), std::pair("payments", "p")}) {
    wire::TopicName& name = *header.add_topics();
    name.set_topic(topic);
    name.set_short_name(letter);
    name.set_partitions(3);
  }
  return PartitionNames(header.topics());
}

std::string info(const wire::Frame& frame) { return info_of(frame, names()); }

std::map<std::string_view, const Descriptor*> messages() {
  std::map<std::string_view, const Descriptor*> found;
  const auto* payload = wire::Frame::descriptor()->FindOneofByName("payload");
  for (int index = 0; index < payload->field_count(); ++index) {
    const Descriptor* message = payload->field(index)->message_type();
    found[message->name()] = message;
  }
  return found;
}

// The messages around a hole, the outermost first.
using Scope = std::vector<const Descriptor*>;

// The last field of a path; empty if it leads nowhere. `around` then ends with its message.
const FieldDescriptor* follow(const InfoPath& path, Scope& around) {
  while (around.size() > 1 && around.back()->FindFieldByName(path.front()) == nullptr) {
    around.pop_back();
  }
  const FieldDescriptor* field = nullptr;
  for (const std::string& name : path) {
    if (field != nullptr && field->message_type() == nullptr) return nullptr;
    if (field != nullptr) around.push_back(field->message_type());
    field = around.back()->FindFieldByName(name);
    if (field == nullptr) return nullptr;
  }
  if (field->message_type() != nullptr) around.push_back(field->message_type());
  return field;
}

void expect_known(const InfoPiece& piece, const Scope& around, std::string_view row) {
  static const std::set<std::string> kFormats = {
      "",       "natural", "offset",   "timestamp", "isolation", "keytype",
      "member", "joiner",  "error",    "suffix",    "errors",    "partition",
      "count",  "records", "claimgen", "owned",     "assignment"};
  if (!piece.is_hole) return;
  EXPECT_TRUE(kFormats.contains(piece.format)) << row << ": " << piece.format;
  EXPECT_EQ(piece.paths.size(), piece.format == "errors"      ? 0u
                                : piece.format == "partition" ? 2u
                                                              : 1u)
      << row;
  for (const InfoPath& path : piece.paths) {
    Scope scope = around;
    const bool is_element = path.front() == ".";
    const FieldDescriptor* field = is_element ? nullptr : follow(path, scope);
    EXPECT_TRUE(is_element || field != nullptr) << row << ": no field " << path.front();
    if (field == nullptr) continue;
    const bool is_message = field->message_type() != nullptr;
    EXPECT_EQ(piece.format == "records",
              is_message && field->message_type()->name() == "RecordBatch")
        << row;
    EXPECT_TRUE(!is_message || piece.format == "records" || piece.format == "count") << row;
  }
}

TEST(InfoRows, EveryMessageHasOne) {
  std::set<std::string_view> rows;
  for (const InfoRow& row : info_rows()) {
    EXPECT_TRUE(rows.insert(row.message).second) << row.message << " has two";
    EXPECT_TRUE(messages().contains(row.message)) << row.message << " is none of Frame's";
  }
  for (const auto& [name, message] : messages()) {
    EXPECT_TRUE(rows.contains(name)) << name << " has no row in lab/packets/info_rows.cc";
  }
}

TEST(InfoRows, NameFieldsAndFormatsThatExist) {
  for (const InfoRow& row : info_rows()) {
    const Descriptor* message = messages().at(row.message);
    for (const InfoPhrase& phrase : parse_info(row.text)) {
      for (const InfoPart& part : phrase) {
        Scope scope{message};
        if (!part.is_list) {
          expect_known(part.piece, scope, row.message);
          continue;
        }
        EXPECT_NE(follow(part.path, scope), nullptr) << row.message;
        for (const InfoPiece& piece : part.item) expect_known(piece, scope, row.message);
      }
    }
  }
}

TEST(InfoRows, ResponsesBeginWithTheirErrors) {
  for (const InfoRow& row : info_rows()) {
    if (!row.message.ends_with("Response")) continue;
    EXPECT_TRUE(row.text.starts_with("error={:errors}")) << row.message;
  }
}

TEST(Info, AJoinTellsTheMembersClaim) {
  wire::ConsumerProtocolSubscription claim;
  claim.set_generation_id(2);
  wire::TopicPartitions& owned = *claim.add_owned_partitions();
  owned.set_topic("payments");
  owned.add_partitions(1);
  owned.add_partitions(0);
  wire::Frame frame;
  wire::JoinGroupRequest& request = *frame.mutable_join_group_request();
  request.set_group_id("billing");
  request.set_member_id(std::string("C2") + kUuid);
  wire::JoinGroupRequest::Protocol& protocol = *request.add_protocols();
  protocol.set_name("cooperative-sticky");
  protocol.set_metadata(claim.SerializeAsString());
  EXPECT_EQ(info(frame),
            "JoinGroup Request  group=billing member=C2-5f1c gen=2 "
            "protocols=[cooperative-sticky] owned=[p0 p1]");
  request.clear_member_id();
  protocol.set_metadata("\xff");
  EXPECT_EQ(info(frame),
            "JoinGroup Request  group=billing member=(new) gen=? "
            "protocols=[cooperative-sticky] owned=?");
}

TEST(Info, ARefusedCommitTellsItsErrorsOnce) {
  wire::Frame frame;
  wire::OffsetCommitResponse& response = *frame.mutable_offset_commit_response();
  EXPECT_EQ(info(frame), "OffsetCommit Response");
  for (int topic = 0; topic < 2; ++topic) {
    response.add_topics()->add_partitions()->set_error_code(to_wire(ErrorCode::kIllegalGeneration));
  }
  EXPECT_EQ(info(frame), "OffsetCommit Response  error=ILLEGAL_GENERATION");
  response.add_topics()->add_partitions()->set_error_code(4711);
  EXPECT_EQ(info(frame), "OffsetCommit Response  error=ILLEGAL_GENERATION,UNKNOWN_SERVER_ERROR");
}

TEST(Info, PartitionsHaveTheirShortNames) {
  wire::Frame frame;
  wire::OffsetCommitRequest& request = *frame.mutable_offset_commit_request();
  request.set_group_id("billing");
  for (const char* const topic : {"orders", "other"}) {
    auto& named = *request.add_topics();
    named.set_name(topic);
    auto& partition = *named.add_partitions();
    partition.set_partition_index(2);
    partition.set_committed_offset(6);
  }
  // Without member and generation: not a member's commit.
  EXPECT_EQ(info(frame), "OffsetCommit Request  group=billing offsets=[o2=6 other-2=6]");
}

TEST(Info, FetchedRecordsAreShownUpToALimit) {
  wire::Frame frame;
  auto& topic = *frame.mutable_fetch_response()->add_responses();
  topic.set_topic("orders");
  auto& partition = *topic.add_partitions();
  partition.set_partition_index(1);
  EXPECT_EQ(info(frame), "Fetch Response  records=none");
  partition.add_records()->add_records()->set_value("a");
  partition.add_records()->add_records();
  EXPECT_EQ(info(frame), "Fetch Response  records=[o1=a,null]");
  for (int more = 0; more < 5; ++more) partition.mutable_records(1)->add_records()->set_value("b");
  EXPECT_EQ(info(frame), "Fetch Response  records=[o1=a,null,b,b,b,b,... 7 in all]");
  partition.clear_records();
  partition.set_error_code(to_wire(ErrorCode::kOffsetOutOfRange));
  EXPECT_EQ(info(frame),
            "Fetch Response  error=OFFSET_OUT_OF_RANGE failed=[o1(OFFSET_OUT_OF_RANGE)] "
            "records=none");
}

TEST(Info, AnAssignmentMayBeEmpty) {
  wire::ConsumerProtocolAssignment none;
  none.set_version(0);
  wire::Frame frame;
  wire::SyncGroupResponse& response = *frame.mutable_sync_group_response();
  EXPECT_EQ(info(frame), "SyncGroup Response");
  response.set_assignment(none.SerializeAsString());
  EXPECT_EQ(info(frame), "SyncGroup Response  assignment=[]");
  wire::SyncGroupRequest& request = *frame.mutable_sync_group_request();
  auto& given = *request.add_assignments();
  given.set_member_id(std::string("C2") + kUuid);
  auto& part = *none.add_assigned_partitions();
  part.set_topic("orders");
  part.add_partitions(10);
  part.add_partitions(9);
  given.set_assignment(none.SerializeAsString());
  EXPECT_EQ(info(frame), "SyncGroup Request  gen=0 assignments=[C2-5f1c=[o9 o10]]");
}

TEST(Info, HostileTextStaysOnItsLine) {
  wire::Frame frame;
  frame.mutable_heartbeat_request()->set_group_id("a\nb\x1b[2J\xff\xc2\x9b \xc3\xa9");
  EXPECT_EQ(info(frame), "Heartbeat Request  group=a\\x0ab\\x1b[2J\\xff\\xc2\\x9b \xc3\xa9 gen=0");
  frame.mutable_heartbeat_request()->set_group_id(std::string(3000, 'x'));
  EXPECT_EQ(info(frame).size(), kInfoBytesMax + 3);
  EXPECT_EQ(info(wire::Frame()), "(no payload)");
}

TEST(Printable, ACutFallsBetweenCharacters) {
  EXPECT_EQ(cut_to("a\xc3\xa9z", 4), "a\xc3\xa9z");
  EXPECT_EQ(cut_to("a\xc3\xa9z", 3), "a\xc3\xa9...");
  EXPECT_EQ(cut_to("a\xc3\xa9z", 2), "a...");
}

TEST(Printable, OnlyWellFormedCharactersPass) {
  EXPECT_EQ(printable("\xe2\x82\xac \xf0\x9f\x98\x80"), "\xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80");
  EXPECT_EQ(printable("\xe0\x80\x80"), "\\xe0\\x80\\x80");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
}

}  // namespace
}  // namespace fencepost::lab
