#include "lab/frame_facts.h"

#include <algorithm>
#include <map>

#include "clock/core/network.h"
#include "clock/core/script.h"

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

}  // namespace

std::string_view api_of(const wire::Frame& frame) {
  static const std::map<int, std::string_view> kNames = make_api_names();
  const auto found = kNames.find(static_cast<int>(frame.payload_case()));
  return found == kNames.end() ? std::string_view() : found->second;
}

bool is_response(const wire::Frame& frame) { return clock::is_response(frame); }

std::vector<ErrorCode> errors_in(const wire::Frame& frame) {
  std::vector<ErrorCode> found;
  for (const std::int32_t number : clock::error_codes(frame)) {
    const ErrorCode code = error_from_wire(number);
    if (std::find(found.begin(), found.end(), code) == found.end()) found.push_back(code);
  }
  return found;
}

bool is_of(const wire::Frame& frame, const std::vector<std::string>& words) {
  const wire::Header& header = frame.header();
  return words.empty() || std::ranges::any_of(words, [&](const std::string& word) {
           return word == api_of(frame) || word == header.source() || word == header.destination();
         });
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
