// What each request and response says on one line.
#include <spdlog/fmt/fmt.h>

#include "common/error_code.h"
#include "lab/frame_facts.h"
#include "lab/packets.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

// Collects "key value" phrases, and lists of partitions.
class Info {
 public:
  explicit Info(const PartitionNames& names) : names_(names) {}

  template <class Value>
  Info& add(std::string_view key, const Value& value) {
    text_ += fmt::format("{}{} {}", text_.empty() ? "" : ", ", key, value);
    return *this;
  }
  Info& member(const std::string& id) {
    return add("member", id.empty() ? "(new)" : without_uuids(id) + short_uuid(id));
  }
  Info& error(std::int32_t code) {
    return code == 0 ? *this : add("error", name_of(error_from_wire(code)));
  }
  std::string partition(const std::string& topic, std::int32_t index) const {
    return names_.short_name({topic, PartitionId(index)});
  }
  void item(const std::string& text) { items_ += (items_.empty() ? "" : " ") + text; }
  std::string str() const {
    if (items_.empty()) return text_;
    return text_.empty() ? items_ : text_ + ", " + items_;
  }

 private:
  // The first letters of the UUID, enough to tell two lives of a member apart.
  static std::string short_uuid(const std::string& id) {
    constexpr std::size_t kShown = 5;
    const std::string name = without_uuids(id);
    return name.size() == id.size() ? "" : id.substr(name.size(), kShown);
  }

  const PartitionNames& names_;
  std::string text_;
  std::string items_;
};

std::string records_text(const wire::RecordBatch& batch) {
  constexpr int kShown = 6;
  std::string text;
  for (int index = 0; index < batch.records_size() && index < kShown; ++index) {
    text += (index == 0 ? "" : ",") + batch.records(index).value();
  }
  if (batch.records_size() > kShown) {
    text += fmt::format(",... {} in all", batch.records_size());
  }
  return text;
}

std::string error_suffix(std::int32_t code) {
  return code == 0 ? "" : fmt::format("({})", name_of(error_from_wire(code)));
}

std::string assignment_text(const std::string& bytes, const PartitionNames& names) {
  wire::ConsumerProtocolAssignment assignment;
  if (bytes.empty() || !assignment.ParseFromString(bytes)) return "-";
  std::set<TopicPartition> partitions;
  for (const auto& topic : assignment.assigned_partitions()) {
    for (const std::int32_t index : topic.partitions()) {
      partitions.insert({topic.topic(), PartitionId(index)});
    }
  }
  return names.list(partitions);
}

void describe(const wire::ProduceRequest& request, Info& info) {
  for (const auto& topic : request.topic_data()) {
    for (const auto& part : topic.partition_data()) {
      info.item(fmt::format("{}[{}]", info.partition(topic.name(), part.index()),
                            records_text(part.records())));
    }
  }
  if (request.acks() != -1) info.add("acks", request.acks());
}

void describe(const wire::ProduceResponse& response, Info& info) {
  for (const auto& topic : response.responses()) {
    for (const auto& part : topic.partition_responses()) {
      info.item(fmt::format("{}@{}{}", info.partition(topic.name(), part.index()),
                            part.base_offset(), error_suffix(part.error_code())));
    }
  }
}

void describe(const wire::FetchRequest& request, Info& info) {
  for (const auto& topic : request.topics()) {
    for (const auto& part : topic.partitions()) {
      info.item(fmt::format("{}@{}", info.partition(topic.topic(), part.partition()),
                            part.fetch_offset()));
    }
  }
}

void describe(const wire::FetchResponse& response, Info& info) {
  info.error(response.error_code());
  for (const auto& topic : response.responses()) {
    for (const auto& part : topic.partitions()) {
      std::string records;
      for (const auto& batch : part.records()) {
        records += (records.empty() ? "" : ",") + records_text(batch);
      }
      if (records.empty() && part.error_code() == 0) continue;
      info.item(fmt::format("{}[{}]{}", info.partition(topic.topic(), part.partition_index()),
                            records, error_suffix(part.error_code())));
    }
  }
  if (info.str().empty()) info.item("no records");
}

