#include "broker/core/group_admin.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost::broker {
namespace {

constexpr std::string_view kClassic = "classic";

bool equal_but_for_case(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  });
}

// An empty filter lets everything through.
bool passes(const google::protobuf::RepeatedPtrField<std::string>& filter, std::string_view value) {
  return filter.empty() || std::ranges::any_of(filter, [&](const std::string& wanted) {
           return equal_but_for_case(wanted, value);
         });
}

// In a state without a protocol there is no metadata to show: it is one member's of several lists.
void describe_member(const Group& group, const Member& member,
                     wire::DescribeGroupsResponse::Member& answer) {
  answer.set_member_id(member.id.value());
  if (member.instance_id) answer.set_group_instance_id(*member.instance_id);
  answer.set_client_id(member.client_id);
  answer.set_client_host(member.client_host);
  const bool stable = group.in(GroupState::kStable);
  answer.set_member_metadata(stable ? member.metadata_for(group.protocol_name.value_or("")) : "");
  answer.set_member_assignment(member.assignment);
}

void describe_group(const Group& group, wire::DescribeGroupsResponse::Group& answer) {
  answer.set_group_state(std::string(name_of(group.state())));
  answer.set_protocol_type(group.protocol_type.value_or(""));
  if (group.in(GroupState::kStable)) answer.set_protocol_data(group.protocol_name.value_or(""));
  for (const auto& [member_id, member] : group.members) {
    describe_member(group, member, *answer.add_members());
  }
}

ErrorCode check_delete(const Group* group) {
  if (group == nullptr || group->in(GroupState::kDead)) return ErrorCode::kGroupIdNotFound;
  return group->in(GroupState::kEmpty) ? ErrorCode::kNone : ErrorCode::kNonEmptyGroup;
}

std::string deleted_by(const Caller& caller) {
  return fmt::format("deleted by {}", caller.request.source);
}

}  // namespace

wire::DescribeGroupsResponse GroupAdmin::describe(
    const wire::DescribeGroupsRequest& request) const {
  wire::DescribeGroupsResponse response;
  for (const std::string& name : request.groups()) {
    auto* const answer = response.add_groups();
    answer->set_group_id(name);
    const ErrorCode error = groups_.check_coordinator(name);
    answer->set_error_code(to_wire(error));
    const Group* const group = groups_.find(name);
    if (error != ErrorCode::kNone) continue;
    if (group != nullptr) {
      describe_group(*group, *answer);
    } else {
      answer->set_group_state(std::string(name_of(GroupState::kDead)));
    }
  }
  return response;
}

wire::ListGroupsResponse GroupAdmin::list(const wire::ListGroupsRequest& request) const {
  wire::ListGroupsResponse response;
  for (const auto& [name, group] : groups_.all()) {
    const std::string_view state = name_of(group.state());
    if (!passes(request.states_filter(), state)) continue;
    if (!passes(request.types_filter(), kClassic)) continue;
    auto* const listed = response.add_groups();
    listed->set_group_id(name);
    listed->set_protocol_type(group.protocol_type.value_or(""));
    listed->set_group_state(std::string(state));
    listed->set_group_type(std::string(kClassic));
  }
  return response;
}

wire::DeleteGroupsResponse GroupAdmin::remove(const wire::DeleteGroupsRequest& request,
                                              const Caller& caller, Turn& turn) {
  wire::DeleteGroupsResponse response;
  std::set<std::string> answered;
  for (const std::string& name : request.groups_names()) {
    if (!answered.insert(name).second) continue;
    ErrorCode error = groups_.check_coordinator(name);
    if (error == ErrorCode::kNone) error = check_delete(groups_.find(name));
    if (error == ErrorCode::kNone) groups_.remove(name, deleted_by(caller), turn);
    auto* const answer = response.add_results();
    answer->set_group_id(name);
    answer->set_error_code(to_wire(error));
  }
  return response;
}

ErrorCode GroupAdmin::check_offset_delete(const std::string& name) const {
  if (const ErrorCode error = groups_.check_group(name); error != ErrorCode::kNone) return error;
  const Group* const group = groups_.find(name);
  if (group == nullptr || group->in(GroupState::kDead)) return ErrorCode::kGroupIdNotFound;
  const bool empty = group->in(GroupState::kEmpty);
  return empty || group->is_consumer_group() ? ErrorCode::kNone : ErrorCode::kNonEmptyGroup;
}

wire::OffsetDeleteResponse GroupAdmin::delete_offsets(const wire::OffsetDeleteRequest& request,
                                                      const Caller& caller, Turn& turn) {
  wire::OffsetDeleteResponse response;
  const ErrorCode error = check_offset_delete(request.group_id());
  response.set_error_code(to_wire(error));
  if (error != ErrorCode::kNone) return response;
  const Group& group = *groups_.find(request.group_id());
  std::vector<TopicPartition> deleted;
  for (const auto& topic : request.topics()) {
    auto* const answer = response.add_topics();
    answer->set_name(topic.name());
    for (const auto& partition : topic.partitions()) {
      ErrorCode outcome = ErrorCode::kNone;
      if (group.is_subscribed_to(topic.name())) outcome = ErrorCode::kGroupSubscribedToTopic;
      if (!topics_.has(topic.name(), partition.partition_index())) {
        outcome = ErrorCode::kUnknownTopicOrPartition;
      }
      auto* const result = answer->add_partitions();
      result->set_partition_index(partition.partition_index());
      result->set_error_code(to_wire(outcome));
      if (outcome != ErrorCode::kNone) continue;
      deleted.push_back({topic.name(), PartitionId(partition.partition_index())});
    }
  }
  groups_.remove_offsets(group.id, deleted, deleted_by(caller), turn);
  return response;
}

}  // namespace fencepost::broker
