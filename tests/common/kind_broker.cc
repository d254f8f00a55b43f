#include "tests/common/client_world.h"

namespace fencepost {
namespace {

// Entries of a repeated field with a name, found or added.
template <class Topics>
auto* entry(Topics* topics, const std::string& name) {
  for (auto& topic : *topics) {
    if (topic.name() == name) return &topic;
  }
  auto* added = topics->Add();
  added->set_name(name);
  return added;
}

}  // namespace

Reply KindBroker::answer(const wire::Frame& request) {
  Reply reply;
  wire::Frame& frame = reply.frame.emplace();
  switch (request.payload_case()) {
    case Api::kMetadataRequest:
      *frame.mutable_metadata_response() = metadata(request.metadata_request());
      break;
    case Api::kFindCoordinatorRequest: {
      auto* coordinator = frame.mutable_find_coordinator_response()->add_coordinators();
      coordinator->set_key(request.find_coordinator_request().coordinator_keys(0));
      coordinator->set_node_id(1);
      coordinator->set_host("B1");
      break;
    }
    case Api::kListOffsetsRequest:
      *frame.mutable_list_offsets_response() = list_offsets(request.list_offsets_request());
      break;
    case Api::kProduceRequest:
      *frame.mutable_produce_response() = produce(request.produce_request());
      break;
    case Api::kFetchRequest:
      return fetch(request.fetch_request());
    case Api::kJoinGroupRequest:
      *frame.mutable_join_group_response() = join(request.join_group_request());
      break;
    case Api::kSyncGroupRequest:
      *frame.mutable_sync_group_response() = sync(request.sync_group_request());
      break;
    case Api::kHeartbeatRequest:
      frame.mutable_heartbeat_response();
      break;
    case Api::kLeaveGroupRequest:
      frame.mutable_leave_group_response();
      break;
    case Api::kOffsetCommitRequest:
      *frame.mutable_offset_commit_response() = commit(request.offset_commit_request());
      break;
    case Api::kOffsetFetchRequest:
      *frame.mutable_offset_fetch_response() = fetch_offsets(request.offset_fetch_request());
      break;
    default:
      return lost();
  }
  return reply;
}

void KindBroker::write(const std::string& topic, std::int32_t partition,
                       const std::vector<std::string>& values) {
  wire::RecordBatch batch;
  for (const std::string& value : values) {
    batch.add_records()->set_value(value);
    batch.mutable_records()->rbegin()->set_offset_delta(batch.records_size() - 1);
  }
  batch.set_last_offset_delta(batch.records_size() - 1);
  std::int64_t& end = ends_[{topic, partition}];
  batch.set_base_offset(end);
  end += batch.records_size();
  logs_[{topic, partition}].push_back(std::move(batch));
}

std::vector<std::string> KindBroker::log(const std::string& topic, std::int32_t partition) const {
  std::vector<std::string> values;
  const auto found = logs_.find({topic, partition});
  if (found == logs_.end()) return values;
  for (const wire::RecordBatch& batch : found->second) {
    for (const wire::Record& record : batch.records()) values.push_back(record.value());
  }
  return values;
}

wire::MetadataResponse KindBroker::metadata(const wire::MetadataRequest& request) const {
  wire::MetadataResponse response;
  auto* broker = response.add_brokers();
  broker->set_node_id(1);
  broker->set_host("B1");
  std::vector<std::string> names(request.topics().begin(), request.topics().end());
  if (request.all_topics()) {
    for (const auto& [name, count] : topics) names.push_back(name);
  }
  for (const std::string& name : names) {
    auto* topic = response.add_topics();
    topic->set_name(name);
    topic->set_is_internal(name.starts_with("__"));
    const auto known = topics.find(name);
    if (known == topics.end()) {
      topic->set_error_code(to_wire(ErrorCode::kUnknownTopicOrPartition));
      continue;
    }
    for (std::int32_t i = 0; i < known->second; ++i) {
      auto* partition = topic->add_partitions();
      partition->set_partition_index(i);
      partition->set_leader_id(1);
    }
  }
  return response;
}

wire::ListOffsetsResponse KindBroker::list_offsets(const wire::ListOffsetsRequest& request) const {
  wire::ListOffsetsResponse response;
  for (const auto& topic : request.topics()) {
    auto* out = entry(response.mutable_topics(), topic.name());
    for (const auto& partition : topic.partitions()) {
      auto* answer = out->add_partitions();
      answer->set_partition_index(partition.partition_index());
      const auto end = ends_.find({topic.name(), partition.partition_index()});
      const bool latest = partition.timestamp() == -1;
      answer->set_offset(latest && end != ends_.end() ? end->second : 0);
    }
  }
  return response;
}

wire::ProduceResponse KindBroker::produce(const wire::ProduceRequest& request) {
  wire::ProduceResponse response;
  for (const auto& topic : request.topic_data()) {
    auto* out = entry(response.mutable_responses(), topic.name());
    for (const auto& data : topic.partition_data()) {
      const Where where{topic.name(), data.index()};
      auto* answer = out->add_partition_responses();
      answer->set_index(data.index());
      answer->set_base_offset(ends_[where]);
      std::vector<std::string> values;
      for (const wire::Record& record : data.records().records()) values.push_back(record.value());
      write(where.first, where.second, values);
    }
  }
  return response;
}

Reply KindBroker::fetch(const wire::FetchRequest& request) const {
  Reply reply;
  bool any = false;
  wire::FetchResponse* response = reply.frame.emplace().mutable_fetch_response();
  for (const auto& topic : request.topics()) {
    auto* out = response->add_responses();
    out->set_topic(topic.topic());
    for (const auto& partition : topic.partitions()) {
      auto* data = out->add_partitions();
      data->set_partition_index(partition.partition());
      const auto log = logs_.find({topic.topic(), partition.partition()});
      if (log == logs_.end()) continue;
      for (const wire::RecordBatch& batch : log->second) {
        if (batch.base_offset() + batch.last_offset_delta() < partition.fetch_offset()) continue;
        *data->add_records() = batch;
        any = true;
      }
    }
  }
  if (!any) reply.ticks = 3;  // parked for fetch.max.wait.ms
  return reply;
}

wire::JoinGroupResponse KindBroker::join(const wire::JoinGroupRequest& request) {
  wire::JoinGroupResponse response;
  if (request.member_id().empty() && !request.has_group_instance_id()) {
    response.set_error_code(to_wire(ErrorCode::kMemberIdRequired));
    response.set_member_id("member-" + std::to_string(++members));
    return response;
  }
  const std::string id = request.member_id().empty() ? "static-1" : request.member_id();
  response.set_generation_id(++generation);
  response.set_protocol_type("consumer");
  response.set_protocol_name(request.protocols(0).name());
  response.set_leader(id);
  response.set_member_id(id);
  auto* member = response.add_members();
  member->set_member_id(id);
  member->set_metadata(request.protocols(0).metadata());
  return response;
}

wire::SyncGroupResponse KindBroker::sync(const wire::SyncGroupRequest& request) const {
  wire::SyncGroupResponse response;
  for (const auto& entry : request.assignments()) {
    if (entry.member_id() == request.member_id()) response.set_assignment(entry.assignment());
  }
  return response;
}

wire::OffsetCommitResponse KindBroker::commit(const wire::OffsetCommitRequest& request) {
  wire::OffsetCommitResponse response;
  for (const auto& topic : request.topics()) {
    auto* out = entry(response.mutable_topics(), topic.name());
    for (const auto& partition : topic.partitions()) {
      committed[{topic.name(), partition.partition_index()}] = partition.committed_offset();
      out->add_partitions()->set_partition_index(partition.partition_index());
    }
  }
  return response;
}

wire::OffsetFetchResponse KindBroker::fetch_offsets(const wire::OffsetFetchRequest& request) const {
  wire::OffsetFetchResponse response;
  auto* group = response.add_groups();
  group->set_group_id(request.groups(0).group_id());
  for (const auto& topic : request.groups(0).topics()) {
    auto* out = entry(group->mutable_topics(), topic.name());
    for (const std::int32_t index : topic.partition_indexes()) {
      auto* partition = out->add_partitions();
      partition->set_partition_index(index);
      const auto found = committed.find({topic.name(), index});
      if (found != committed.end()) partition->set_committed_offset(found->second);
    }
  }
  return response;
}

}  // namespace fencepost
