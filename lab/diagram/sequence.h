// A part of a run as a Mermaid sequence diagram: processes side by side, packets between them, and
// notes for what befell processes, members and groups. Heartbeats that succeed and Fetches that
// find nothing are counted in notes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "lab/run_index.h"

namespace fencepost::lab {

struct SequenceOptions {
  static constexpr std::size_t kLimit = 200;

  std::optional<Tick> from{};
  std::optional<Tick> to{};          // the last tick that is drawn
  std::vector<std::string> only{};   // APIs and processes; none: all
  std::vector<std::string> hosts{};  // packets and notes of these processes; none: of all
  std::size_t limit = kLimit;        // of messages; 0: all. A note says what was left out
  bool all = false;                  // heartbeats and empty Fetches are messages, too
};

// The diagram, its newline at the end. A function of the run and the options alone. With the plan,
// rules that a note of a process tells already are left out. Throws std::runtime_error as
// RunIndex::read does.
std::string sequence_diagram(const RunIndex& index, const wire::Plan* plan,
                             const SequenceOptions& options);

}  // namespace fencepost::lab
