#include "admin/facts.h"

namespace fencepost::admin {
namespace {

constexpr std::int64_t kLatest = -1;
constexpr std::int64_t kEarliest = -2;

template <class Response>
void add_changes(const Response& response, Errors& changed) {
  for (const auto& topic : response.topics()) {
    for (const auto& part : topic.partitions()) {
      changed[{topic.name(), PartitionId(part.partition_index())}] =
          error_from_wire(part.error_code());
    }
  }
}

template <class Results>
void add_outcomes(const Results& results, Facts& facts) {
  for (const auto& result : results) {
    facts.outcomes[result.name()] = error_from_wire(result.error_code());
    if (result.has_error_message()) facts.messages[result.name()] = result.error_message();
  }
}

}  // namespace

void Facts::add(const wire::Frame& request, const wire::Frame& response) {
  if (response.has_metadata_response()) add_metadata(response.metadata_response());
  if (response.has_offset_fetch_response()) add_offset_fetch(response.offset_fetch_response());
  if (response.has_list_offsets_response()) {
    add_list_offsets(request.list_offsets_request(), response.list_offsets_response());
  }
  if (response.has_offset_commit_response()) {
    add_changes(response.offset_commit_response(), changed);
  }
  if (response.has_offset_delete_response()) {
    const ErrorCode error = error_from_wire(response.offset_delete_response().error_code());
    if (error != ErrorCode::kNone) refused = error;
    add_changes(response.offset_delete_response(), changed);
  }
  if (response.has_create_topics_response()) {
    add_outcomes(response.create_topics_response().topics(), *this);
  }
  if (response.has_create_partitions_response()) {
    add_outcomes(response.create_partitions_response().results(), *this);
  }
  if (response.has_delete_topics_response()) {
    add_outcomes(response.delete_topics_response().responses(), *this);
  }
  if (response.has_leave_group_response()) add_leave(response.leave_group_response());
  add_groups(response);
}

void Facts::add_metadata(const wire::MetadataResponse& response) {
  for (const auto& broker : response.brokers()) {
    brokers[NodeId(broker.node_id())] = {broker.host(), broker.port()};
  }
  for (const auto& topic : response.topics()) {
    for (const auto& part : topic.partitions()) {
      leaders[{topic.name(), PartitionId(part.partition_index())}] = NodeId(part.leader_id());
    }
  }
}

void Facts::add_groups(const wire::Frame& response) {
  for (const auto& one : response.find_coordinator_response().coordinators()) {
    if (one.error_code() == 0) groups[one.key()].coordinator = NodeId(one.node_id());
  }
  for (const auto& group : response.list_groups_response().groups()) {
    listed[group.group_id()] = group;
  }
  for (const auto& group : response.describe_groups_response().groups()) {
    groups[group.group_id()].described = group;
  }
  for (const auto& result : response.delete_groups_response().results()) {
    groups[result.group_id()].deleted = error_from_wire(result.error_code());
  }
}

void Facts::add_leave(const wire::LeaveGroupResponse& response) {
  if (response.error_code() != 0) refused = error_from_wire(response.error_code());
  for (const auto& member : response.members()) {
    const bool is_static = member.has_group_instance_id();
    outcomes[is_static ? member.group_instance_id() : member.member_id()] =
        error_from_wire(member.error_code());
  }
}

void Facts::add_offset_fetch(const wire::OffsetFetchResponse& response) {
  for (const auto& group : response.groups()) {
    if (group.error_code() != 0) continue;
    Offsets& committed = groups[group.group_id()].committed.emplace();
    for (const auto& topic : group.topics()) {
      for (const auto& part : topic.partitions()) {
        if (part.error_code() != 0 || part.committed_offset() < 0) continue;
        committed[{topic.name(), PartitionId(part.partition_index())}] =
            Offset(part.committed_offset());
      }
    }
  }
}

void Facts::add_list_offsets(const wire::ListOffsetsRequest& request,
                             const wire::ListOffsetsResponse& response) {
  std::map<TopicPartition, std::int64_t> asked;
  for (const auto& topic : request.topics()) {
    for (const auto& part : topic.partitions()) {
      asked[{topic.name(), PartitionId(part.partition_index())}] = part.timestamp();
    }
  }
  for (const auto& topic : response.topics()) {
    for (const auto& part : topic.partitions()) {
      const TopicPartition where{topic.name(), PartitionId(part.partition_index())};
      if (part.error_code() != 0) {
        offset_errors[where] = error_from_wire(part.error_code());
        continue;
      }
      const std::int64_t when = asked[where];
      if (when != kLatest && when != kEarliest) asked_at_time.insert(where);
      if (part.offset() < 0) continue;
      Offsets& found = when == kLatest ? latest : when == kEarliest ? earliest : at_time;
      found[where] = Offset(part.offset());
    }
  }
}

std::set<TopicPartition> assigned_to(const wire::DescribeGroupsResponse::Member& member) {
  std::set<TopicPartition> partitions;
  wire::ConsumerProtocolAssignment assignment;
  if (!assignment.ParseFromString(member.member_assignment())) return partitions;
  for (const auto& topic : assignment.assigned_partitions()) {
    for (const std::int32_t index : topic.partitions()) {
      partitions.insert({topic.topic(), PartitionId(index)});
    }
  }
  return partitions;
}

std::set<TopicPartition> partitions_of(const GroupFacts& group) {
  std::set<TopicPartition> partitions;
  if (group.committed) {
    for (const auto& [where, offset] : *group.committed) partitions.insert(where);
  }
  if (group.described) {
    for (const auto& member : group.described->members()) partitions.merge(assigned_to(member));
  }
  return partitions;
}

}  // namespace fencepost::admin
