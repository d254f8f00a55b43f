// What a script says about an answer: which fields it must have, and which it keeps.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "proto/frame.pb.h"

namespace fencepost::probe {

namespace json = boost::json;
namespace pb = google::protobuf;

// The first error code in an answer that is not NONE, by its name; "NONE".
std::string first_error(const pb::Message& answer);

// The first field in which an answer is not as expected. Every field that is expected must be
// equal; null is for a field that must be absent; lists must have the same length.
struct Difference {
  std::string field;
  std::string expected;
  std::string found;
};
std::optional<Difference> difference(const json::value& expected, const pb::Message& answer);

// What is wrong with a path such as "members.0.member_id" in an answer; empty if nothing is.
std::string path_objection(const pb::Descriptor& type, std::string_view path);
// The text of what stands at a path; nothing if there is nothing.
std::optional<std::string> value_at(const pb::Message& answer, std::string_view path);

}  // namespace fencepost::probe
