// Every field of a message, as a tree: for the detailed list of packets, and its JSON. The bytes
// that Kafka's consumers put into JoinGroup and SyncGroup are taken apart, too.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <vector>

namespace fencepost::lab {

struct FieldNode {
  enum class Kind { kMessage, kList, kText, kNumber, kFlag };

  Kind kind = Kind::kMessage;
  std::string name{};   // of the field; of an element of a list: that of the list
  std::string value{};  // of a text (printable), a number or a flag
  // Behind the value, for people: "(UNKNOWN_MEMBER_ID)", "(default)". Of bytes that were taken
  // apart: what they are.
  std::string note{};
  std::vector<FieldNode> children{};
};

// The fields that are there, and those that are absent and have a default.
std::vector<FieldNode> fields_of(const google::protobuf::Message& message);

// One line a field, indented by so many columns and more; each with its newline.
std::string tree_text(const std::vector<FieldNode>& fields, std::size_t indent);

// One JSON object.
std::string tree_json(const std::vector<FieldNode>& fields);

}  // namespace fencepost::lab
