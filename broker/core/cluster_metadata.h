// Requests about the cluster: Metadata, CreateTopics, FindCoordinator (api keys 3, 19, 10).
//
// Deviation: a broker of several makes no topics on request, since nobody would tell the others;
// there the topics are those of app.topics. A single broker makes them as Kafka's controller does.
#pragma once

#include <string>

#include "broker/core/broker_config.h"
#include "broker/core/effects.h"
#include "broker/core/topics.h"
#include "proto/cluster.pb.h"

namespace fencepost::broker {

inline constexpr std::string_view kClusterId = "fencepost";

class ClusterMetadata {
 public:
  ClusterMetadata(const BrokerConfig& config, const Topics& topics, RecordSink& log)
      : config_(config), topics_(topics), log_(log) {}

  // Topics that are asked for and absent are created if both sides allow it. Errors per topic:
  // kInvalidTopicException, kUnknownTopicOrPartition, kInvalidPartitions.
  wire::MetadataResponse metadata(const wire::MetadataRequest& request, Turn& turn);

  // Errors per topic: kInvalidTopicException, kTopicAlreadyExists, kInvalidPartitions,
  // kInvalidReplicationFactor, kInvalidRequest (several brokers).
  wire::CreateTopicsResponse create_topics(const wire::CreateTopicsRequest& request, Turn& turn);

  // Any broker answers; the group need not exist. Error per key: kInvalidRequest for a coordinator
  // that is not a group's.
  wire::FindCoordinatorResponse find_coordinator(const wire::FindCoordinatorRequest& request) const;

  // Writes a topic into the log of the cluster, which creates it. The name is legal and new.
  void create(const TopicSpec& topic, Turn& turn);

 private:
  void describe(const std::string& name, bool may_create, wire::MetadataResponse::Topic& answer,
                Turn& turn);
  ErrorCode create_requested(const wire::CreateTopicsRequest::Topic& topic, bool validate_only,
                             wire::CreateTopicsResponse::Topic& answer, Turn& turn);

  const BrokerConfig& config_;
  const Topics& topics_;
  RecordSink& log_;
};

}  // namespace fencepost::broker
