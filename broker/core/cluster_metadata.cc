#include "broker/core/cluster_metadata.h"

#include <spdlog/fmt/fmt.h>

#include <set>
#include <utility>

#include "broker/core/coordinator_key.h"
#include "broker/core/record_batches.h"
#include "common/events.h"
#include "proto/offsets.pb.h"

namespace fencepost::broker {

wire::MetadataResponse ClusterMetadata::metadata(const wire::MetadataRequest& request, Turn& turn) {
  wire::MetadataResponse response;
  for (std::size_t index = 0; index < config_.cluster.size(); ++index) {
    auto* const broker = response.add_brokers();
    broker->set_node_id(node_id_of(index));
    broker->set_host(config_.cluster[index]);
    broker->set_port(kVirtualPort);
  }
  response.set_cluster_id(std::string(kClusterId));
  response.set_controller_id(node_id_of(0));
  if (request.all_topics()) {
    for (const std::string& name : topics_.names()) {
      describe(name, false, *response.add_topics(), turn);
    }
    return response;
  }
  const bool may_create = request.allow_auto_topic_creation() && config_.auto_create_topics &&
                          config_.cluster.size() == 1;
  std::set<std::string> described;  // a name that is repeated is answered once, as in Kafka
  for (const std::string& name : request.topics()) {
    if (!described.insert(name).second) continue;
    describe(name, may_create, *response.add_topics(), turn);
  }
  return response;
}

void ClusterMetadata::describe(const std::string& name, bool may_create,
                               wire::MetadataResponse::Topic& answer, Turn& turn) {
  answer.set_name(name);
  answer.set_is_internal(is_internal(name));
  if (!topics_.has(name)) {
    const Result<std::int32_t> partitions = topics_.check_new(name, -1);
    ErrorCode error = partitions ? ErrorCode::kNone : partitions.error();
    if (error == ErrorCode::kNone && !may_create) error = ErrorCode::kUnknownTopicOrPartition;
    if (error != ErrorCode::kNone) {
      answer.set_error_code(to_wire(error));
      return;
    }
    create({name, *partitions}, turn);
  }
  for (std::int32_t index = 0; index < topics_.partition_count(name); ++index) {
    auto* const partition = answer.add_partitions();
    partition->set_partition_index(index);
    partition->set_leader_id(node_id_of(config_.leader_index(PartitionId(index))));
  }
}

wire::CreateTopicsResponse ClusterMetadata::create_topics(const wire::CreateTopicsRequest& request,
                                                          Turn& turn) {
  wire::CreateTopicsResponse response;
  for (const auto& topic : request.topics()) {
    auto* const answer = response.add_topics();
    answer->set_name(topic.name());
    const ErrorCode error = create_requested(topic, request.validate_only(), *answer, turn);
    answer->set_error_code(to_wire(error));
  }
  return response;
}

ErrorCode ClusterMetadata::create_requested(const wire::CreateTopicsRequest::Topic& topic,
                                            bool validate_only,
                                            wire::CreateTopicsResponse::Topic& answer, Turn& turn) {
  if (config_.cluster.size() > 1) {
    answer.set_error_message("with several brokers the topics are those of app.topics");
    return ErrorCode::kInvalidRequest;
  }
  const Result<std::int32_t> partitions = topics_.check_new(topic.name(), topic.num_partitions());
  if (!partitions) {
    if (partitions.error() == ErrorCode::kInvalidPartitions) {
      answer.set_error_message(
          fmt::format("a topic has at least 1 partition, a cluster at most {}", kMaxPartitions));
    }
    return partitions.error();
  }
  if (topic.replication_factor() != 1 && topic.replication_factor() != -1) {
    answer.set_error_message("there is one replica of each partition");
    return ErrorCode::kInvalidReplicationFactor;
  }
  answer.set_num_partitions(*partitions);
  if (!validate_only) create({topic.name(), *partitions}, turn);
  return ErrorCode::kNone;
}

void ClusterMetadata::create(const TopicSpec& topic, Turn& turn) {
  wire::TopicRecord value;
  value.set_name(topic.name);
  value.set_num_partitions(topic.partitions);
  wire::Record record;
  record.set_value(value.SerializeAsString());
  log_.append({std::string(kClusterMetadataTopic), PartitionId(0)},
              make_batch({std::move(record)}, config_.virtual_ms(turn.now)), turn);
  turn.report(
      events::make(events::kTopicCreated,
                   {{"topic", topic.name}, {"partitions", std::to_string(topic.partitions)}}));
}

wire::FindCoordinatorResponse ClusterMetadata::find_coordinator(
    const wire::FindCoordinatorRequest& request) const {
  wire::FindCoordinatorResponse response;
  for (const std::string& key : request.coordinator_keys()) {
    auto* const answer = response.add_coordinators();
    answer->set_key(key);
    if (request.key_type() != 0) {
      answer->set_error_code(to_wire(ErrorCode::kInvalidRequest));
      answer->set_error_message("only groups have a coordinator");
      continue;
    }
    const std::size_t index = config_.leader_index(offsets_partition_of(key, config_).partition);
    answer->set_node_id(node_id_of(index));
    answer->set_host(config_.cluster[index]);
    answer->set_port(kVirtualPort);
  }
  return response;
}

}  // namespace fencepost::broker
