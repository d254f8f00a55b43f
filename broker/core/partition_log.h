// The log of one partition: batches in the order of their offsets, without gaps. With one replica
// the high watermark is the end of the log.
//
// A batch is kept as its serialized bytes: small in memory, its size is what fetch limits count,
// and the bytes are those in storage.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/ids.h"
#include "proto/log.pb.h"

namespace fencepost::broker {

struct StoredBatch {
  Offset base;
  Offset last;                      // offset of its last record
  std::int64_t max_timestamp = -1;  // virtual ms
  std::string bytes;                // a serialized wire::RecordBatch
};

// A record's place and time, as ListOffsets answers it.
struct TimedOffset {
  Offset offset;
  std::int64_t timestamp = -1;
  friend bool operator==(const TimedOffset&, const TimedOffset&) = default;
};

class PartitionLog {
 public:
  Offset start() const { return Offset(0); }
  // The next record's offset: log end offset and high watermark.
  Offset end() const;

  // `batch` begins at end(); that is the caller's duty.
  void append(const wire::RecordBatch& batch, std::string bytes);

  // Whole batches from the one that holds `from`, as many as fit `max_bytes`; at least one of them
  // if `at_least_one` is set, however large. `from` lies in [start, end].
  enum class Minimum { kNone, kOneBatch };
  std::span<const StoredBatch> read(Offset from, std::int64_t max_bytes, Minimum minimum) const;

  // The first record that is not older than `timestamp`; nothing if all are.
  std::optional<TimedOffset> first_at_or_after(std::int64_t timestamp) const;
  // The first of the youngest records; nothing in an empty log.
  std::optional<TimedOffset> youngest() const;

  std::int64_t record_count() const { return end() - start(); }

 private:
  std::vector<StoredBatch> batches_;
};

}  // namespace fencepost::broker
