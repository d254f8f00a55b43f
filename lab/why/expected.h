// Judges what a scenario expects of the causes: `expect: why:` (docs/why.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/checkers/verdict.h"
#include "lab/expectation.h"
#include "lab/why/why.h"

namespace fencepost::lab::why {

class WhyJudge {
 public:
  // `history` was read with its evidence. Both outlive this.
  WhyJudge(const History& history, const wire::Plan* plan) : explainer_(history, plan) {}

  // Empty if it is as expected, else what was found instead. `group` empty: of any group.
  std::string differs(const ExpectWhy& expected, const std::string& group);

 private:
  const std::vector<Explanation>& all_of(What what);

  Explainer explainer_;
  std::map<What, std::vector<Explanation>> known_;
};

// "session.timeout: C2, tick: 62", as a scenario would say it.
std::string as_expected(const Link& link);
std::string as_expected(const Chain& chain);

}  // namespace fencepost::lab::why
