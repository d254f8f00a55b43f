// Kafka's plain producer: send() is asynchronous, a background sender makes requests of what is
// ready, and a batch whose answer is lost is sent again, which may double its records. Retries keep
// the order within a partition as far as Kafka's do: with several requests in flight they may not.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/client_node.h"
#include "common/metadata.h"
#include "producer/core/batches.h"
#include "producer/core/producer_config.h"

namespace fencepost::producer {

struct ProducerRecord {
  std::string topic;
  std::optional<PartitionId> partition;  // absent: chosen by the key
  std::optional<std::string> key;
  std::string value;  // also the record's name in events
};

class Producer {
 public:
  // Outlived by `client`.
  Producer(Client& client, ProducerConfig config);

  // Hands a record over; it is sent in the background. Waits for metadata only, up to max.block.ms,
  // and only where the partition is to be chosen. Error: kRequestTimedOut (TimeoutException).
  Task<ClientResult<void>> send(ProducerRecord record);
  // The same without any wait; the partition is given.
  void send_to(const TopicPartition& where, std::optional<std::string> key, std::string value);

  // Sends everything at once and waits until each record sent before is acknowledged or has failed.
  // The error is that of the first record that failed since the last flush: what a Kafka program
  // would learn from its callbacks.
  Task<ClientResult<void>> flush();

  Metadata& metadata() { return metadata_; }
  // Partition count of a topic, waiting for metadata up to max.block.ms.
  Task<ClientResult<std::int32_t>> partition_count(std::string topic);

 private:
  // The batches of one request, by partition.
  using InRequest = std::map<TopicPartition, std::unique_ptr<Batch>>;

  Task<void> run_sender();
  void expire_old();
  bool send_ready();
  std::map<std::string, std::vector<TopicPartition>> ready_by_leader();
  Task<void> produce(std::string leader, InRequest batches);
  wire::Frame request_of(const InRequest& batches) const;
  void settle(InRequest batches, const wire::ProduceResponse& response);
  void succeed(const Batch& batch, std::optional<Offset> base_offset);
  void fail_or_retry(std::unique_ptr<Batch> batch, ErrorCode error);
  void fail(const Batch& batch, ErrorCode error);
  void finish(const Batch& batch);

  Client& client_;
  ProducerConfig config_;
  Signal work_;  // for the sender
  Signal done_;  // for flush()
  Metadata metadata_;
  Batches batches_;
  std::set<BatchId> incomplete_;
  std::map<std::string, std::int64_t> in_flight_;  // requests by leader
  std::optional<ClientError> first_failure_;
};

}  // namespace fencepost::producer
