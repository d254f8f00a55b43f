#include "broker/core/fetch_waiters.h"

#include <algorithm>
#include <utility>

#include "common/check.h"

namespace fencepost::broker {
namespace {

TimerKey timer_of(std::uint64_t waiter) {
  return {.kind = TimerKind::kFetch, .group = {}, .member = {}, .fetch = waiter};
}

wire::Frame framed(wire::FetchResponse response) {
  wire::Frame frame;
  *frame.mutable_fetch_response() = std::move(response);
  return frame;
}

// Reads one partition into `data` and returns the bytes read. `left` is what max_bytes leaves.
std::int64_t read_log(const wire::FetchRequest::Partition& wanted, const PartitionLog& log,
                      std::int64_t left, PartitionLog::Minimum minimum,
                      wire::FetchResponse::PartitionData& data) {
  const std::int64_t limit = std::min<std::int64_t>(left, wanted.partition_max_bytes());
  std::int64_t bytes = 0;
  for (const StoredBatch& stored : log.read(Offset(wanted.fetch_offset()), limit, minimum)) {
    CHECK(data.add_records()->ParseFromString(stored.bytes));
    bytes += static_cast<std::int64_t>(stored.bytes.size());
  }
  return bytes;
}

void read_partition(const std::string& topic, const wire::FetchRequest::Partition& wanted,
                    std::int64_t max_bytes, const Topics& topics,
                    wire::FetchResponse::PartitionData& data, FetchOutcome& outcome) {
  data.set_partition_index(wanted.partition());
  const Result<const PartitionLog*> found = topics.find(topic, wanted.partition());
  if (!found) {
    data.set_error_code(to_wire(found.error()));
    outcome.failed = true;
    return;
  }
  const PartitionLog& log = **found;
  const Offset from(wanted.fetch_offset());
  if (!wanted.has_fetch_offset() || from < log.start() || from > log.end()) {
    data.set_error_code(to_wire(ErrorCode::kOffsetOutOfRange));
    outcome.failed = true;
    return;
  }
  data.set_high_watermark(log.end().value());
  data.set_last_stable_offset(log.end().value());
  data.set_log_start_offset(log.start().value());
  const auto minimum =
      outcome.bytes == 0 ? PartitionLog::Minimum::kOneBatch : PartitionLog::Minimum::kNone;
  outcome.bytes += read_log(wanted, log, max_bytes - outcome.bytes, minimum, data);
}

}  // namespace

FetchOutcome read_partitions(const wire::FetchRequest& request, const Topics& topics) {
  FetchOutcome outcome;
  const std::int64_t max_bytes = std::min<std::int64_t>(request.max_bytes(), kMaxFetchBytes);
  for (const auto& topic : request.topics()) {
    auto* const answer = outcome.response.add_responses();
    answer->set_topic(topic.topic());
    for (const auto& wanted : topic.partitions()) {
      read_partition(topic.topic(), wanted, max_bytes, topics, *answer->add_partitions(), outcome);
    }
  }
  return outcome;
}

void FetchWaiters::fetch(const wire::FetchRequest& request, const Caller& caller, Turn& turn) {
  FetchOutcome outcome = read_partitions(request, topics_);
  const bool any = std::ranges::any_of(
      request.topics(), [](const auto& topic) { return topic.partitions_size() > 0; });
  if (!any || outcome.failed || outcome.bytes >= request.min_bytes() ||
      request.max_wait_ms() <= 0 || waiters_.size() >= kMaxParkedFetches) {
    turn.respond(caller.request, framed(std::move(outcome.response)));
    return;
  }
  park(request, caller, turn);
}

void FetchWaiters::park(const wire::FetchRequest& request, const Caller& caller, Turn& turn) {
  const std::uint64_t waiter = next_waiter_++;
  for (const auto& topic : request.topics()) {
    for (const auto& wanted : topic.partitions()) {
      watched_[{topic.topic(), PartitionId(wanted.partition())}].insert(waiter);
    }
  }
  waiters_.emplace(waiter, Waiter{caller.request, request});
  deadlines_.arm(timer_of(waiter), config_.ticks(request.max_wait_ms()), "fetch.max.wait.ms", turn);
}

void FetchWaiters::appended(const std::set<TopicPartition>& grown, Turn& turn) {
  std::set<std::uint64_t> candidates;
  for (const TopicPartition& where : grown) {
    const auto found = watched_.find(where);
    if (found != watched_.end()) candidates.insert(found->second.begin(), found->second.end());
  }
  for (const std::uint64_t waiter : candidates) {
    const Waiter& parked = waiters_.at(waiter);
    FetchOutcome outcome = read_partitions(parked.fetch, topics_);
    if (outcome.bytes < parked.fetch.min_bytes() && !outcome.failed) continue;
    turn.respond(parked.request, framed(std::move(outcome.response)));
    release(waiter);
  }
}

void FetchWaiters::expired(std::uint64_t waiter, Turn& turn) {
  const Waiter& parked = waiters_.at(waiter);
  turn.respond(parked.request, framed(read_partitions(parked.fetch, topics_).response));
  release(waiter);
}

void FetchWaiters::release(std::uint64_t waiter) {
  for (const auto& topic : waiters_.at(waiter).fetch.topics()) {
    for (const auto& wanted : topic.partitions()) {
      const auto found = watched_.find({topic.topic(), PartitionId(wanted.partition())});
      if (found == watched_.end()) continue;  // the partition stood twice in the request
      found->second.erase(waiter);
      if (found->second.empty()) watched_.erase(found);
    }
  }
  deadlines_.cancel(timer_of(waiter));
  waiters_.erase(waiter);
}

}  // namespace fencepost::broker
