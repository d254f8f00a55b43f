// Which batches of a compacted log still count: those that hold the last record of some key
// (cleanup.policy=compact). With it a log is as large as its keys, not as its history.
//
// Deviation: Kafka's log cleaner comes when half of a log is obsolete, cleans record by record and
// removes old tombstones; here a batch goes, whole, in the moment in which its last record is
// replaced, and tombstones stay.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/ids.h"
#include "proto/log.pb.h"

namespace fencepost::broker {

class Compaction {
 public:
  // The batches of which nothing counts any more, now that `batch` has been appended.
  std::vector<Offset> appended(const wire::RecordBatch& batch);

 private:
  std::map<std::string, Offset> batch_of_;    // by key: where its last record is
  std::map<Offset, std::int64_t> last_ones_;  // by batch: of how many keys it has the last record
};

}  // namespace fencepost::broker
