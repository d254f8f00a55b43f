// Follows commits and their answers through a capture, for lab/checkers/offsets: it remembers what
// stands committed and what was asked for lately, not every commit.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "lab/history.h"

namespace fencepost::lab {

class OffsetWatch {
 public:
  explicit OffsetWatch(History& history) : history_(history) {}

  // In the order of the capture.
  void asked(const OffsetFact& request);
  void stored(OffsetFact commit);
  // It expired, or somebody deleted it.
  void removed(const std::string& group, const TopicPartition& partition);
  void told(const OffsetFact& answer);

 private:
  // A request that is answered has few behind it, however long it was under way.
  static constexpr std::size_t kAskedKept = 1024;  // by group and partition

  struct Asked {
    std::set<Offset> offsets;
    std::deque<Offset> order;
  };
  using Key = std::pair<std::string, TopicPartition>;

  History& history_;
  std::map<Key, Asked> asked_;
};

}  // namespace fencepost::lab
