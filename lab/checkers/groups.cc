#include "lab/checkers/groups.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <utility>

namespace fencepost::lab {
namespace {

std::string line_of(const Ownership& earlier, const Ownership& later, const History& history,
                    std::string_view what) {
  return fmt::format("{}: {} of generation {} and {} of generation {} both own {} from tick {}",
                     what, earlier.process, earlier.generation.value(), later.process,
                     later.generation.value(), history.names.short_name(later.partition),
                     later.from.tick.value());
}

// The earlier owner still believes in its partition when the later one gets it.
bool overlaps(const Ownership& earlier, const Ownership& later) {
  return !earlier.to || *earlier.to > later.from;
}

// Between the two, the coordinator has forgotten the group, so its generations began anew.
bool deleted_between(const History& history, const std::string& group, const Moment& from,
                     const Moment& to) {
  return std::any_of(history.deleted.begin(), history.deleted.end(), [&](const DeletedGroup& fact) {
    return fact.group == group && fact.when > from && fact.when < to;
  });
}

void check_pair(const Ownership& earlier, const Ownership& later, const History& history,
                Verdict& verdict) {
  if (!overlaps(earlier, later)) return;
  if (later.evicted && *later.evicted < later.from)
    return;  // a zombie hears of its last assignment
  if (deleted_between(history, earlier.group, earlier.from, later.from)) return;
  if (earlier.evicted && *earlier.evicted <= later.from) return;  // the earlier one is a zombie
  if (earlier.passed_over && *earlier.passed_over <= later.from) return;
  if (earlier.generation == later.generation) {
    verdict.details.push_back(line_of(earlier, later, history, "two owners in one generation"));
  } else {
    verdict.details.push_back(line_of(earlier, later, history, "handed over too early"));
  }
}

void check_ownerships(const History& history, Verdict& verdict) {
  // Only those that are still open can overlap with a new one, and they are few.
  std::map<std::pair<std::string, TopicPartition>, std::vector<const Ownership*>> open;
  for (const Ownership& later : history.ownerships) {
    auto& others = open[{later.group, later.partition}];
    std::erase_if(others, [&](const Ownership* other) { return !overlaps(*other, later); });
    for (const Ownership* earlier : others) check_pair(*earlier, later, history, verdict);
    others.push_back(&later);
  }
}

// Between the two, a broker has come up again.
bool coordinator_restarted(const History& history, const Moment& from, const Moment& to) {
  return std::any_of(history.lives.begin(), history.lives.end(), [&](const Life& life) {
    return life.role == "broker" && life.joined > from && life.joined < to;
  });
}

// A generation that never became Stable is not in the coordinator's log, so after a crash its
// number may be given out again (group-protocol.md 7, trap 5).
bool may_follow(const GenerationFact& earlier, const GenerationFact& later,
                const History& history) {
  if (later.generation > earlier.generation) return true;
  if (deleted_between(history, later.group, earlier.formed, later.formed)) return true;
  return !earlier.stable && coordinator_restarted(history, earlier.formed, later.formed);
}

void check_generations(const History& history, Verdict& verdict) {
  std::map<std::string, const GenerationFact*> latest;
  for (const GenerationFact& fact : history.generations) {
    const auto [known, is_new] = latest.try_emplace(fact.group, &fact);
    if (is_new) continue;
    if (!may_follow(*known->second, fact, history)) {
      verdict.details.push_back(fmt::format("group {}: generation {} after generation {}",
                                            fact.group, fact.generation.value(),
                                            known->second->generation.value()));
    }
    known->second = &fact;
  }
}

}  // namespace

Verdict check_groups(const History& history) {
  Verdict verdict;
  verdict.subject = "no partition has two owners";
  check_ownerships(history, verdict);
  check_generations(history, verdict);
  if (!verdict.details.empty()) verdict.outcome = Verdict::Outcome::kInvalid;
  return verdict;
}

}  // namespace fencepost::lab
