#include "lab/checkers/probes.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace fencepost::lab {
namespace {

bool lives(const History& history, const std::string& process) {
  const auto last = std::find_if(history.lives.rbegin(), history.lives.rend(),
                                 [&](const Life& life) { return life.process == process; });
  return last != history.lives.rend() && last->end == Life::End::kRunning;
}

}  // namespace

Verdict check_probes(const History& history) {
  Verdict verdict;
  verdict.subject = "probes are answered as their scripts expect";
  for (const auto& [process, probe] : history.probes) {
    if (!probe.mismatch.empty()) {
      verdict.outcome = Verdict::Outcome::kInvalid;
      verdict.details.push_back(fmt::format("{}: {}", process, probe.mismatch));
    } else if (!probe.finished && lives(history, process)) {
      if (verdict.outcome == Verdict::Outcome::kValid) verdict.outcome = Verdict::Outcome::kUnknown;
      verdict.details.push_back(fmt::format(
          "{} is not at the end of its script: {} answers have come", process, probe.answers));
    }
  }
  return verdict;
}

}  // namespace fencepost::lab
