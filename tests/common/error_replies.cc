#include "tests/common/error_replies.h"

namespace fencepost {
namespace {

void refuse_commit(const wire::OffsetCommitRequest& request, std::int32_t code,
                   wire::OffsetCommitResponse* response) {
  for (const auto& topic : request.topics()) {
    auto* out = response->add_topics();
    out->set_name(topic.name());
    for (const auto& partition : topic.partitions()) {
      auto* answer = out->add_partitions();
      answer->set_partition_index(partition.partition_index());
      answer->set_error_code(code);
    }
  }
}

void refuse_produce(const wire::ProduceRequest& request, std::int32_t code,
                    wire::ProduceResponse* response) {
  for (const auto& topic : request.topic_data()) {
    auto* out = response->add_responses();
    out->set_name(topic.name());
    for (const auto& partition : topic.partition_data()) {
      auto* answer = out->add_partition_responses();
      answer->set_index(partition.index());
      answer->set_error_code(code);
    }
  }
}

void refuse_fetch(const wire::FetchRequest& request, std::int32_t code,
                  wire::FetchResponse* response) {
  for (const auto& topic : request.topics()) {
    auto* out = response->add_responses();
    out->set_topic(topic.topic());
    for (const auto& partition : topic.partitions()) {
      auto* answer = out->add_partitions();
      answer->set_partition_index(partition.partition());
      answer->set_error_code(code);
    }
  }
}

}  // namespace

wire::Frame refusal(const wire::Frame& request, ErrorCode error) {
  wire::Frame frame;
  const std::int32_t code = to_wire(error);
  switch (request.payload_case()) {
    case Api::kJoinGroupRequest:
      frame.mutable_join_group_response()->set_error_code(code);
      break;
    case Api::kSyncGroupRequest:
      frame.mutable_sync_group_response()->set_error_code(code);
      break;
    case Api::kHeartbeatRequest:
      frame.mutable_heartbeat_response()->set_error_code(code);
      break;
    case Api::kFindCoordinatorRequest: {
      auto* coordinator = frame.mutable_find_coordinator_response()->add_coordinators();
      coordinator->set_key(request.find_coordinator_request().coordinator_keys(0));
      coordinator->set_error_code(code);
      break;
    }
    case Api::kOffsetFetchRequest: {
      auto* group = frame.mutable_offset_fetch_response()->add_groups();
      group->set_group_id(request.offset_fetch_request().groups(0).group_id());
      group->set_error_code(code);
      break;
    }
    case Api::kOffsetCommitRequest:
      refuse_commit(request.offset_commit_request(), code, frame.mutable_offset_commit_response());
      break;
    case Api::kProduceRequest:
      refuse_produce(request.produce_request(), code, frame.mutable_produce_response());
      break;
    case Api::kFetchRequest:
      refuse_fetch(request.fetch_request(), code, frame.mutable_fetch_response());
      break;
    default:
      break;
  }
  return frame;
}

}  // namespace fencepost
