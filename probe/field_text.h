// One field of a message and its value as text, which is how a script writes it: numbers are
// decimal, bytes base64, and an error code may go by its name.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "proto/frame.pb.h"

namespace fencepost::probe {

namespace json = boost::json;
namespace pb = google::protobuf;
using Field = pb::FieldDescriptor;

bool is_error_code(const Field& field);

// A JSON value as the text of a field; nothing if it does not fit.
std::optional<std::string> text_for(const Field& field, const json::value& value);
// What does fit, for messages: "a whole number".
std::string_view type_words(const Field& field);
// What a message has in a field; `index` is of a repeated one, otherwise -1.
std::string text_of(const pb::Message& message, const Field& field, int index);
// The same for people: the name of an error code.
std::string in_words(const Field& field, const std::string& text);
// Sets the field to a text that fits it, or adds it to a list.
void set_scalar(pb::Message& message, const Field& field, const std::string& text);

// "members.0" and "reason" as "members.0.reason".
std::string joined(std::string_view path, std::string_view field);
// "JoinGroupRequest has no field "grup_id"; did you mean "group_id"?"
std::string unknown_field(const pb::Descriptor& type, std::string_view name);

}  // namespace fencepost::probe
