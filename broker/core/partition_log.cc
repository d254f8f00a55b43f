#include "broker/core/partition_log.h"

#include <algorithm>
#include <utility>

#include "common/check.h"

namespace fencepost::broker {
namespace {

wire::RecordBatch parsed(const StoredBatch& stored) {
  wire::RecordBatch batch;
  CHECK(batch.ParseFromString(stored.bytes), "batch at {}", stored.base.value());
  return batch;
}

// The first record of a batch that is at least as young as `timestamp`; the batch has one.
TimedOffset first_in(const StoredBatch& stored, std::int64_t timestamp) {
  const wire::RecordBatch batch = parsed(stored);
  const auto time_of = [&batch](const wire::Record& record) {
    return batch.base_timestamp() + record.timestamp_delta();
  };
  const auto found = std::ranges::find_if(
      batch.records(), [&](const wire::Record& record) { return time_of(record) >= timestamp; });
  CHECK(found != batch.records().end(), "max_timestamp of batch {}", stored.base.value());
  return {stored.base + found->offset_delta(), time_of(*found)};
}

}  // namespace

void PartitionLog::append(const wire::RecordBatch& batch, std::string bytes) {
  const Offset base(batch.base_offset());
  CHECK(base >= end(), "batch at {}, log ends at {}", base.value(), end().value());
  CHECK(batch.last_offset_delta() >= 0);
  bytes_ += static_cast<std::int64_t>(bytes.size());
  batches_.push_back(
      {base, base + batch.last_offset_delta(), batch.max_timestamp(), std::move(bytes)});
  end_ = batches_.back().last + 1;
}

void PartitionLog::delete_before(Offset start) {
  CHECK(start >= start_, "log starts at {}", start_.value());
  while (!batches_.empty() && batches_.front().base < start) {
    CHECK(batches_.front().last < start, "batch at {}", batches_.front().base.value());
    bytes_ -= static_cast<std::int64_t>(batches_.front().bytes.size());
    batches_.pop_front();
  }
  start_ = start;
  end_ = std::max(end_, start);  // in a replay: all that stood before is gone from storage
}

void PartitionLog::drop(Offset base) {
  const auto found = std::ranges::lower_bound(batches_, base, {}, &StoredBatch::base);
  CHECK(found != batches_.end() && found->base == base && found->last + 1 < end_, "batch at {}",
        base.value());
  bytes_ -= static_cast<std::int64_t>(found->bytes.size());
  batches_.erase(found);
}

Offset PartitionLog::start_within(const Limits& limits) const {
  std::int64_t left = bytes_;
  for (const StoredBatch& batch : batches_) {
    left -= static_cast<std::int64_t>(batch.bytes.size());
    const bool old = limits.oldest_ms && batch.max_timestamp < *limits.oldest_ms;
    const bool beyond = limits.bytes_min && left >= *limits.bytes_min;
    if (!old && !beyond) return batch.base;
  }
  return batches_.empty() ? start_ : end_;
}

std::optional<std::int64_t> PartitionLog::oldest_batch_timestamp() const {
  if (batches_.empty()) return std::nullopt;
  return batches_.front().max_timestamp;
}

PartitionLog::Batches PartitionLog::read(Offset from, std::int64_t max_bytes,
                                         Minimum minimum) const {
  CHECK(from >= start() && from <= end(), "offset {}", from.value());
  const auto first = std::ranges::lower_bound(batches_, from, {}, &StoredBatch::last);
  auto last = first;
  std::int64_t bytes = 0;
  for (; last != batches_.end(); ++last) {
    bytes += static_cast<std::int64_t>(last->bytes.size());
    const bool forced = minimum == Minimum::kOneBatch && last == first;
    if (bytes > max_bytes && !forced) break;
  }
  return {first, last};
}

std::optional<TimedOffset> PartitionLog::first_at_or_after(std::int64_t timestamp) const {
  for (const StoredBatch& stored : batches_) {
    if (stored.max_timestamp >= timestamp) return first_in(stored, timestamp);
  }
  return std::nullopt;
}

std::optional<TimedOffset> PartitionLog::youngest() const {
  if (batches_.empty()) return std::nullopt;
  const auto found = std::ranges::max_element(batches_, {}, &StoredBatch::max_timestamp);
  return first_in(*found, found->max_timestamp);
}

}  // namespace fencepost::broker
