#include "broker/core/cluster_metadata.h"

#include <spdlog/fmt/fmt.h>

#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/core/coordinator_key.h"
#include "broker/core/record_batches.h"
#include "common/events.h"
#include "proto/offsets.pb.h"

namespace fencepost::broker {
namespace {

constexpr std::string_view kSeveralBrokers =
    "with several brokers the topics are those of app.topics";
constexpr std::string_view kTwice = "duplicate topic name";

// How often each stands there.
std::map<std::string, int> counted(const std::vector<std::string>& names) {
  std::map<std::string, int> times;
  for (const std::string& name : names) ++times[name];
  return times;
}

// In Kafka's words, but for the limit, which Kafka does not have.
std::string why_not_more(std::int32_t now, const wire::CreatePartitionsRequest::Topic& wanted) {
  if (now == 0) return "this server does not host this topic-partition";
  if (wanted.count() == now) return fmt::format("topic already has {} partition(s)", now);
  if (wanted.count() > now) return fmt::format("a cluster has at most {}", kMaxPartitions);
  return fmt::format("the topic {} currently has {} partition(s); {} would not be an increase",
                     wanted.name(), now, wanted.count());
}

}  // namespace

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
    const bool may_now = may_create && !deleted_just_now(name, turn.now);
    ErrorCode error = partitions ? ErrorCode::kNone : partitions.error();
    if (error == ErrorCode::kNone && !may_now) error = ErrorCode::kUnknownTopicOrPartition;
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
    answer.set_error_message(std::string(kSeveralBrokers));
    return ErrorCode::kInvalidRequest;
  }
  if (deleted_just_now(topic.name(), turn.now)) {
    answer.set_error_message("a topic of this name is being deleted");
    return ErrorCode::kTopicAlreadyExists;
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

void ClusterMetadata::append(const std::string& topic, std::int32_t partitions, Turn& turn) {
  wire::TopicRecord value;
  value.set_name(topic);
  value.set_num_partitions(partitions);
  wire::Record record;
  record.set_value(value.SerializeAsString());
  log_.append({std::string(kClusterMetadataTopic), PartitionId(0)},
              make_batch({std::move(record)}, config_.virtual_ms(turn.now)), turn);
}

void ClusterMetadata::create(const TopicSpec& topic, Turn& turn) {
  append(topic.name, topic.partitions, turn);
  turn.report(
      events::make(events::kTopicCreated,
                   {{"topic", topic.name}, {"partitions", std::to_string(topic.partitions)}}));
}

bool ClusterMetadata::deleted_just_now(const std::string& topic, Tick now) const {
  return deleted_at_ == now && deleted_.contains(topic);
}

std::string ClusterMetadata::refusal(const std::string& topic) const {
  if (config_.cluster.size() > 1) return std::string(kSeveralBrokers);
  if (is_internal(topic)) return "an internal topic is as it was made";
  return "";
}

wire::DeleteTopicsResponse ClusterMetadata::delete_topics(const wire::DeleteTopicsRequest& request,
                                                          Turn& turn) {
  wire::DeleteTopicsResponse response;
  const std::vector<std::string> names(request.topic_names().begin(), request.topic_names().end());
  for (const auto& [name, times] : counted(names)) {
    auto* const answer = response.add_responses();
    answer->set_name(name);
    const std::string refused = times > 1 ? std::string(kTwice) : refusal(name);
    if (!refused.empty()) {
      answer->set_error_code(to_wire(ErrorCode::kInvalidRequest));
      answer->set_error_message(refused);
    } else if (!topics_.has(name)) {
      answer->set_error_code(to_wire(ErrorCode::kUnknownTopicOrPartition));
    } else {
      remove(name, turn);
    }
  }
  return response;
}

void ClusterMetadata::remove(const std::string& topic, Turn& turn) {
  for (std::int32_t index = 0; index < topics_.partition_count(topic); ++index) {
    const TopicPartition where{topic, PartitionId(index)};
    const PartitionLog& log = topics_.log(where);
    if (log.start() < log.end()) turn.effects.emplace_back(deletion_before(where, log.end()));
  }
  const std::int32_t partitions = topics_.partition_count(topic);
  append(topic, 0, turn);
  if (deleted_at_ != turn.now) deleted_.clear();
  deleted_at_ = turn.now;
  deleted_.insert(topic);
  turn.report(events::make(events::kTopicDeleted,
                           {{"topic", topic}, {"partitions", std::to_string(partitions)}}));
}

wire::CreatePartitionsResponse ClusterMetadata::create_partitions(
    const wire::CreatePartitionsRequest& request, Turn& turn) {
  wire::CreatePartitionsResponse response;
  std::vector<std::string> names;
  for (const auto& topic : request.topics()) names.push_back(topic.name());
  const std::map<std::string, int> times = counted(names);
  std::set<std::string> answered;
  for (const auto& topic : request.topics()) {
    if (!answered.insert(topic.name()).second) continue;
    auto* const answer = response.add_results();
    answer->set_name(topic.name());
    std::string refused = times.at(topic.name()) > 1 ? std::string(kTwice) : refusal(topic.name());
    ErrorCode error = refused.empty() ? ErrorCode::kNone : ErrorCode::kInvalidRequest;
    const Result<void> more = topics_.check_more(topic.name(), topic.count());
    if (error == ErrorCode::kNone && !more) {
      error = more.error();
      refused = why_not_more(topics_.partition_count(topic.name()), topic);
    }
    answer->set_error_code(to_wire(error));
    if (error != ErrorCode::kNone) {
      answer->set_error_message(refused);
    } else if (!request.validate_only()) {
      add_partitions({topic.name(), topic.count()}, turn);
    }
  }
  return response;
}

void ClusterMetadata::add_partitions(const TopicSpec& topic, Turn& turn) {
  append(topic.name, topic.partitions, turn);
  turn.report(
      events::make(events::kPartitionsAdded,
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
