#include "common/host/row_memory.h"

#include <utility>

namespace fencepost {

void RowMemory::append(std::vector<wire::StoredRow> rows, std::span<const StoredRowId> obsolete) {
  for (wire::StoredRow& row : rows) {
    if (is_deletion(row)) remove_before(row);
    places_[{row.topic(), row.partition(), row.base_offset()}].insert(next_serial_);
    rows_.emplace(next_serial_++, std::move(row));
  }
  for (const StoredRowId& one : obsolete) {
    const auto place = places_.find(one);
    if (place != places_.end()) remove(place);
  }
}

std::vector<wire::StoredRow> RowMemory::load() const {
  std::vector<wire::StoredRow> rows;
  rows.reserve(rows_.size());
  for (const auto& [serial, row] : rows_) rows.push_back(row);
  return rows;
}

void RowMemory::remove_before(const wire::StoredRow& deletion) {
  const StoredRowId first{deletion.topic(), deletion.partition(), 0};
  const StoredRowId begin{deletion.topic(), deletion.partition(), deletion.base_offset()};
  for (auto place = places_.lower_bound(first); place != places_.end() && place->first < begin;) {
    remove(place++);
  }
}

void RowMemory::remove(std::map<StoredRowId, Serials>::iterator place) {
  for (const std::uint64_t serial : place->second) rows_.erase(serial);
  places_.erase(place);
}

}  // namespace fencepost
