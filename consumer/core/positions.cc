#include "consumer/core/positions.h"

#include <algorithm>
#include <map>

#include "common/events.h"

namespace fencepost::consumer {
namespace {

constexpr std::int64_t kLatestTimestamp = -1;
constexpr std::int64_t kEarliestTimestamp = -2;

const PartitionTicket* ticket_of(const std::vector<PartitionTicket>& tickets,
                                 const TopicPartition& where) {
  const auto found =
      std::find_if(tickets.begin(), tickets.end(),
                   [&](const PartitionTicket& ticket) { return ticket.where == where; });
  return found == tickets.end() ? nullptr : &*found;
}

}  // namespace

Positions::Positions(Client& client, const ConsumerConfig& config, Metadata& metadata,
                     CoordinatorLookup* coordinator, AssignedPartitions& assigned, Signal& changed)
    : client_(client),
      config_(config),
      metadata_(metadata),
      coordinator_(coordinator),
      assigned_(assigned),
      changed_(changed) {}

void Positions::update() {
  Tickets tickets = assigned_.without_position();
  if (!tickets.empty() && !coordinator_) {
    for (const PartitionTicket& ticket : tickets) {
      no_committed_offset(*assigned_.find(ticket));
    }
  } else if (!tickets.empty() && !fetching_committed_ && coordinator_->ensure()) {
    fetching_committed_ = true;
    asked_ = *coordinator_->host();
    client_.time().spawn(fetch_committed(asked_, std::move(tickets)));
  }
  reset_waiting();
}

Task<void> Positions::fetch_committed(std::string coordinator, Tickets tickets) {
  wire::Frame frame;
  wire::OffsetFetchRequest* request = frame.mutable_offset_fetch_request();
  request->set_require_stable(true);
  auto* group = request->add_groups();
  group->set_group_id(config_.group->value());
  for (const PartitionTicket& ticket : tickets) {
    topic_entry(group->mutable_topics(), ticket.where.topic)
        ->add_partition_indexes(ticket.where.partition.value());
  }
  const Result<Answer> answer =
      co_await client_.call(coordinator, std::move(frame), config_.request_timeout);
  const bool again = answer ? take_committed((*answer)->offset_fetch_response(), tickets)
                            : retry_committed(answer.error(), coordinator);
  if (again) {
    co_await client_.time().sleep_for(config_.retry_backoff, "retry.backoff.ms");
  }
  fetching_committed_ = false;
  changed_.notify_all();
}

// True when the request is to be sent again. One unstable partition holds up the others, as in
// Kafka.
bool Positions::take_committed(const wire::OffsetFetchResponse& response, const Tickets& tickets) {
  if (response.groups_size() == 0) return true;
  const wire::OffsetFetchResponse::Group& group = response.groups(0);
  const ErrorCode group_error = error_from_wire(group.error_code());
  if (group_error != ErrorCode::kNone) return retry_committed(group_error, asked_);
  for (const auto& topic : group.topics()) {
    for (const auto& partition : topic.partitions()) {
      const ErrorCode error = error_from_wire(partition.error_code());
      if (error != ErrorCode::kNone) return retry_committed(error, asked_);
    }
  }
  for (const auto& topic : group.topics()) {
    for (const auto& partition : topic.partitions()) {
      const TopicPartition where{topic.name(), PartitionId(partition.partition_index())};
      const PartitionTicket* ticket = ticket_of(tickets, where);
      PartitionState* state = ticket ? assigned_.find(*ticket) : nullptr;
      if (!state || state->position || state->reset) continue;  // revoked, or sought, meanwhile
      if (partition.committed_offset() >= 0) {
        state->position = Offset(partition.committed_offset());
      } else {
        no_committed_offset(*state);
      }
    }
  }
  return false;
}

// Group-protocol 3.5, column OffsetFetch.
bool Positions::retry_committed(ErrorCode error, const std::string& coordinator) {
  switch (error) {
    case ErrorCode::kCoordinatorNotAvailable:
    case ErrorCode::kNotCoordinator:
    case ErrorCode::kNetworkException:
      coordinator_->mark_unknown(coordinator);
      return true;
    case ErrorCode::kCoordinatorLoadInProgress:
    case ErrorCode::kRequestTimedOut:
    case ErrorCode::kUnstableOffsetCommit:
      return true;
    case ErrorCode::kUnknownTopicOrPartition:
      failure_ = ClientError{error, "KafkaException"};
      return true;
    default:
      failure_ = client_error(error);
      return true;
  }
}

void Positions::no_committed_offset(PartitionState& state) {
  if (config_.reset_policy == ResetPolicy::kNone) {
    failure_ = ClientError{ErrorCode::kNone, "NoOffsetForPartitionException"};
    return;
  }
  const bool earliest = config_.reset_policy == ResetPolicy::kEarliest;
  assigned_.request_reset(state, earliest ? LogEnd::kEarliest : LogEnd::kLatest);
}

void Positions::out_of_range(PartitionState& state) {
  if (config_.reset_policy == ResetPolicy::kNone) {
    failure_ = client_error(ErrorCode::kOffsetOutOfRange);
    return;
  }
  no_committed_offset(state);
}

void Positions::reset_waiting() {
  std::map<std::string, Tickets> by_leader;
  for (const PartitionTicket& ticket : assigned_.waiting_for_reset()) {
    const std::optional<std::string> leader = metadata_.leader(ticket.where);
    if (!leader) {
      metadata_.request_update();
      metadata_.maybe_refresh();
    } else if (!leaders_asked_.contains(*leader)) {
      by_leader[*leader].push_back(ticket);
    }
  }
  for (auto& [leader, tickets] : by_leader) {
    leaders_asked_.insert(leader);
    client_.time().spawn(look_up_ends(leader, std::move(tickets)));
  }
}

wire::Frame Positions::ends_request(const Tickets& tickets) const {
  wire::Frame frame;
  wire::ListOffsetsRequest* request = frame.mutable_list_offsets_request();
  request->set_isolation_level(config_.isolation_level);
  for (const PartitionTicket& ticket : tickets) {
    const PartitionState* state = assigned_.find(ticket);
    const bool earliest = state->reset == LogEnd::kEarliest;
    auto* partition = topic_entry(request->mutable_topics(), ticket.where.topic)->add_partitions();
    partition->set_partition_index(ticket.where.partition.value());
    partition->set_timestamp(earliest ? kEarliestTimestamp : kLatestTimestamp);
  }
  return frame;
}

Task<void> Positions::look_up_ends(std::string leader, Tickets tickets) {
  wire::Frame request = ends_request(tickets);
  const Result<Answer> answer =
      co_await client_.call(leader, std::move(request), config_.request_timeout);
  const bool complete = answer && take_ends((*answer)->list_offsets_response(), tickets);
  if (!complete) {
    metadata_.request_update();
    co_await client_.time().sleep_for(config_.retry_backoff, "retry.backoff.ms");
  }
  leaders_asked_.erase(leader);
  changed_.notify_all();
}

bool Positions::take_ends(const wire::ListOffsetsResponse& response, const Tickets& tickets) {
  bool complete = true;
  for (const auto& topic : response.topics()) {
    for (const auto& partition : topic.partitions()) {
      const TopicPartition where{topic.name(), PartitionId(partition.partition_index())};
      const PartitionTicket* ticket = ticket_of(tickets, where);
      PartitionState* state = ticket ? assigned_.find(*ticket) : nullptr;
      if (!state || !state->reset) continue;
      if (partition.error_code() != 0) {
        complete = false;
        continue;
      }
      const std::string_view policy = state->reset == LogEnd::kEarliest ? "earliest" : "latest";
      state->reset.reset();
      state->position = Offset(partition.offset());
      client_.report(events::make(events::kPositionReset,
                                  {{"topic", where.topic},
                                   {"partition", std::to_string(where.partition.value())},
                                   {"offset", std::to_string(partition.offset())},
                                   {"policy", std::string(policy)}}));
    }
  }
  return complete;
}

}  // namespace fencepost::consumer
