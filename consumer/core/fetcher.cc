#include "consumer/core/fetcher.h"

#include <algorithm>
#include <map>

namespace fencepost::consumer {
namespace {

// The records of a batch from an offset on. A control batch has none for the application.
void append_records(const TopicPartition& where, const wire::RecordBatch& batch, Offset from,
                    std::deque<ConsumerRecord>& out) {
  if (batch.is_control()) return;
  for (const wire::Record& record : batch.records()) {
    const Offset offset(batch.base_offset() + record.offset_delta());
    if (offset < from) continue;  // a batch is fetched whole, from its first record on
    ConsumerRecord& added = out.emplace_back();
    added.where = where;
    added.offset = offset;
    if (record.has_key()) added.key = record.key();
    added.value = record.value();
    added.timestamp_ms = batch.base_timestamp() + record.timestamp_delta();
  }
}

}  // namespace

Fetcher::Fetcher(Client& client, const ConsumerConfig& config, Metadata& metadata,
                 AssignedPartitions& assigned, Positions& positions, Signal& changed)
    : client_(client),
      config_(config),
      metadata_(metadata),
      assigned_(assigned),
      positions_(positions),
      changed_(changed) {}

void Fetcher::send() {
  std::map<std::string, std::vector<Asked>> by_leader;
  for (const PartitionTicket& ticket : assigned_.fetchable()) {
    const std::optional<std::string> leader = metadata_.leader(ticket.where);
    if (!leader) {
      metadata_.request_update();
      metadata_.maybe_refresh();
    } else if (!in_flight_.contains(*leader)) {
      by_leader[*leader].push_back({ticket, *assigned_.find(ticket)->position});
    }
  }
  for (auto& [leader, asked] : by_leader) {
    in_flight_.insert(leader);
    client_.time().spawn(fetch(leader, std::move(asked)));
  }
}

wire::Frame Fetcher::request_of(const std::vector<Asked>& asked) const {
  wire::Frame frame;
  wire::FetchRequest* request = frame.mutable_fetch_request();
  request->set_max_wait_ms(config_.fetch_wait_ms_max);
  request->set_min_bytes(config_.fetch_bytes_min);
  request->set_max_bytes(config_.fetch_bytes_max);
  request->set_isolation_level(config_.isolation_level);
  wire::FetchRequest::Topic* topic = nullptr;
  for (const Asked& item : asked) {
    const TopicPartition& where = item.ticket.where;
    if (!topic || topic->topic() != where.topic) {
      topic = request->add_topics();
      topic->set_topic(where.topic);
    }
    auto* partition = topic->add_partitions();
    partition->set_partition(where.partition.value());
    partition->set_fetch_offset(item.offset.value());
    partition->set_partition_max_bytes(config_.partition_bytes_max);
  }
  return frame;
}

Task<void> Fetcher::fetch(std::string leader, std::vector<Asked> asked) {
  wire::Frame request = request_of(asked);
  const Result<Answer> answer =
      co_await client_.call(leader, std::move(request), config_.request_timeout);
  if (answer) {
    take((*answer)->fetch_response(), asked);
  } else {
    metadata_.request_update();
    co_await client_.time().sleep_for(config_.retry_backoff, "retry.backoff.ms");
  }
  in_flight_.erase(leader);
  changed_.notify_all();
}

void Fetcher::take(const wire::FetchResponse& response, const std::vector<Asked>& asked) {
  for (const auto& topic : response.responses()) {
    for (const auto& data : topic.partitions()) {
      const TopicPartition where{topic.topic(), PartitionId(data.partition_index())};
      const auto item = std::find_if(asked.begin(), asked.end(), [&where](const Asked& candidate) {
        return candidate.ticket.where == where;
      });
      if (item == asked.end()) continue;
      PartitionState* state = assigned_.find(item->ticket);
      if (!state || state->position != item->offset) continue;
      take_partition(where, *state, data);
    }
  }
}

void Fetcher::take_partition(const TopicPartition& where, PartitionState& state,
                             const wire::FetchResponse::PartitionData& data) {
  const ErrorCode error = error_from_wire(data.error_code());
  if (error == ErrorCode::kOffsetOutOfRange) {
    positions_.out_of_range(state);
    return;
  }
  if (error != ErrorCode::kNone) {
    metadata_.request_update();  // another leader, or none: the next poll asks who
    return;
  }
  std::deque<ConsumerRecord> records;
  Offset end = *state.position;
  for (const wire::RecordBatch& batch : data.records()) {
    append_records(where, batch, *state.position, records);
    end = std::max(end, Offset(batch.base_offset() + batch.last_offset_delta() + 1));
  }
  assigned_.buffer(state, std::move(records), end);
}

}  // namespace fencepost::consumer
