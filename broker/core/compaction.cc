#include "broker/core/compaction.h"

#include "common/check.h"

namespace fencepost::broker {

std::vector<Offset> Compaction::appended(const wire::RecordBatch& batch) {
  const Offset base(batch.base_offset());
  std::vector<Offset> obsolete;
  for (const wire::Record& record : batch.records()) {
    const auto [place, is_new] = batch_of_.try_emplace(record.key(), base);
    if (!is_new && place->second == base) continue;
    ++last_ones_[base];
    if (is_new) continue;
    const auto before = last_ones_.find(place->second);
    CHECK(before != last_ones_.end(), "batch at {}", place->second.value());
    place->second = base;
    if (--before->second > 0) continue;
    obsolete.push_back(before->first);
    last_ones_.erase(before);
  }
  return obsolete;
}

}  // namespace fencepost::broker
