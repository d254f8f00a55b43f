// Requests about the cluster: Metadata, CreateTopics, DeleteTopics, CreatePartitions,
// FindCoordinator (api keys 3, 19, 20, 37, 10). What there is stands in __cluster_metadata: a
// record with a topic and how many partitions it has from now on, 0 for none any more.
//
// Deviation: a broker of several changes no topics on request, since nobody would tell the others;
// there the topics are those of app.topics. A single broker does it as Kafka's controller does.
#pragma once

#include <set>
#include <string>

#include "broker/core/broker_config.h"
#include "broker/core/effects.h"
#include "broker/core/topics.h"
#include "proto/cluster.pb.h"

namespace fencepost::broker {

inline constexpr std::string_view kClusterId = "fencepost";

class ClusterMetadata {
 public:
  ClusterMetadata(const BrokerConfig& config, Topics& topics, RecordSink& log)
      : config_(config), topics_(topics), log_(log) {}

  // Topics that are asked for and absent are created if both sides allow it. Errors per topic:
  // kInvalidTopicException, kUnknownTopicOrPartition, kInvalidPartitions.
  wire::MetadataResponse metadata(const wire::MetadataRequest& request, Turn& turn);

  // Errors per topic: kInvalidTopicException, kTopicAlreadyExists, kInvalidPartitions,
  // kInvalidReplicationFactor, kInvalidRequest (several brokers).
  wire::CreateTopicsResponse create_topics(const wire::CreateTopicsRequest& request, Turn& turn);

  // A topic's records are gone with it; what groups have committed for it is the caller's to
  // remove. Each name is answered once. Errors per topic: kUnknownTopicOrPartition;
  // kInvalidRequest, it stands there twice, is internal, or there are several brokers.
  wire::DeleteTopicsResponse delete_topics(const wire::DeleteTopicsRequest& request, Turn& turn);

  // The new partitions are there at once, empty; clients see them when they ask for metadata.
  // Errors per topic: kUnknownTopicOrPartition; kInvalidPartitions, it would not be an increase;
  // kInvalidRequest as above.
  wire::CreatePartitionsResponse create_partitions(const wire::CreatePartitionsRequest& request,
                                                   Turn& turn);

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
  // Why a change of an existing topic is refused, in words; "" if it is not.
  std::string refusal(const std::string& topic) const;
  void remove(const std::string& topic, Turn& turn);
  void add_partitions(const TopicSpec& topic, Turn& turn);
  void append(const std::string& topic, std::int32_t partitions, Turn& turn);
  bool deleted_just_now(const std::string& topic, Tick now) const;

  const BrokerConfig& config_;
  Topics& topics_;
  RecordSink& log_;
  // Deviation: a name is free again one tick after the topic's deletion, for until then storage
  // cannot tell the records of the two.
  std::set<std::string> deleted_;
  Tick deleted_at_;
};

}  // namespace fencepost::broker