void describe(const wire::ListOffsetsRequest& request, Info& info) {
  for (const auto& topic : request.topics()) {
    for (const auto& part : topic.partitions()) {
      const std::string when = part.timestamp() == -1   ? "latest"
                               : part.timestamp() == -2 ? "earliest"
                                                        : std::to_string(part.timestamp());
      info.item(info.partition(topic.name(), part.partition_index()) + " " + when);
    }
  }
}

void describe(const wire::ListOffsetsResponse& response, Info& info) {
  for (const auto& topic : response.topics()) {
    for (const auto& part : topic.partitions()) {
      info.item(fmt::format("{}={}{}", info.partition(topic.name(), part.partition_index()),
                            part.offset(), error_suffix(part.error_code())));
    }
  }
}

void describe(const wire::MetadataRequest& request, Info& info) {
  for (const std::string& topic : request.topics()) info.item(topic);
  if (request.all_topics()) info.item("all topics");
}

void describe(const wire::MetadataResponse& response, Info& info) {
  info.add("brokers", response.brokers_size());
  for (const auto& topic : response.topics()) {
    info.item(fmt::format("{}({}){}", topic.name(), topic.partitions_size(),
                          error_suffix(topic.error_code())));
  }
}

void describe(const wire::OffsetCommitRequest& request, Info& info) {
  info.add("group", request.group_id()).member(request.member_id());
  info.add("generation", request.generation_id());
  for (const auto& topic : request.topics()) {
    for (const auto& part : topic.partitions()) {
      info.item(fmt::format("{}={}", info.partition(topic.name(), part.partition_index()),
                            part.committed_offset()));
    }
  }
}

void describe(const wire::OffsetCommitResponse& response, Info& info) {
  for (const auto& topic : response.topics()) {
    for (const auto& part : topic.partitions()) {
      info.item(info.partition(topic.name(), part.partition_index()) +
                error_suffix(part.error_code()));
    }
  }
}

void describe(const wire::OffsetFetchRequest& request, Info& info) {
  for (const auto& group : request.groups()) {
    info.add("group", group.group_id());
    for (const auto& topic : group.topics()) {
      for (const std::int32_t index : topic.partition_indexes()) {
        info.item(info.partition(topic.name(), index));
      }
    }
  }
}

void describe(const wire::OffsetFetchResponse& response, Info& info) {
  for (const auto& group : response.groups()) {
    info.add("group", group.group_id()).error(group.error_code());
    for (const auto& topic : group.topics()) {
      for (const auto& part : topic.partitions()) {
        const std::string offset =
            part.committed_offset() < 0 ? "none" : std::to_string(part.committed_offset());
        info.item(fmt::format("{}={}{}", info.partition(topic.name(), part.partition_index()),
                              offset, error_suffix(part.error_code())));
      }
    }
  }
}

void describe(const wire::FindCoordinatorRequest& request, Info& info) {
  for (const std::string& key : request.coordinator_keys()) info.add("group", key);
}

void describe(const wire::FindCoordinatorResponse& response, Info& info) {
  for (const auto& coordinator : response.coordinators()) {
    info.add("coordinator", fmt::format("{}:{}", coordinator.host(), coordinator.port()));
    info.error(coordinator.error_code());
  }
}

void describe(const wire::JoinGroupRequest& request, Info& info) {
  info.add("group", request.group_id()).member(request.member_id());
  for (const auto& protocol : request.protocols()) info.item(protocol.name());
  if (request.has_group_instance_id()) info.add("instance", request.group_instance_id());
}

void describe(const wire::JoinGroupResponse& response, Info& info) {
  info.member(response.member_id()).error(response.error_code());
  if (response.error_code() != 0) return;
  info.add("generation", response.generation_id()).add("protocol", response.protocol_name());
  info.add("leader", without_uuids(response.leader()));
  if (!response.members().empty()) info.add("members", response.members_size());
}

