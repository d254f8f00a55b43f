#include "common/metadata.h"

#include <algorithm>

#include "common/backoff.h"

namespace fencepost {

MetadataConfig metadata_config(const Client& client) {
  MetadataConfig config;
  config.client_id = client.client_id();
  for (const std::string& server : client.properties().get_list("bootstrap.servers")) {
    config.bootstrap.push_back(server.substr(0, server.rfind(':')));  // addresses are virtual
  }
  config.max_age = client.ticks("metadata.max.age.ms");
  config.retry_backoff = std::max(client.ticks("retry.backoff.ms"), TickSpan(1));
  config.retry_backoff_max = std::max(client.ticks("retry.backoff.max.ms"), TickSpan(1));
  config.request_timeout = std::max(client.ticks("request.timeout.ms"), TickSpan(1));
  return config;
}

Metadata::Metadata(Client& client, MetadataConfig config, Signal& changed)
    : client_(client), config_(std::move(config)), changed_(changed), hosts_(config_.bootstrap) {
  if (hosts_.empty()) throw ConfigError("bootstrap.servers is empty");
}

void Metadata::want(const std::vector<std::string>& topics) {
  for (const std::string& topic : topics) {
    if (wanted_.insert(topic).second) update_requested_ = true;
  }
}

void Metadata::want_all() {
  if (!std::exchange(all_wanted_, true)) update_requested_ = true;
}

std::vector<std::string> Metadata::topics(bool internal) const {
  std::vector<std::string> names;
  for (const auto& [topic, leaders] : leaders_) {
    if (internal || !internal_.contains(topic)) names.push_back(topic);
  }
  return names;
}

bool Metadata::expired() const {
  return taken_at_ && client_.now() >= *taken_at_ + config_.max_age;
}

bool Metadata::stale() const { return update_requested_ || !taken_at_; }

void Metadata::maybe_refresh() {
  if (in_flight_ || !(stale() || expired())) return;
  in_flight_ = true;
  client_.time().spawn(refresh());
}

Task<void> Metadata::refreshed(Tick deadline) {
  const std::uint64_t before = version_;
  while (in_flight_ && version_ == before && client_.now() < deadline) {
    co_await changed_.wait_until(deadline, "max.block.ms");
  }
}

// One attempt. The pause after a failure belongs to it, so nobody can ask faster than that.
Task<void> Metadata::refresh() {
  update_requested_ = false;
  wire::Frame frame;
  wire::MetadataRequest* request = frame.mutable_metadata_request();
  if (all_wanted_) {
    request->set_all_topics(true);
  } else {
    for (const std::string& topic : wanted_) request->add_topics(topic);
  }
  request->set_allow_auto_topic_creation(config_.allow_auto_create);
  const std::string destination = any_broker();
  const Result<Answer> answer = co_await client_.call(destination, std::move(frame),
                                                      config_.request_timeout, &config_.client_id);
  if (answer) {
    take((*answer)->metadata_response());
    changed_.notify_all();
  } else {
    broker_failed();
    update_requested_ = true;
  }
  if (update_requested_) {
    const TickSpan pause =
        exponential_backoff(config_.retry_backoff, config_.retry_backoff_max, failures_++);
    co_await client_.time().sleep_for(pause, "retry.backoff.ms");
  } else {
    failures_ = 0;
  }
  in_flight_ = false;
  changed_.notify_all();
}

void Metadata::take(const wire::MetadataResponse& response) {
  taken_at_ = client_.now();
  ++version_;
  brokers_.clear();
  hosts_.clear();
  for (const auto& broker : response.brokers()) {
    brokers_[NodeId(broker.node_id())] = broker.host();
    hosts_.push_back(broker.host());
  }
  if (hosts_.empty()) hosts_ = config_.bootstrap;
  leaders_.clear();
  internal_.clear();
  for (const auto& topic : response.topics()) {
    if (topic.error_code() != 0) {
      update_requested_ = true;  // it may be on its way: ask again
      continue;
    }
    if (topic.is_internal()) internal_.insert(topic.name());
    std::vector<NodeId>& leaders = leaders_[topic.name()];
    leaders.resize(static_cast<std::size_t>(topic.partitions_size()), NodeId(-1));
    for (const auto& partition : topic.partitions()) {
      const auto index = static_cast<std::size_t>(partition.partition_index());
      if (index < leaders.size()) leaders[index] = NodeId(partition.leader_id());
    }
  }
}

std::optional<std::int32_t> Metadata::partition_count(const std::string& topic) const {
  const auto found = leaders_.find(topic);
  if (found == leaders_.end()) return std::nullopt;
  return static_cast<std::int32_t>(found->second.size());
}

std::optional<std::string> Metadata::leader(const TopicPartition& where) const {
  const auto found = leaders_.find(where.topic);
  if (found == leaders_.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(where.partition.value());
  if (index >= found->second.size()) return std::nullopt;
  return broker(found->second[index]);
}

std::optional<std::string> Metadata::broker(NodeId node) const {
  const auto found = brokers_.find(node);
  if (found == brokers_.end()) return std::nullopt;
  return found->second;
}

const std::string& Metadata::any_broker() const { return hosts_[next_broker_ % hosts_.size()]; }

}  // namespace fencepost
