#include "producer/core/producer.h"

#include <algorithm>

#include "common/backoff.h"
#include "common/check.h"
#include "common/events.h"
#include "producer/core/partitioner.h"

namespace fencepost::producer {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

std::string number(PartitionId partition) { return std::to_string(partition.value()); }

}  // namespace

Producer::Producer(Client& client, ProducerConfig config)
    : client_(client),
      config_(std::move(config)),
      work_(client.time()),
      done_(client.time()),
      metadata_(client, config_.metadata, work_),
      batches_({.size_bytes_max = config_.batch_size_bytes, .linger = config_.linger}) {
  client_.time().spawn(run_sender());
}

Task<ClientResult<std::int32_t>> Producer::partition_count(std::string topic) {
  const std::vector<std::string> topics(1, topic);
  metadata_.want(topics);
  const Tick deadline = client_.now() + config_.block_max;
  for (;;) {
    const std::optional<std::int32_t> count = metadata_.partition_count(topic);
    if (count && *count > 0) co_return *count;
    if (client_.now() >= deadline) co_return client_error(ErrorCode::kRequestTimedOut);
    metadata_.request_update();
    metadata_.maybe_refresh();
    co_await metadata_.refreshed(deadline);
  }
}

Task<ClientResult<void>> Producer::send(ProducerRecord record) {
  if (!record.partition) {
    const ClientResult<std::int32_t> count = co_await partition_count(record.topic);
    if (!count) co_return count.error();
    const std::string key = record.key.value_or(record.value);
    record.partition = partition_of_key(key, *count);
  }
  const TopicPartition where{record.topic, *record.partition};
  send_to(where, std::move(record.key), std::move(record.value));
  co_return ClientResult<void>();
}

void Producer::send_to(const TopicPartition& where, std::optional<std::string> key,
                       std::string value) {
  client_.report(events::make(
      events::kRecordSent,
      {{"record", value}, {"topic", where.topic}, {"partition", number(where.partition)}}));
  wire::Record record;
  if (key) record.set_key(std::move(*key));
  record.set_value(value);
  batches_.append(where, std::move(record), std::move(value), client_.now(),
                  client_.timestamp_ms());
  incomplete_.insert(batches_.last_id());
  metadata_.want({where.topic});
  work_.notify_all();
}

Task<ClientResult<void>> Producer::flush() {
  batches_.hurry();
  work_.notify_all();
  const BatchId last = batches_.last_id();
  while (!incomplete_.empty() && *incomplete_.begin() <= last) co_await done_.wait();
  const std::optional<ClientError> failure = std::exchange(first_failure_, std::nullopt);
  if (failure) co_return *failure;
  co_return ClientResult<void>();
}

// Kafka's sender thread. It is resumed when the application waits, so what that sends in one go is
// one batch of each partition.
Task<void> Producer::run_sender() {
  for (;;) {
    expire_old();
    while (send_ready()) {
    }
    const std::optional<Tick> next = batches_.next_event(client_.now(), config_.delivery_timeout);
    if (next) {
      co_await work_.wait_until(*next, "linger.ms");
    } else {
      co_await work_.wait();
    }
  }
}

void Producer::expire_old() {
  for (const auto& batch : batches_.take_expired(client_.now(), config_.delivery_timeout)) {
    fail(*batch, ErrorCode::kRequestTimedOut);
  }
}

// Which partitions have a batch that may go now, by the leader that has room for one more request.
// Without a known leader the metadata is asked for, and the batch waits.
std::map<std::string, std::vector<TopicPartition>> Producer::ready_by_leader() {
  std::map<std::string, std::vector<TopicPartition>> ready;
  for (const TopicPartition& where : batches_.waiting()) {
    if (!batches_.ready(where, client_.now())) continue;
    const std::optional<std::string> leader = metadata_.leader(where);
    if (!leader) {
      metadata_.request_update();
    } else if (in_flight_[*leader] < config_.requests_in_flight_max) {
      ready[*leader].push_back(where);
    }
  }
  return ready;
}

// One request to each leader that has something ready, with one batch of each partition. False if
// none.
bool Producer::send_ready() {
  const auto ready = ready_by_leader();
  if (!batches_.waiting().empty()) metadata_.maybe_refresh();
  for (const auto& [leader, partitions] : ready) {
    InRequest batches;
    for (const TopicPartition& where : partitions) batches[where] = batches_.take(where);
    ++in_flight_[leader];
    client_.time().spawn(produce(leader, std::move(batches)));
  }
  return !ready.empty();
}

