#include "lab/timeline.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <optional>

#include "lab/match.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

std::string life_text(const LifecycleFact& fact) {
  const wire::Lifecycle& what = fact.what;
  const std::string hand =
      fact.in_hand.empty() ? "" : fmt::format(", with {} in hand", fact.in_hand);
  const std::string who = what.outside() ? " from outside" : "";
  switch (what.kind()) {
    case wire::Lifecycle::JOIN:
      return fmt::format("{} starts ({}{}){}", what.process(), what.role(),
                         what.incarnation() > 1 ? fmt::format(", life {}", what.incarnation()) : "",
                         who);
    case wire::Lifecycle::KILL:
      return fmt::format("{} is killed (kill -9){}{}", what.process(), who, hand);
    case wire::Lifecycle::CLOSE:
      return fmt::format("{} is asked to close (SIGTERM){}{}", what.process(), who, hand);
    case wire::Lifecycle::FREEZE:
      return fmt::format("{} is stopped (SIGSTOP){}{}{}", what.process(), who,
                         what.holding() ? " in the middle of a step" : "", hand);
    case wire::Lifecycle::THAW:
      return fmt::format("{} goes on (SIGCONT){}{}", what.process(), who, hand);
    case wire::Lifecycle::EXIT:
      return fmt::format("{} ends with exit code {}", what.process(), what.exit_code());
  }
  return "";
}

// ---- actions without effect ----

// How a process stood just before a moment.
struct Standing {
  bool running = false;
  bool stopped = false;
  bool closing = false;
};

void follow(Standing& standing, wire::Lifecycle::Kind kind) {
  switch (kind) {
    case wire::Lifecycle::JOIN:
      standing = {.running = true, .stopped = false, .closing = false};
      return;
    case wire::Lifecycle::KILL:
    case wire::Lifecycle::EXIT:
      standing = {};
      return;
    case wire::Lifecycle::CLOSE:
      standing.closing = true;
      return;
    case wire::Lifecycle::FREEZE:
      standing.stopped = true;
      return;
    case wire::Lifecycle::THAW:
      standing.stopped = false;
      return;
  }
}

