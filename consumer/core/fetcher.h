// Fetches records (Fetch API, key 1): one request to each leader, with all its partitions that have
// nothing buffered. What comes back for a partition that is no longer owned, or for another offset
// than its position, is dropped.
// Deviation: Kafka fetches ahead while the application works; here a fetch is sent by a poll that
// finds nothing buffered, so a batch and its round trip can be seen.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/client_node.h"
#include "common/metadata.h"
#include "consumer/core/assigned_partitions.h"
#include "consumer/core/consumer_config.h"
#include "consumer/core/positions.h"

namespace fencepost::consumer {

class Fetcher {
 public:
  Fetcher(Client& client, const ConsumerConfig& config, Metadata& metadata,
          AssignedPartitions& assigned, Positions& positions, Signal& changed);

  // Sends to every leader of a fetchable partition that has no fetch in flight.
  void send();

 private:
  // What was asked for: a partition and from where.
  struct Asked {
    PartitionTicket ticket;
    Offset offset;
  };

  Task<void> fetch(std::string leader, std::vector<Asked> asked);
  wire::Frame request_of(const std::vector<Asked>& asked) const;
  void take(const wire::FetchResponse& response, const std::vector<Asked>& asked);
  void take_partition(const TopicPartition& where, PartitionState& state,
                      const wire::FetchResponse::PartitionData& data);

  Client& client_;
  const ConsumerConfig& config_;
  Metadata& metadata_;
  AssignedPartitions& assigned_;
  Positions& positions_;
  Signal& changed_;
  std::set<std::string> in_flight_;  // leaders
};

}  // namespace fencepost::consumer
