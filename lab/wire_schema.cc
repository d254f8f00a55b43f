#include "lab/wire_schema.h"

#include <google/protobuf/descriptor.h>
#include <spdlog/fmt/fmt.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "common/check.h"
#include "common/error_code.h"
#include "lab/packets/info_rows.h"
#include "proto/capture.pb.h"
#include "proto/clock.pb.h"

namespace fencepost::lab {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kInside = {{
    {"JoinGroupRequest.Protocol.metadata", "ConsumerProtocolSubscription"},
    {"JoinGroupResponse.Member.metadata", "ConsumerProtocolSubscription"},
    {"SyncGroupRequest.Assignment.assignment", "ConsumerProtocolAssignment"},
    {"SyncGroupResponse.assignment", "ConsumerProtocolAssignment"},
}};

// In quotes. Lua takes any byte in decimal.
std::string lua_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += fmt::format("\\{}", c);
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\{:03}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// Without the package: "JoinGroupRequest.Protocol".
template <class Described>
std::string name_of_type(const Described& type) {
  const std::string& package = type.file()->package();
  return package.empty() ? type.full_name() : type.full_name().substr(package.size() + 1);
}

// All that can be reached from some messages, by name.
class Types {
 public:
  void add(const Descriptor& message) {
    if (!messages_.emplace(name_of_type(message), &message).second) return;
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& field = *message.field(i);
      if (field.message_type() != nullptr) add(*field.message_type());
      if (field.enum_type() != nullptr) {
        enums_[name_of_type(*field.enum_type())] = field.enum_type();
      }
    }
  }
  const std::map<std::string, const Descriptor*>& messages() const { return messages_; }
  const std::map<std::string, const EnumDescriptor*>& enums() const { return enums_; }

 private:
  std::map<std::string, const Descriptor*> messages_;
  std::map<std::string, const EnumDescriptor*> enums_;
};

Types all_types() {
  Types types;
  types.add(*wire::PeerMessage::descriptor());
  types.add(*wire::CaptureRecord::descriptor());
  types.add(*wire::ConsumerProtocolSubscription::descriptor());
  types.add(*wire::ConsumerProtocolAssignment::descriptor());
  return types;
}

std::string default_of(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(field.default_value_int32());
    case FieldDescriptor::CPPTYPE_INT64:
      return std::to_string(field.default_value_int64());
    default:
      return "";  // no field has another default than zero, false or nothing
  }
}

std::string field_row(const FieldDescriptor& field) {
  std::string row = fmt::format("{{{}, {}, {}", field.number(), lua_text(field.name()),
                                lua_text(field.type_name()));
  if (field.is_repeated()) row += ", repeated = true";
  if (field.message_type() != nullptr) {
    row += ", of = " + lua_text(name_of_type(*field.message_type()));
  }
  if (field.enum_type() != nullptr) row += ", of = " + lua_text(name_of_type(*field.enum_type()));
  if (field.has_default_value() && !default_of(field).empty() && default_of(field) != "0") {
    row += ", default = " + default_of(field);
  }
  const std::string_view inside =
      message_inside(name_of_type(*field.containing_type()) + "." + field.name());
  if (!inside.empty()) row += ", inside = " + lua_text(inside);
  return row + "}";
}

std::string messages_lua(const Types& types) {
  std::string out = "  messages = {\n";
  for (const auto& [name, message] : types.messages()) {
    out += fmt::format("    [{}] = {{\n", lua_text(name));
    for (int i = 0; i < message->field_count(); ++i) {
      out += "      " + field_row(*message->field(i)) + ",\n";
    }
    out += "    },\n";
  }
  return out + "  },\n";
}

std::string enums_lua(const Types& types) {
  std::string out = "  enums = {\n";
  for (const auto& [name, type] : types.enums()) {
    out += fmt::format("    [{}] = {{", lua_text(name));
    for (int i = 0; i < type->value_count(); ++i) {
      out += fmt::format("{}[{}] = {}", i == 0 ? "" : ", ", type->value(i)->number(),
                         lua_text(type->value(i)->name()));
    }
    out += "},\n";
  }
  return out + "  },\n";
}

std::string info_lua() {
  std::string out = "  info = {\n";
  for (const InfoRow& row : info_rows()) {
    out += fmt::format("    [{}] = {},\n", lua_text(row.message), lua_text(row.text));
  }
  return out + fmt::format("  }},\n  info_bytes_max = {},\n  records_shown = {},\n", kInfoBytesMax,
                           kRecordsShown);
}

std::string errors_lua() {
  std::string out = "  errors = {\n";
  for (const ErrorInfo& error : all_errors()) {
    out += fmt::format("    [{}] = {},\n", to_wire(error.code), lua_text(error.name));
  }
  return out + "  },\n";
}

}  // namespace

std::string_view message_inside(std::string_view field) {
  for (const auto& [name, message] : kInside) {
    if (name == field) return message;
  }
  return "";
}

std::string wire_schema_lua() {
  const Types types = all_types();
  return "local schema = {\n" + messages_lua(types) + enums_lua(types) + info_lua() + errors_lua() +
         "}\n";
}

std::string dissector_lua() {
  const std::string_view script = embedded_dissector();
  const std::size_t begins = script.find(kSchemaBegins);
  const std::size_t ends = script.find(kSchemaEnds);
  CHECK(begins != std::string_view::npos && ends != std::string_view::npos,
        "the dissector has no place for its schema");
  const std::size_t line_behind = script.find('\n', begins) + 1;
  return std::string(script.substr(0, line_behind)) + wire_schema_lua() +
         std::string(script.substr(ends));
}

}  // namespace fencepost::lab
