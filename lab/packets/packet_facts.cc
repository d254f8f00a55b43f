#include "lab/packets/packet_facts.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace fencepost::lab {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Fields that name groups, wherever they stand.
constexpr std::array<std::string_view, 2> kGroupFields = {"group_id", "groups_names"};

void add_once(std::vector<std::string>& texts, std::string text) {
  if (text.empty() || std::ranges::find(texts, text) != texts.end()) return;
  texts.push_back(std::move(text));
}

void collect_groups(const Message& message, std::vector<std::string>& groups) {
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    const bool names = std::ranges::find(kGroupFields, field->name()) != kGroupFields.end();
    for (int index = 0; index < count; ++index) {
      if (is_message && field->is_repeated()) {
        collect_groups(reflection->GetRepeatedMessage(message, field, index), groups);
      } else if (names) {
        add_once(groups, field->is_repeated() ? reflection->GetRepeatedString(message, field, index)
                                              : reflection->GetString(message, field));
      }
    }
  }
}

const Message* payload_of(const wire::Frame& frame) {
  const FieldDescriptor* field =
      frame.GetDescriptor()->FindFieldByNumber(static_cast<int>(frame.payload_case()));
  return field == nullptr ? nullptr : &frame.GetReflection()->GetMessage(frame, field);
}

}  // namespace

std::vector<std::string> groups_in(const wire::Frame& frame) {
  std::vector<std::string> groups;
  const Message* payload = payload_of(frame);
  if (payload == nullptr) return groups;
  if (frame.has_find_coordinator_request()) {
    const auto& request = frame.find_coordinator_request();
    for (const std::string& key : request.coordinator_keys()) {
      if (request.key_type() == 0) add_once(groups, key);
    }
  }
  if (frame.has_describe_groups_request()) {
    for (const std::string& group : frame.describe_groups_request().groups()) {
      add_once(groups, group);
    }
  }
  collect_groups(*payload, groups);
  return groups;
}

PacketFacts facts_of(const wire::Frame& frame) {
  PacketFacts facts{.groups = groups_in(frame)};
  const Message* payload = payload_of(frame);
  if (payload == nullptr) return facts;
  const auto* reflection = payload->GetReflection();
  const FieldDescriptor* member = payload->GetDescriptor()->FindFieldByName("member_id");
  if (member != nullptr) facts.member = reflection->GetString(*payload, member);
  const FieldDescriptor* generation = payload->GetDescriptor()->FindFieldByName("generation_id");
  if (generation != nullptr && reflection->HasField(*payload, generation)) {
    facts.generation = reflection->GetInt32(*payload, generation);
  }
  if (frame.has_leave_group_request() && frame.leave_group_request().members_size() > 0) {
    facts.member = frame.leave_group_request().members(0).member_id();
  }
  return facts;
}

}  // namespace fencepost::lab
