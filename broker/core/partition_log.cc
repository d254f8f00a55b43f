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

Offset PartitionLog::end() const { return batches_.empty() ? start() : batches_.back().last + 1; }

void PartitionLog::append(const wire::RecordBatch& batch, std::string bytes) {
  const Offset base(batch.base_offset());
  CHECK(base == end(), "batch at {}, log ends at {}", base.value(), end().value());
  CHECK(batch.last_offset_delta() >= 0);
  batches_.push_back(
      {base, base + batch.last_offset_delta(), batch.max_timestamp(), std::move(bytes)});
}

std::span<const StoredBatch> PartitionLog::read(Offset from, std::int64_t max_bytes,
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
