// What a node has stored, in memory: for the in-process host, where every step that is run is
// accepted. Comes to the same as RowStore after its removals.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "common/node.h"

namespace fencepost {

class RowMemory {
 public:
  void append(std::vector<wire::StoredRow> rows, std::span<const StoredRowId> obsolete);
  // Everything, oldest first.
  std::vector<wire::StoredRow> load() const;

 private:
  using Serials = std::set<std::uint64_t>;  // several, where a log begins at a batch

  void remove(std::map<StoredRowId, Serials>::iterator place);
  void remove_before(const wire::StoredRow& deletion);

  std::map<std::uint64_t, wire::StoredRow> rows_;  // by serial
  std::map<StoredRowId, Serials> places_;
  std::uint64_t next_serial_ = 0;
};

}  // namespace fencepost