// The lifecycle that an action on a running process leaves; nothing for faults, the clock, SLOW.
std::optional<wire::Lifecycle::Kind> trace_of(wire::Action::Kind kind) {
  switch (kind) {
    case wire::Action::START:
    case wire::Action::RESTART:
      return wire::Lifecycle::JOIN;
    case wire::Action::KILL:
      return wire::Lifecycle::KILL;
    case wire::Action::STOP:
      return wire::Lifecycle::FREEZE;
    case wire::Action::CONT:
      return wire::Lifecycle::THAW;
    case wire::Action::CLOSE:
      return wire::Lifecycle::CLOSE;
    case wire::Action::SLOW:
    case wire::Action::CALL:
    case wire::Action::PAUSE:
    case wire::Action::DROP:
    case wire::Action::DELAY:
    case wire::Action::REORDER:
    case wire::Action::PARTITION:
    case wire::Action::HEAL:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string why_in_vain(wire::Action::Kind kind, const Standing& before) {
  if (kind == wire::Action::START) return before.running ? "is running already" : "did not start";
  if (!before.running) return "is not running";
  if (kind == wire::Action::STOP) return "is stopped already";
  if (kind == wire::Action::CONT) return "is not stopped";
  if (kind == wire::Action::CLOSE) return "is closing already";
  return "did not obey";
}

// Walks the lifecycles once, beside the rules that fired.
class InVain {
 public:
  InVain(const History& history, const wire::Plan& plan) : history_(history), plan_(plan) {}

  // In the order of the capture, each rule once.
  std::vector<std::string> of(const FiredFact& fired) {
    while (next_ < history_.lifecycles.size() && history_.lifecycles[next_].when < fired.when) {
      const LifecycleFact& fact = history_.lifecycles[next_++];
      follow(standing_[fact.what.process()], fact.what.kind());
    }
    std::vector<std::string> found;
    if (fired.rule < 0 || fired.rule >= plan_.rules_size()) return found;
    for (const wire::Action& action : plan_.rules(fired.rule).actions()) {
      const auto trace = trace_of(action.kind());
      const bool control =
          action.kind() == wire::Action::SLOW || action.kind() == wire::Action::CALL;
      if (!trace && !control) continue;
      for (const std::string& process : action.processes()) {
        const Standing before = at_rule_end(process, trace, fired);
        const bool obeyed = trace ? followed(process, *trace, fired) : before.running;
        if (!obeyed) {
          found.push_back(
              fmt::format("no effect: {} {}", process, why_in_vain(action.kind(), before)));
        }
      }
    }
    return found;
  }

 private:
  // What happens in a tick before its first step belongs to the rules of that tick.
  bool followed(const std::string& process, wire::Lifecycle::Kind kind,
                const FiredFact& fired) const {
    for (std::size_t at = next_; at < history_.lifecycles.size(); ++at) {
      const LifecycleFact& fact = history_.lifecycles[at];
      if (fact.when.tick != fired.when.tick) return false;
      if (fact.what.process() == process && fact.what.kind() == kind) return true;
    }
    return false;
  }

  // Actions of one rule act in turn: `{kill: C1, start: C1}` starts who is dead by then.
  Standing at_rule_end(const std::string& process, std::optional<wire::Lifecycle::Kind> trace,
                       const FiredFact& fired) {
    Standing standing = standing_[process];
    for (std::size_t at = next_; at < history_.lifecycles.size(); ++at) {
      const LifecycleFact& fact = history_.lifecycles[at];
      if (fact.when.tick != fired.when.tick || fact.what.outside()) break;
      if (fact.what.process() != process || fact.what.kind() == trace) continue;
      if (fact.what.kind() == wire::Lifecycle::EXIT) break;
      follow(standing, fact.what.kind());
    }
    return standing;
  }

  const History& history_;
  const wire::Plan& plan_;
  std::size_t next_ = 0;  // the first lifecycle behind the rule
  std::map<std::string, Standing> standing_;
};

}  // namespace

std::vector<TimelineLine> timeline_of(const History& history, const wire::Plan* plan) {
  std::map<Moment, std::vector<std::string>> lines;
  for (const LifecycleFact& fact : history.lifecycles) lines[fact.when] = {life_text(fact)};
  std::optional<InVain> in_vain;
  if (plan != nullptr) in_vain.emplace(history, *plan);
  for (const FiredFact& fact : history.fired) {
    std::vector<std::string>& at = lines[fact.when];
    at.push_back("rule " + fact.text);
    if (!in_vain) continue;
    for (std::string& text : in_vain->of(fact)) at.push_back("     " + text);
  }
  for (const RemovedMember& removed : history.removed) {
    lines[removed.when] = {fmt::format("{} is removed from group {}: {}", removed.process,
                                       removed.group, without_uuids(removed.reason))};
  }
  for (const GenerationFact& generation : history.generations) {
    if (!generation.stable) continue;
    lines[*generation.stable] = {fmt::format("group {} is Stable in generation {} with {}",
                                             generation.group, generation.generation.value(),
                                             fmt::join(generation.members, " "))};
  }
  std::vector<TimelineLine> sorted;
  for (auto& [when, texts] : lines) {
    for (std::string& text : texts) sorted.push_back({when.tick, std::move(text)});
  }
  return sorted;
}

std::vector<std::string> never_happened(const History& history, const wire::Plan& plan) {
  std::vector<std::string> found;
  for (int rule = 0; rule < plan.rules_size(); ++rule) {
    if (!history.fired_rules.contains(rule)) found.push_back("rule " + plan.rules(rule).text());
  }
  const bool waited = plan.until().has_when() && history.ended;
  if (waited && history.end_reason != kEndedByEvent) {
    found.push_back("until " + describe(plan.until().when()));
  }
  return found;
}

}  // namespace fencepost::lab