wire::Frame Producer::request_of(const InRequest& batches) const {
  wire::Frame frame;
  wire::ProduceRequest* request = frame.mutable_produce_request();
  request->set_acks(config_.acks);
  request->set_timeout_ms(static_cast<std::int32_t>(config_.request_timeout_ms));
  for (const auto& [where, batch] : batches) {
    const int topics = request->topic_data_size();
    const bool same = topics > 0 && request->topic_data(topics - 1).name() == where.topic;
    auto* topic = same ? request->mutable_topic_data(topics - 1) : request->add_topic_data();
    if (!same) topic->set_name(where.topic);
    auto* partition = topic->add_partition_data();
    partition->set_index(where.partition.value());
    *partition->mutable_records() = batch->records;  // a copy: it may have to be sent again
  }
  return frame;
}

Task<void> Producer::produce(std::string leader, InRequest batches) {
  wire::Frame request = request_of(batches);
  if (config_.acks == 0) {
    client_.send(leader, std::move(request), &config_.metadata.client_id);
    --in_flight_[leader];
    for (const auto& [where, batch] : batches) succeed(*batch, std::nullopt);
    co_return;
  }
  const Result<Answer> answer = co_await client_.call(
      leader, std::move(request), config_.request_timeout, &config_.metadata.client_id);
  --in_flight_[leader];
  if (answer) {
    settle(std::move(batches), (*answer)->produce_response());
  } else {
    metadata_.request_update();
    for (auto& [where, batch] : batches) fail_or_retry(std::move(batch), answer.error());
  }
  work_.notify_all();
}

void Producer::settle(InRequest batches, const wire::ProduceResponse& response) {
  for (const auto& topic : response.responses()) {
    for (const auto& partition : topic.partition_responses()) {
      const auto found = batches.find({topic.name(), PartitionId(partition.index())});
      if (found == batches.end()) continue;
      std::unique_ptr<Batch> batch = std::move(found->second);
      batches.erase(found);
      const ErrorCode error = error_from_wire(partition.error_code());
      if (error == ErrorCode::kNone) {
        succeed(*batch, Offset(partition.base_offset()));
      } else {
        fail_or_retry(std::move(batch), error);
      }
    }
  }
  // A partition that the answer leaves out is as good as unanswered.
  for (auto& [where, batch] : batches) {
    fail_or_retry(std::move(batch), ErrorCode::kNetworkException);
  }
}

void Producer::succeed(const Batch& batch, std::optional<Offset> base_offset) {
  for (std::size_t i = 0; i < batch.names.size(); ++i) {
    const std::string offset =
        base_offset ? std::to_string(base_offset->value() + static_cast<std::int64_t>(i)) : "";
    client_.report(
        events::make(events::kRecordAcknowledged, {{"record", batch.names[i]},
                                                   {"topic", batch.where.topic},
                                                   {"partition", number(batch.where.partition)},
                                                   {"offset", offset}}));
  }
  finish(batch);
}

// Kafka's Sender.canRetry, and RecordAccumulator.reenqueue: to the head of the queue.
void Producer::fail_or_retry(std::unique_ptr<Batch> batch, ErrorCode error) {
  if (error == ErrorCode::kNotLeaderOrFollower || error == ErrorCode::kUnknownTopicOrPartition) {
    metadata_.request_update();
  }
  const bool in_time = client_.now() < batch->created + config_.delivery_timeout;
  if (!info(error).retriable || batch->attempts >= config_.retries || !in_time) {
    fail(*batch, in_time ? error : ErrorCode::kRequestTimedOut);
    return;
  }
  client_.report(events::make(events::kProduceRetry, {{"topic", batch->where.topic},
                                                      {"partition", number(batch->where.partition)},
                                                      {"records", joined(batch->names)},
                                                      {"reason", std::string(name_of(error))}}));
  const TickSpan pause =
      exponential_backoff(config_.retry_backoff, config_.retry_backoff_max, batch->attempts);
  batches_.put_back(std::move(batch), client_.now() + pause);
}

void Producer::fail(const Batch& batch, ErrorCode error) {
  for (const std::string& name : batch.names) {
    client_.report(
        events::make(events::kRecordFailed, {{"record", name},
                                             {"topic", batch.where.topic},
                                             {"partition", number(batch.where.partition)},
                                             {"error", std::string(name_of(error))}}));
  }
  if (!first_failure_) first_failure_ = client_error(error);
  finish(batch);
}

void Producer::finish(const Batch& batch) {
  incomplete_.erase(batch.id);
  done_.notify_all();
}

}  // namespace fencepost::producer