void describe(const wire::SyncGroupRequest& request, const PartitionNames& names, Info& info) {
  info.add("group", request.group_id()).member(request.member_id());
  info.add("generation", request.generation_id());
  for (const auto& one : request.assignments()) {
    info.item(fmt::format("{}[{}]", without_uuids(one.member_id()),
                          assignment_text(one.assignment(), names)));
  }
}

void describe(const wire::SyncGroupResponse& response, const PartitionNames& names, Info& info) {
  info.error(response.error_code());
  if (response.error_code() != 0) return;
  info.add("assignment", assignment_text(response.assignment(), names));
}

void describe(const wire::HeartbeatRequest& request, Info& info) {
  info.add("group", request.group_id()).member(request.member_id());
  info.add("generation", request.generation_id());
}

void describe(const wire::LeaveGroupRequest& request, Info& info) {
  info.add("group", request.group_id());
  for (const auto& member : request.members()) {
    info.member(member.member_id());
    if (!member.reason().empty()) info.add("reason", member.reason());
  }
}

void describe(const wire::LeaveGroupResponse& response, Info& info) {
  info.error(response.error_code());
  for (const auto& member : response.members()) info.error(member.error_code());
}

void describe(const wire::CreateTopicsRequest& request, Info& info) {
  for (const auto& topic : request.topics()) {
    info.item(fmt::format("{}({})", topic.name(), topic.num_partitions()));
  }
}

// ---- what administrators ask ----

void describe(const wire::DescribeGroupsRequest& request, Info& info) {
  for (const std::string& group : request.groups()) info.add("group", group);
}

void describe(const wire::DescribeGroupsResponse& response, Info& info) {
  for (const auto& group : response.groups()) {
    info.add("group", group.group_id()).error(group.error_code());
    info.add("state", group.group_state()).add("members", group.members_size());
  }
}

void describe(const wire::ListGroupsRequest& request, Info& info) {
  for (const std::string& state : request.states_filter()) info.item(state);
}

void describe(const wire::ListGroupsResponse& response, Info& info) {
  info.error(response.error_code());
  for (const auto& group : response.groups()) {
    info.item(fmt::format("{}({})", group.group_id(), group.group_state()));
  }
}

void describe(const wire::DeleteGroupsRequest& request, Info& info) {
  for (const std::string& group : request.groups_names()) info.add("group", group);
}

void describe(const wire::DeleteGroupsResponse& response, Info& info) {
  for (const auto& result : response.results()) {
    info.item(result.group_id() + error_suffix(result.error_code()));
  }
}

void describe(const wire::OffsetDeleteRequest& request, Info& info) {
  info.add("group", request.group_id());
  for (const auto& topic : request.topics()) {
    for (const auto& part : topic.partitions()) {
      info.item(info.partition(topic.name(), part.partition_index()));
    }
  }
}

void describe(const wire::OffsetDeleteResponse& response, Info& info) {
  info.error(response.error_code());
  for (const auto& topic : response.topics()) {
    for (const auto& part : topic.partitions()) {
      info.item(info.partition(topic.name(), part.partition_index()) +
                error_suffix(part.error_code()));
    }
  }
}

void describe(const wire::CreatePartitionsRequest& request, Info& info) {
  for (const auto& topic : request.topics()) {
    info.item(fmt::format("{}({})", topic.name(), topic.count()));
  }
}

void describe(const wire::DeleteTopicsRequest& request, Info& info) {
  for (const std::string& topic : request.topic_names()) info.item(topic);
}

// The answers about topics: each with its outcome.
template <class Results>
void describe_outcomes(const Results& results, Info& info) {
  for (const auto& result : results) info.item(result.name() + error_suffix(result.error_code()));
}

