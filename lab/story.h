// summary.txt: what happened in a run, for people. Each rebalance with why, who, owners before and
// after and what it cost; each record that was done twice or never; each reader; each error; and
// the verdicts. Made from the history alone.
#pragma once

#include <string>
#include <vector>

#include "lab/checkers/verdict.h"
#include "lab/history.h"

namespace fencepost::lab {

struct Judgement {
  std::vector<Verdict> expectations;
  std::vector<Verdict> checks;
};

// The checkers that run on every run.
std::vector<Verdict> check_all(const History& history);

// Answers that each member gets on its way into a group, or as the news of a rebalance.
bool is_protocol(const ErrorKey& key);

// With the plan that was run it also says which actions had no effect, and what never happened.
std::string tell_story(const History& history, const std::string& about, const Judgement& judgement,
                       const wire::Plan* plan = nullptr);

}  // namespace fencepost::lab
