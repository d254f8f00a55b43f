#include "lab/checkers/verdict.h"

namespace fencepost::lab {

std::string to_string(Verdict::Outcome outcome) {
  switch (outcome) {
    case Verdict::Outcome::kValid:
      return "valid";
    case Verdict::Outcome::kInvalid:
      return "invalid";
    case Verdict::Outcome::kUnknown:
      return "unknown";
  }
  return "";
}

Verdict::Outcome worst(const std::vector<Verdict>& verdicts) {
  Verdict::Outcome found = Verdict::Outcome::kValid;
  for (const Verdict& verdict : verdicts) {
    if (verdict.outcome == Verdict::Outcome::kInvalid) return verdict.outcome;
    if (verdict.outcome == Verdict::Outcome::kUnknown) found = verdict.outcome;
  }
  return found;
}

}  // namespace fencepost::lab
