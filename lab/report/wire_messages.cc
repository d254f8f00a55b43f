// The messages that a frame may hold, as data: the page decodes frames by it.
#include <google/protobuf/descriptor.h>

#include <boost/json/array.hpp>
#include <set>
#include <string>

#include "lab/report/report_data.h"
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

// What the bytes of a field hold, where the broker does not look into them.
std::string_view embedded(const FieldDescriptor& field) {
  const std::string name = name_of(*field.containing_type()) + "." + field.name();
  if (name == "JoinGroupRequest.Protocol.metadata" || name == "JoinGroupResponse.Member.metadata") {
    return "ConsumerProtocolSubscription";
  }
  if (name == "SyncGroupRequest.Assignment.assignment" || name == "SyncGroupResponse.assignment") {
    return "ConsumerProtocolAssignment";
  }
  return "";
}

void add(const Descriptor& message, json::object& out) {
  if (out.contains(name_of(message))) return;
  json::object fields;
  out[name_of(message)] = json::object();
  for (int at = 0; at < message.field_count(); ++at) {
    const FieldDescriptor& field = *message.field(at);
    json::array row{field.name(), field.type_name()};
    const Descriptor* const inner = field.message_type();
    row.emplace_back(inner == nullptr ? std::string(embedded(field)) : name_of(*inner));
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
