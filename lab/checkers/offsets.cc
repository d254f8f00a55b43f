#include "lab/checkers/offsets.h"

namespace fencepost::lab {

Verdict check_offsets(const History& history) {
  Verdict verdict;
  verdict.subject = "committed offsets are what members committed";
  verdict.details = history.moved_by_themselves;
  verdict.details.insert(verdict.details.end(), history.forgotten.begin(), history.forgotten.end());
  if (!verdict.details.empty()) verdict.outcome = Verdict::Outcome::kInvalid;
  return verdict;
}

}  // namespace fencepost::lab
