// Gives a position to every partition without one (group-protocol 3.7): the committed offset, else
// by auto.offset.reset from the log's ends. In the background; one OffsetFetch at a time, and one
// ListOffsets to each leader.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/client_node.h"
#include "common/metadata.h"
#include "consumer/core/assigned_partitions.h"
#include "consumer/core/consumer_config.h"
#include "consumer/core/coordinator_lookup.h"

namespace fencepost::consumer {

class Positions {
 public:
  Positions(Client& client, const ConsumerConfig& config, Metadata& metadata,
            CoordinatorLookup* coordinator, AssignedPartitions& assigned, Signal& changed);

  // Starts whatever look-up is needed and not on its way.
  void update();
  // A fetch was answered OFFSET_OUT_OF_RANGE.
  void out_of_range(PartitionState& state);
  // NoOffsetForPartitionException, OffsetOutOfRangeException, or what the coordinator refused.
  std::optional<ClientError> take_failure() { return std::exchange(failure_, std::nullopt); }

 private:
  using Tickets = std::vector<PartitionTicket>;

  Task<void> fetch_committed(std::string coordinator, Tickets tickets);
  bool take_committed(const wire::OffsetFetchResponse& response, const Tickets& tickets);
  bool retry_committed(ErrorCode error, const std::string& coordinator);
  void no_committed_offset(PartitionState& state);
  void reset_waiting();
  Task<void> look_up_ends(std::string leader, Tickets tickets);
  bool take_ends(const wire::ListOffsetsResponse& response, const Tickets& tickets);
  wire::Frame ends_request(const Tickets& tickets) const;

  Client& client_;
  const ConsumerConfig& config_;
  Metadata& metadata_;
  CoordinatorLookup* coordinator_;  // none without a group
  AssignedPartitions& assigned_;
  Signal& changed_;
  bool fetching_committed_ = false;
  std::string asked_;  // the coordinator of that request
  std::set<std::string> leaders_asked_;
  std::optional<ClientError> failure_;
};

}  // namespace fencepost::consumer
