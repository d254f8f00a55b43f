// The log of one partition: batches in the order of their offsets. With one replica the high
// watermark is the end of the log. It is as large as what its retention keeps: old batches go from
// the front, and a compacted log loses those that say nothing any more, which leaves gaps.
//
// A batch is kept as its serialized bytes: small in memory, its size is what fetch limits count,
// and the bytes are those in storage.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <ranges>
#include <string>

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
  using Batches = std::ranges::subrange<std::deque<StoredBatch>::const_iterator>;

  Offset start() const { return start_; }
  // The next record's offset: log end offset and high watermark.
  Offset end() const { return end_; }

  // `batch` begins at end(); that is the caller's duty. Only in a replay may it begin behind it:
  // what stood before has been deleted from storage.
  void append(const wire::RecordBatch& batch, std::string bytes);

  // Whole batches from the one that holds `from`, as many as fit `max_bytes`; at least one of them
  // if `at_least_one` is set, however large. `from` lies in [start, end].
  enum class Minimum { kNone, kOneBatch };
  Batches read(Offset from, std::int64_t max_bytes, Minimum minimum) const;

  // The first record that is not older than `timestamp`; nothing if all are.
  std::optional<TimedOffset> first_at_or_after(std::int64_t timestamp) const;
  // The first of the youngest records; nothing in an empty log.
  std::optional<TimedOffset> youngest() const;

  // Removes the batches before `start`, which is where one begins, or the end of the log.
  void delete_before(Offset start);
  // Removes one batch that is not the last: compaction has found nothing in it that still counts.
  void drop(Offset base);

  // Where the log would begin by these limits. A batch goes when its youngest record is older than
  // `oldest_ms`, and while the log without it still has `bytes_min`; the first that stays keeps all
  // behind it, as Kafka's segments do.
  struct Limits {
    std::optional<std::int64_t> oldest_ms;
    std::optional<std::int64_t> bytes_min;
  };
  Offset start_within(const Limits& limits) const;
  // The youngest timestamp of the oldest batch; nothing in an empty log.
  std::optional<std::int64_t> oldest_batch_timestamp() const;
  std::int64_t bytes() const { return bytes_; }

  std::int64_t record_count() const { return end() - start(); }

 private:
  std::deque<StoredBatch> batches_;
  Offset start_{0};
  Offset end_{0};
  std::int64_t bytes_ = 0;
};

}  // namespace fencepost::broker
