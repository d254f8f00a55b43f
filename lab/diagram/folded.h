// Exchanges that a diagram counts instead of drawing: Heartbeats that succeed, and Fetches that
// find nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lab/run_index.h"

namespace fencepost::lab {

class Folded {
 public:
  explicit Folded(const RunIndex& index);

  // Whether a packet belongs to such an exchange: both ways without a fault and without an error.
  // One that the end of the run cut short counts, too.
  bool is_routine(EntryId id, const wire::Packet& packet);

  // Counts a packet that is not drawn.
  void add(EntryId id, const wire::Packet& packet);
  bool empty() const { return packets_ == 0; }
  // When the last one was.
  Tick last() const { return *last_; }
  // "12 heartbeats (C1 6, C2 6), 3 empty fetches (C1 3), ticks 10 to 14", and begins anew.
  std::string take();

 private:
  struct Count {
    std::map<std::string, std::int64_t> heartbeats;  // by client
    std::map<std::string, std::int64_t> fetches;
  };

  bool judge(EntryId id, const wire::Packet& packet) const;

  const RunIndex& index_;
  Tick end_{0};                          // of the run
  std::map<EntryId, bool> undecided_{};  // requests whose answers are still to come
  std::int64_t packets_ = 0;
  std::map<EntryId, bool> counted_{};  // requests that are in a note, by themselves
  Count count_{};
  std::optional<Tick> first_{};
  std::optional<Tick> last_{};
};

}  // namespace fencepost::lab