void describe_administration(const wire::Frame& frame, Info& info) {
  switch (frame.payload_case()) {
    case wire::Frame::kDescribeGroupsRequest:
      return describe(frame.describe_groups_request(), info);
    case wire::Frame::kDescribeGroupsResponse:
      return describe(frame.describe_groups_response(), info);
    case wire::Frame::kListGroupsRequest:
      return describe(frame.list_groups_request(), info);
    case wire::Frame::kListGroupsResponse:
      return describe(frame.list_groups_response(), info);
    case wire::Frame::kDeleteGroupsRequest:
      return describe(frame.delete_groups_request(), info);
    case wire::Frame::kDeleteGroupsResponse:
      return describe(frame.delete_groups_response(), info);
    case wire::Frame::kOffsetDeleteRequest:
      return describe(frame.offset_delete_request(), info);
    case wire::Frame::kOffsetDeleteResponse:
      return describe(frame.offset_delete_response(), info);
    case wire::Frame::kCreatePartitionsRequest:
      return describe(frame.create_partitions_request(), info);
    case wire::Frame::kCreatePartitionsResponse:
      return describe_outcomes(frame.create_partitions_response().results(), info);
    case wire::Frame::kDeleteTopicsRequest:
      return describe(frame.delete_topics_request(), info);
    case wire::Frame::kDeleteTopicsResponse:
      return describe_outcomes(frame.delete_topics_response().responses(), info);
    case wire::Frame::kCreateTopicsRequest:
      return describe(frame.create_topics_request(), info);
    case wire::Frame::kCreateTopicsResponse:
      return describe_outcomes(frame.create_topics_response().topics(), info);
    default:
      return;
  }
}

void describe_payload(const wire::Frame& frame, const PartitionNames& names, Info& info) {
  switch (frame.payload_case()) {
    case wire::Frame::kProduceRequest:
      return describe(frame.produce_request(), info);
    case wire::Frame::kProduceResponse:
      return describe(frame.produce_response(), info);
    case wire::Frame::kFetchRequest:
      return describe(frame.fetch_request(), info);
    case wire::Frame::kFetchResponse:
      return describe(frame.fetch_response(), info);
    case wire::Frame::kListOffsetsRequest:
      return describe(frame.list_offsets_request(), info);
    case wire::Frame::kListOffsetsResponse:
      return describe(frame.list_offsets_response(), info);
    case wire::Frame::kMetadataRequest:
      return describe(frame.metadata_request(), info);
    case wire::Frame::kMetadataResponse:
      return describe(frame.metadata_response(), info);
    case wire::Frame::kOffsetCommitRequest:
      return describe(frame.offset_commit_request(), info);
    case wire::Frame::kOffsetCommitResponse:
      return describe(frame.offset_commit_response(), info);
    case wire::Frame::kOffsetFetchRequest:
      return describe(frame.offset_fetch_request(), info);
    case wire::Frame::kOffsetFetchResponse:
      return describe(frame.offset_fetch_response(), info);
    case wire::Frame::kFindCoordinatorRequest:
      return describe(frame.find_coordinator_request(), info);
    case wire::Frame::kFindCoordinatorResponse:
      return describe(frame.find_coordinator_response(), info);
    case wire::Frame::kJoinGroupRequest:
      return describe(frame.join_group_request(), info);
    case wire::Frame::kJoinGroupResponse:
      return describe(frame.join_group_response(), info);
    case wire::Frame::kHeartbeatRequest:
      return describe(frame.heartbeat_request(), info);
    case wire::Frame::kHeartbeatResponse:
      info.error(frame.heartbeat_response().error_code());
      return;
    case wire::Frame::kLeaveGroupRequest:
      return describe(frame.leave_group_request(), info);
    case wire::Frame::kLeaveGroupResponse:
      return describe(frame.leave_group_response(), info);
    case wire::Frame::kSyncGroupRequest:
      return describe(frame.sync_group_request(), names, info);
    case wire::Frame::kSyncGroupResponse:
      return describe(frame.sync_group_response(), names, info);
    default:
      return describe_administration(frame, info);
  }
}

}  // namespace

std::string info_of(const wire::Frame& frame, const PartitionNames& names) {
  Info info(names);
  describe_payload(frame, names, info);
  const std::string details = info.str();
  return fmt::format("{} {}{}{}", api_of(frame), is_response(frame) ? "response" : "request",
                     details.empty() ? "" : ": ", details);
}

}  // namespace fencepost::lab
