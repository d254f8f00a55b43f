// Batches: what a producer may send, and how the broker makes its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/result.h"
#include "proto/log.pb.h"

namespace fencepost::broker {

inline constexpr std::int32_t kMaxRecordsPerBatch = 100'000;
// Kafka's message.max.bytes.
inline constexpr std::size_t kMaxBatchBytes = 1'048'588;
// A record is named in events by its value, if that is printable and not longer than this.
inline constexpr std::size_t kMaxRecordNameLength = 64;

// Whether a batch from the wire may be appended. Only plain batches may: neither a producer id nor
// a control batch is understood yet. Error: kInvalidRecord.
Result<void> check_produced(const wire::RecordBatch& batch);

// The batch as the log keeps it: last_offset_delta and max_timestamp computed, not believed.
wire::RecordBatch normalized(wire::RecordBatch batch);

// A batch of the broker's own records, all of one time.
wire::RecordBatch make_batch(std::vector<wire::Record> records, std::int64_t timestamp_ms);

// The values of its records, as "o2.3,o2.4"; "offset 7" for a record whose value is no name.
std::string record_names(const wire::RecordBatch& batch);

}  // namespace fencepost::broker
