#include "broker/core/group_answers.h"

namespace fencepost::broker {

wire::Frame join_refused(ErrorCode error, const std::string& member_id) {
  wire::Frame frame;
  auto* const response = frame.mutable_join_group_response();
  response->set_error_code(to_wire(error));
  response->set_member_id(member_id);
  return frame;
}

wire::Frame join_accepted(const Group& group, const Member& member, SkipAssignment skip) {
  wire::Frame frame;
  auto* const response = frame.mutable_join_group_response();
  response->set_generation_id(group.generation.value());
  if (group.protocol_type) response->set_protocol_type(*group.protocol_type);
  if (group.protocol_name) response->set_protocol_name(*group.protocol_name);
  if (group.leader) response->set_leader(group.leader->value());
  response->set_skip_assignment(skip == SkipAssignment::kYes);
  response->set_member_id(member.id.value());
  if (!group.is_leader(member.id)) return frame;
  for (const auto& [other_id, other] : group.members) {
    auto* const listed = response->add_members();
    listed->set_member_id(other_id.value());
    if (other.instance_id) listed->set_group_instance_id(*other.instance_id);
    listed->set_metadata(other.metadata_for(group.protocol_name.value_or("")));
  }
  return frame;
}

wire::Frame sync_refused(ErrorCode error) {
  wire::Frame frame;
  frame.mutable_sync_group_response()->set_error_code(to_wire(error));
  return frame;
}

wire::Frame sync_accepted(const Group& group, const Member& member) {
  wire::Frame frame;
  auto* const response = frame.mutable_sync_group_response();
  response->set_error_code(to_wire(ErrorCode::kNone));
  if (group.protocol_type) response->set_protocol_type(*group.protocol_type);
  if (group.protocol_name) response->set_protocol_name(*group.protocol_name);
  response->set_assignment(member.assignment);
  return frame;
}

wire::Frame heartbeat_answer(ErrorCode error) {
  wire::Frame frame;
  frame.mutable_heartbeat_response()->set_error_code(to_wire(error));
  return frame;
}

}  // namespace fencepost::broker
