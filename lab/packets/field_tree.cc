#include "lab/packets/field_tree.h"

#include <google/protobuf/descriptor.h>
#include <spdlog/fmt/fmt.h>

#include "common/error_code.h"
#include "lab/packets/printable.h"
#include "lab/wording.h"
#include "proto/group.pb.h"

namespace fencepost::lab {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::size_t kIndent = 2;

// What a consumer has serialized into a field, by its name: Kafka calls these bytes "consumer
// protocol". Empty: other bytes, or none of these after all.
template <class Inner>
bool take_apart(const std::string& bytes, FieldNode& node) {
  Inner inner;
  if (bytes.empty() || !inner.ParseFromString(bytes)) return false;
  node.kind = FieldNode::Kind::kMessage;
  node.note = fmt::format("{}, {} bytes", inner.GetDescriptor()->name(), bytes.size());
  node.children = fields_of(inner);
  return true;
}

void fill_text(const FieldDescriptor* field, const std::string& text, FieldNode& node) {
  if (field->type() == FieldDescriptor::TYPE_BYTES) {
    const std::string& name = field->name();
    if (name.ends_with("metadata") || name == "subscription") {
      if (take_apart<wire::ConsumerProtocolSubscription>(text, node)) return;
    }
    if (name.ends_with("assignment")) {
      if (take_apart<wire::ConsumerProtocolAssignment>(text, node)) return;
    }
  }
  node.kind = FieldNode::Kind::kText;
  node.value = printable(text);
}

void fill_number(const FieldDescriptor* field, std::int64_t number, FieldNode& node) {
  node.kind = FieldNode::Kind::kNumber;
  node.value = std::to_string(number);
  if (field->name() != "error_code") return;
  node.note = fmt::format("({})", name_of(error_from_wire(static_cast<std::int32_t>(number))));
}

void fill_flag(bool flag, FieldNode& node) {
  node.kind = FieldNode::Kind::kFlag;
  node.value = flag ? "true" : "false";
}

// One value of a field that is not repeated.
void fill(const Message& message, const FieldDescriptor* field, FieldNode& node) {
  const auto* reflection = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      node.children = fields_of(reflection->GetMessage(message, field));
      return;
    case FieldDescriptor::CPPTYPE_STRING:
      return fill_text(field, reflection->GetString(message, field), node);
    case FieldDescriptor::CPPTYPE_INT32:
      return fill_number(field, reflection->GetInt32(message, field), node);
    case FieldDescriptor::CPPTYPE_INT64:
      return fill_number(field, reflection->GetInt64(message, field), node);
    case FieldDescriptor::CPPTYPE_UINT32:
      return fill_number(field, reflection->GetUInt32(message, field), node);
    case FieldDescriptor::CPPTYPE_UINT64:
      node.kind = FieldNode::Kind::kNumber;
      node.value = std::to_string(reflection->GetUInt64(message, field));
      return;
    case FieldDescriptor::CPPTYPE_BOOL:
      return fill_flag(reflection->GetBool(message, field), node);
    case FieldDescriptor::CPPTYPE_ENUM:
      node.kind = FieldNode::Kind::kText;
      node.value = reflection->GetEnum(message, field)->name();
      return;
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return;  // the house has none
  }
}

void fill_element(const Message& message, const FieldDescriptor* field, int index,
                  FieldNode& node) {
  const auto* reflection = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      node.children = fields_of(reflection->GetRepeatedMessage(message, field, index));
      return;
    case FieldDescriptor::CPPTYPE_STRING:
      return fill_text(field, reflection->GetRepeatedString(message, field, index), node);
    case FieldDescriptor::CPPTYPE_INT32:
      return fill_number(field, reflection->GetRepeatedInt32(message, field, index), node);
    case FieldDescriptor::CPPTYPE_INT64:
      return fill_number(field, reflection->GetRepeatedInt64(message, field, index), node);
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
    case FieldDescriptor::CPPTYPE_BOOL:
    case FieldDescriptor::CPPTYPE_ENUM:
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return;  // no message repeats these
  }
}

std::string line(const FieldNode& node, const std::string& name, std::size_t indent) {
  std::string text = std::string(indent, ' ') + name + ":";
  if (!node.value.empty()) text += " " + node.value;
  if (!node.note.empty()) text += " " + node.note;
  return text + "\n";
}

std::string json_of(const FieldNode& node) {
  switch (node.kind) {
    case FieldNode::Kind::kMessage:
      return tree_json(node.children);
    case FieldNode::Kind::kText:
      return json_text(node.value);
    case FieldNode::Kind::kNumber:
    case FieldNode::Kind::kFlag:
      return node.value;
    case FieldNode::Kind::kList:
      break;
  }
  std::string out;
  for (const FieldNode& child : node.children) out += (out.empty() ? "" : ",") + json_of(child);
  return "[" + out + "]";
}

}  // namespace

std::vector<FieldNode> fields_of(const Message& message) {
  const auto* reflection = message.GetReflection();
  const auto* descriptor = message.GetDescriptor();
  std::vector<FieldNode> nodes;
  for (int at = 0; at < descriptor->field_count(); ++at) {
    const FieldDescriptor* field = descriptor->field(at);
    FieldNode node{.name = field->name()};
    if (field->is_repeated()) {
      node.kind = FieldNode::Kind::kList;
      for (int index = 0; index < reflection->FieldSize(message, field); ++index) {
        FieldNode& element = node.children.emplace_back(FieldNode{.name = field->name()});
        fill_element(message, field, index, element);
      }
      nodes.push_back(std::move(node));
      continue;
    }
    const bool there = reflection->HasField(message, field);
    if (!there && !field->has_default_value()) continue;
    fill(message, field, node);
    if (!there) node.note = "(default)";
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::string tree_text(const std::vector<FieldNode>& fields, std::size_t indent) {
  std::string out;
  for (const FieldNode& node : fields) {
    if (node.kind != FieldNode::Kind::kList) {
      out += line(node, node.name, indent) + tree_text(node.children, indent + kIndent);
      continue;
    }
    if (node.children.empty()) out += std::string(indent, ' ') + node.name + ": none\n";
    for (std::size_t index = 0; index < node.children.size(); ++index) {
      const FieldNode& element = node.children[index];
      out += line(element, fmt::format("{}[{}]", node.name, index), indent);
      out += tree_text(element.children, indent + kIndent);
    }
  }
  return out;
}

std::string tree_json(const std::vector<FieldNode>& fields) {
  std::string out;
  for (const FieldNode& node : fields) {
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", json_text(node.name), json_of(node));
  }
  return "{" + out + "}";
}

}  // namespace fencepost::lab
