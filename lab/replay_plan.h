// How a run that is in a directory is repeated.
#pragma once

#include <optional>
#include <string>

#include "common/ids.h"
#include "lab/journal_file.h"
#include "lab/run_directory.h"

namespace fencepost::lab {

// How far a capture goes. A run whose clock was killed leaves one without an end, perhaps with half
// a record; one that was aborted, e.g. since its runner was killed, says so.
struct Extent {
  std::optional<Tick> last;  // of a record; nothing: there is none
  bool whole = false;
};
Extent extent_of(const std::string& path);

// The plan of the run, with what came from outside. What neither the scenario nor the journal ends
// would go on for ever: it ends where the recorded run does. Throws std::runtime_error.
wire::Plan plan_to_replay(const RunDirectory& original, const JournalFile& journal);

}  // namespace fencepost::lab
