// Kafka's requests and answers as a script writes them: by name, with their fields as JSON. Field
// names are those of proto/, bytes are base64, and "${name}" in a text stands for a saved value.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proto/frame.pb.h"

namespace fencepost::probe {

namespace json = boost::json;
namespace pb = google::protobuf;

using SavedValues = std::map<std::string, std::string, std::less<>>;

// The messages of an API ("JoinGroup"); null where there is none of that name.
const pb::Descriptor* request_type(std::string_view api);
const pb::Descriptor* response_type(std::string_view api);
// "JoinGroup": every API whose requests a client may send, sorted.
const std::vector<std::string_view>& request_names();

// What is wrong with the JSON form of one message, or of a part of it: unknown fields, wrong types.
// A text with "${" fits every field but a message. Empty if nothing is; else "members.0.reason:
// ...".
std::string objection(const pb::Descriptor& type, const json::value& body);
// The same for the value of one field that is no message and not repeated.
std::string scalar_objection(const pb::FieldDescriptor& field, const json::value& value);

// The names that a text refers to: ["member"] for "${member}".
std::vector<std::string> references_in(std::string_view text);
// The value with every "${name}" replaced; what is not saved stays as it is.
json::value substituted(const json::value& value, const SavedValues& saved);

// A frame with this request. Throws std::invalid_argument if the body does not fit.
wire::Frame make_request(std::string_view api, const json::value& body);
// The message in a frame: the request or the response.
const pb::Message& payload_of(const wire::Frame& frame);
}  // namespace fencepost::probe
