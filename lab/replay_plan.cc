#include "lab/replay_plan.h"

#include <stdexcept>

#include "common/capture_file.h"
#include "lab/diff.h"

namespace fencepost::lab {

Extent extent_of(const std::string& path) {
  Extent extent;
  try {
    CaptureReader reader(path);
    while (const auto record = reader.next()) {
      extent.last = Tick(reader.tick());
      extent.whole = record->has_end() && record->end().reason() != kAborted;
    }
  } catch (const std::runtime_error&) {
    extent.whole = false;
  }
  return extent;
}

wire::Plan plan_to_replay(const RunDirectory& original, const JournalFile& journal) {
  wire::Plan plan = original.read_plan();
  plan.set_replay(true);
  plan.set_seed(journal.seed);
  plan.clear_journal();
  for (const wire::Decision& decision : journal.decisions) *plan.add_journal() = decision;
  if (journal.ended || plan.until().has_tick()) return plan;
  const std::optional<Tick> last = extent_of(original.capture().string()).last;
  if (!last) {
    throw std::runtime_error(original.journal().string() +
                             ": has no end, and no tick of the run was recorded: there is no "
                             "telling how far to repeat it");
  }
  plan.mutable_until()->set_tick(last->value());
  return plan;
}

}  // namespace fencepost::lab
