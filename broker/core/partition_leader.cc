#include "broker/core/partition_leader.h"

#include <optional>
#include <string>
#include <utility>

#include "broker/core/record_batches.h"
#include "common/events.h"

namespace fencepost::broker {
namespace {

// The special timestamps of ListOffsets.
constexpr std::int64_t kLatest = -1;
constexpr std::int64_t kEarliest = -2;
constexpr std::int64_t kMaxTimestamp = -3;

void look_up(const PartitionLog& log, std::int64_t timestamp,
             wire::ListOffsetsResponse::Partition& answer) {
  if (timestamp == kLatest) {
    answer.set_offset(log.end().value());
    return;
  }
  if (timestamp == kEarliest) {
    answer.set_offset(log.start().value());
    return;
  }
  if (timestamp < kMaxTimestamp) {
    answer.set_error_code(to_wire(ErrorCode::kUnsupportedVersion));
    return;
  }
  const std::optional<TimedOffset> found =
      timestamp == kMaxTimestamp ? log.youngest() : log.first_at_or_after(timestamp);
  if (!found) return;
  answer.set_offset(found->offset.value());
  answer.set_timestamp(found->timestamp);
}

bool acks_legal(std::int32_t acks) { return acks >= -1 && acks <= 1; }

}  // namespace

ErrorCode PartitionLeader::check(const wire::ProduceRequest& request, const std::string& topic,
                                 const wire::ProduceRequest::PartitionData& data) const {
  if (!acks_legal(request.acks())) return ErrorCode::kInvalidRequiredAcks;
  if (is_internal(topic)) return ErrorCode::kInvalidTopicException;
  if (!data.has_index()) return ErrorCode::kUnknownTopicOrPartition;
  const Result<const PartitionLog*> log = topics_.find(topic, data.index());
  if (!log) return log.error();
  const Result<void> legal = check_produced(data.records());
  return legal ? ErrorCode::kNone : legal.error();
}

void PartitionLeader::produce(const wire::ProduceRequest& request, const Caller& caller,
                              Turn& turn) {
  wire::Frame frame;
  auto* const response = frame.mutable_produce_response();
  for (const auto& topic : request.topic_data()) {
    auto* const topic_answer = response->add_responses();
    topic_answer->set_name(topic.name());
    for (const auto& data : topic.partition_data()) {
      auto* const answer = topic_answer->add_partition_responses();
      answer->set_index(data.index());
      const ErrorCode error = check(request, topic.name(), data);
      answer->set_error_code(to_wire(error));
      if (error != ErrorCode::kNone) continue;
      append({topic.name(), PartitionId(data.index())}, data.records(), caller, *answer, turn);
    }
  }
  if (request.acks() != 0) turn.respond(caller.request, std::move(frame));
}

void PartitionLeader::append(const TopicPartition& where, const wire::RecordBatch& batch,
                             const Caller& caller, wire::ProduceResponse::PartitionResponse& answer,
                             Turn& turn) {
  wire::RecordBatch appended = normalized(batch);
  const Offset base = log_.append(where, appended, turn);
  appended.set_base_offset(base.value());
  answer.set_base_offset(base.value());
  const Result<const PartitionLog*> log = topics_.find(where.topic, where.partition.value());
  if (log) answer.set_log_start_offset((*log)->start().value());
  turn.report(
      events::make(events::kLogAppended, {{"topic", where.topic},
                                          {"partition", std::to_string(where.partition.value())},
                                          {"offset", std::to_string(base.value())},
                                          {"count", std::to_string(appended.records_size())},
                                          {"records", record_names(appended)},
                                          {"producer", caller.request.source}}));
}

wire::ListOffsetsResponse PartitionLeader::list_offsets(
    const wire::ListOffsetsRequest& request) const {
  wire::ListOffsetsResponse response;
  for (const auto& topic : request.topics()) {
    auto* const topic_answer = response.add_topics();
    topic_answer->set_name(topic.name());
    for (const auto& wanted : topic.partitions()) {
      auto* const answer = topic_answer->add_partitions();
      answer->set_partition_index(wanted.partition_index());
      const Result<const PartitionLog*> log = topics_.find(topic.name(), wanted.partition_index());
      if (log) {
        look_up(**log, wanted.timestamp(), *answer);
      } else {
        answer->set_error_code(to_wire(log.error()));
      }
    }
  }
  return response;
}

}  // namespace fencepost::broker
