// What a checker or an expectation says about a run.
#pragma once

#include <string>
#include <vector>

namespace fencepost::lab {

struct Verdict {
  enum class Outcome {
    kValid,
    kInvalid,
    kUnknown,  // the run does not show enough to judge
  };
  Outcome outcome = Outcome::kValid;
  std::string subject;               // what was judged
  std::string detail;                // one sentence; empty if there is nothing to add
  std::vector<std::string> details;  // one line per finding
};

std::string to_string(Verdict::Outcome outcome);

// The worst of several: invalid, then unknown, then valid.
Verdict::Outcome worst(const std::vector<Verdict>& verdicts);

}  // namespace fencepost::lab
