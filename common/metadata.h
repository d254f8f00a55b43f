// A client's view of the cluster (Metadata API, key 3): brokers, partitions and their leaders. It
// is refreshed in the background: when somebody asks for it, when a wanted topic is missing, and
// when it is older than metadata.max.age.ms; never by itself, so an idle client does not wake.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/client_node.h"

namespace fencepost {

struct MetadataConfig {
  std::string client_id;               // client.id of the requests
  std::vector<std::string> bootstrap;  // process names of bootstrap.servers
  TickSpan max_age{0};                 // metadata.max.age.ms
  TickSpan retry_backoff{1};           // retry.backoff.ms, at least one tick
  TickSpan retry_backoff_max{1};       // retry.backoff.max.ms
  TickSpan request_timeout{1};         // request.timeout.ms
  bool allow_auto_create = false;      // allow.auto.create.topics
};

// The part of the configuration that consumer and producer share, from Kafka's properties.
MetadataConfig metadata_config(const Client& client);

class Metadata {
 public:
  // `changed` belongs to the client core; it is notified after each refresh, successful or not.
  Metadata(Client& client, MetadataConfig config, Signal& changed);

  // Adds topics of interest; one that is new asks for an update.
  void want(const std::vector<std::string>& topics);
  // Every topic of the cluster is of interest, for a subscription by pattern.
  void want_all();
  // The topics that are known, sorted; with or without Kafka's internal ones.
  std::vector<std::string> topics(bool internal) const;
  // Asks for a refresh; one that is on its way counts.
  void request_update() { update_requested_ = update_requested_ || !in_flight_; }
  // Starts a refresh if one is due and none is on its way; a failed one is followed by a pause.
  void maybe_refresh();
  // Waits for the end of the refresh on its way, successful or not; at once if there is none.
  Task<void> refreshed(Tick deadline);

  // Nothing has been learnt yet, or something asked for is still to come.
  bool stale() const;
  // Counts the answers taken; changes whenever anything else here may have changed.
  std::uint64_t version() const { return version_; }
  std::optional<std::int32_t> partition_count(const std::string& topic) const;
  // The process that leads a partition, if that is known.
  std::optional<std::string> leader(const TopicPartition& where) const;
  std::optional<std::string> broker(NodeId node) const;
  // A broker to ask what any broker can answer; another one after each failure.
  const std::string& any_broker() const;
  void broker_failed() { ++next_broker_; }

 private:
  Task<void> refresh();
  void take(const wire::MetadataResponse& response);
  bool expired() const;

  Client& client_;
  MetadataConfig config_;
  Signal& changed_;
  std::set<std::string> wanted_;
  bool all_wanted_ = false;
  std::set<std::string> internal_;
  std::map<std::string, std::vector<NodeId>> leaders_;  // by topic, then index
  std::map<NodeId, std::string> brokers_;
  std::vector<std::string> hosts_;  // of brokers_, or bootstrap
  std::size_t next_broker_ = 0;
  bool update_requested_ = true;
  bool in_flight_ = false;
  int failures_ = 0;
  std::optional<Tick> taken_at_;
  std::uint64_t version_ = 0;
};

}  // namespace fencepost
