#include "broker/core/record_batches.h"

#include <algorithm>
#include <utility>

namespace fencepost::broker {
namespace {

bool is_name(const std::string& value) {
  return !value.empty() && value.size() <= kMaxRecordNameLength &&
         std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

Result<void> check_produced(const wire::RecordBatch& batch) {
  const bool plain = batch.producer_id() == -1 && !batch.is_control() && !batch.is_transactional();
  if (!plain || batch.records().empty() || batch.records_size() > kMaxRecordsPerBatch ||
      batch.ByteSizeLong() > kMaxBatchBytes || batch.base_timestamp() < 0) {
    return ErrorCode::kInvalidRecord;
  }
  std::int32_t delta = 0;
  for (const wire::Record& record : batch.records()) {
    std::int64_t time = 0;
    if (record.offset_delta() != delta++ ||
        __builtin_add_overflow(batch.base_timestamp(), record.timestamp_delta(), &time) ||
        time < 0) {
      return ErrorCode::kInvalidRecord;
    }
  }
  if (batch.last_offset_delta() != delta - 1) return ErrorCode::kInvalidRecord;
  return {};
}

wire::RecordBatch normalized(wire::RecordBatch batch) {
  std::int64_t youngest = -1;
  for (const wire::Record& record : batch.records()) {
    youngest = std::max(youngest, batch.base_timestamp() + record.timestamp_delta());
  }
  batch.set_max_timestamp(youngest);
  batch.set_partition_leader_epoch(0);
  return batch;
}

wire::RecordBatch make_batch(std::vector<wire::Record> records, std::int64_t timestamp_ms) {
  wire::RecordBatch batch;
  batch.set_base_timestamp(timestamp_ms);
  batch.set_max_timestamp(timestamp_ms);
  std::int32_t delta = 0;
  for (wire::Record& record : records) {
    record.set_offset_delta(delta++);
    *batch.add_records() = std::move(record);
  }
  batch.set_last_offset_delta(delta - 1);
  return batch;
}

std::string record_names(const wire::RecordBatch& batch) {
  std::string names;
  for (const wire::Record& record : batch.records()) {
    if (!names.empty()) names += ',';
    if (is_name(record.value())) {
      names += record.value();
    } else {
      names += "offset " + std::to_string(batch.base_offset() + record.offset_delta());
    }
  }
  return names;
}

}  // namespace fencepost::broker
