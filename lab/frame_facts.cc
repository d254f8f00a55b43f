#include "lab/frame_facts.h"

#include <algorithm>
#include <map>

namespace fencepost::lab {
namespace {

constexpr std::string_view kRequest = "Request";
constexpr std::string_view kResponse = "Response";

std::string_view without_suffix(std::string_view name) {
  if (name.ends_with(kRequest)) name.remove_suffix(kRequest.size());
  if (name.ends_with(kResponse)) name.remove_suffix(kResponse.size());
  return name;
}

// Payload field number to API name.
std::map<int, std::string_view> make_api_names() {
  std::map<int, std::string_view> names;
  const google::protobuf::OneofDescriptor* payload =
      wire::Frame::descriptor()->FindOneofByName("payload");
  for (int index = 0; index < payload->field_count(); ++index) {
    const google::protobuf::FieldDescriptor* field = payload->field(index);
    names[field->number()] = without_suffix(field->message_type()->name());
  }
  return names;
}

// Walks an answer for fields named error_code, in the order of the fields.
void collect(const google::protobuf::Message& message, std::vector<ErrorCode>& found) {
  const google::protobuf::Descriptor* descriptor = message.GetDescriptor();
  const google::protobuf::Reflection* reflection = message.GetReflection();
  for (int index = 0; index < descriptor->field_count(); ++index) {
    const google::protobuf::FieldDescriptor* field = descriptor->field(index);
    if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_INT32 &&
        !field->is_repeated() && field->name() == "error_code") {
      const ErrorCode code = error_from_wire(reflection->GetInt32(message, field));
      const bool known = std::find(found.begin(), found.end(), code) != found.end();
      if (code != ErrorCode::kNone && !known) found.push_back(code);
    }
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      if (reflection->HasField(message, field)) {
        collect(reflection->GetMessage(message, field), found);
      }
      continue;
    }
    for (int item = 0; item < reflection->FieldSize(message, field); ++item) {
      collect(reflection->GetRepeatedMessage(message, field, item), found);
    }
  }
}

}  // namespace

std::string_view api_of(const wire::Frame& frame) {
  static const std::map<int, std::string_view> kNames = make_api_names();
  const auto found = kNames.find(static_cast<int>(frame.payload_case()));
  return found == kNames.end() ? std::string_view() : found->second;
}

bool is_response(const wire::Frame& frame) {
  return static_cast<int>(frame.payload_case()) % 2 == 1;
}

std::vector<ErrorCode> errors_in(const wire::Frame& frame) {
  std::vector<ErrorCode> found;
  // Records carry no errors, and a fetched batch is the bulk of a capture: look at the top only.
  if (frame.has_fetch_response()) {
    const auto note = [&found](std::int32_t number) {
      const ErrorCode code = error_from_wire(number);
      const bool known = std::find(found.begin(), found.end(), code) != found.end();
      if (code != ErrorCode::kNone && !known) found.push_back(code);
    };
    note(frame.fetch_response().error_code());
    for (const auto& topic : frame.fetch_response().responses()) {
      for (const auto& partition : topic.partitions()) note(partition.error_code());
    }
    return found;
  }
  if (!is_response(frame)) return found;
  const wire::Frame::PayloadCase payload = frame.payload_case();
  const google::protobuf::FieldDescriptor* field =
      wire::Frame::descriptor()->FindFieldByNumber(static_cast<int>(payload));
  collect(frame.GetReflection()->GetMessage(frame, field), found);
  return found;
}

const std::vector<std::string_view>& all_apis() {
  static const std::vector<std::string_view> kApis = [] {
    std::vector<std::string_view> apis;
    for (const auto& [number, name] : make_api_names()) apis.push_back(name);
    std::sort(apis.begin(), apis.end());
    apis.erase(std::unique(apis.begin(), apis.end()), apis.end());
    return apis;
  }();
  return kApis;
}

}  // namespace fencepost::lab
