// The messages that a frame may hold, as data: the page decodes frames by it.
#include <google/protobuf/descriptor.h>

#include <boost/json/array.hpp>
#include <set>
#include <string>

#include "lab/report/report_data.h"
#include "lab/wire_schema.h"
#include "proto/frame.pb.h"

namespace fencepost::lab {
namespace {

namespace json = boost::json;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// "JoinGroupRequest.Protocol"
std::string name_of(const Descriptor& message) {
  const std::string& full = message.full_name();
  const std::string& package = message.file()->package();
  return full.substr(package.size() + 1);
}

std::string inside(const Descriptor& message, const FieldDescriptor& field) {
  return std::string(message_inside(name_of(message) + "." + field.name()));
}

void add(const Descriptor& message, json::object& out) {
  if (out.contains(name_of(message))) return;
  json::object fields;
  out[name_of(message)] = json::object();
  for (int at = 0; at < message.field_count(); ++at) {
    const FieldDescriptor& field = *message.field(at);
    json::array row{field.name(), field.type_name()};
    const Descriptor* const inner = field.message_type();
    row.emplace_back(inner == nullptr ? inside(message, field) : name_of(*inner));
    row.emplace_back(field.is_repeated());
    fields[std::to_string(field.number())] = std::move(row);
    if (inner != nullptr) add(*inner, out);
  }
  out[name_of(message)] = std::move(fields);
}

}  // namespace

json::object wire_messages() {
  json::object out;
  add(*wire::Frame::descriptor(), out);
  add(*wire::ConsumerProtocolSubscription::descriptor(), out);
  add(*wire::ConsumerProtocolAssignment::descriptor(), out);
  return out;
}

}  // namespace fencepost::lab
