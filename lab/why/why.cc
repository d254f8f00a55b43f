#include "lab/why/why.h"

#include <algorithm>
#include <set>

#include "common/check.h"
#include "lab/checkers/delivery.h"
#include "lab/expectations.h"
#include "lab/why/sentences.h"

namespace fencepost::lab::why {
namespace {

const History& with_evidence(const History& history) {
  CHECK(history.evidence != nullptr, "the history was read without its evidence");
  return history;
}

// Two that begin with the same fact are one.
void add_cause(std::vector<Chain>& causes, Chain chain) {
  if (chain.empty()) return;
  const bool known = std::ranges::any_of(causes, [&](const Chain& one) {
    return one.front().kind == chain.front().kind && one.front().when == chain.front().when &&
           one.front().process == chain.front().process;
  });
  if (!known) causes.push_back(std::move(chain));
}

std::vector<Chain> causes_of(const Rebalance& rebalance, const Causes& causes) {
  const Evidence& evidence = causes.evidence();
  const auto within = [&](const Moment& when) {
    return when > rebalance.begun && (!rebalance.settled || when < *rebalance.settled);
  };
  std::vector<Chain> found;
  for (const StateChange& state : evidence.states) {
    const bool its = state.group == rebalance.group && state.to == "PreparingRebalance";
    if (its && state.when == rebalance.begun) add_cause(found, causes.of_rebalance(state));
  }
  // What came on top, in its order.
  std::vector<std::pair<Moment, Chain>> more;
  for (const StateChange& state : evidence.states) {
    const bool its = state.group == rebalance.group && state.to == "PreparingRebalance";
    if (its && within(state.when)) more.emplace_back(state.when, causes.of_rebalance(state));
  }
  for (const Member& member : evidence.members) {
    if (member.group != rebalance.group || !within(member.added)) continue;
    more.emplace_back(member.added, causes.of_membership(member));
  }
  for (const Removal& removal : evidence.removals) {
    if (removal.group != rebalance.group || !within(removal.when)) continue;
    more.emplace_back(removal.when, causes.of_removal(removal));
  }
  std::stable_sort(more.begin(), more.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  for (auto& [when, chain] : more) add_cause(found, std::move(chain));
  return found;
}

// With the same owners before and after, all of whom were reading: for nothing.
bool is_wasted(const Rebalance& rebalance, const History& history) {
  if (rebalance.before.empty() || rebalance.before != rebalance.after) return false;
  return std::ranges::none_of(history.rebalances, [&](const Rebalance& other) {
    return other.group == rebalance.group &&
           std::ranges::any_of(other.pauses, [&](const Pause& pause) {
             return pause.from < rebalance.begun.tick &&
                    (!pause.until || *pause.until > rebalance.begun.tick);
           });
  });
}

}  // namespace

std::string_view name_of(What what) {
  switch (what) {
    case What::kRebalance:
      return "rebalance";
    case What::kEviction:
      return "eviction";
    case What::kFence:
      return "fence";
    case What::kError:
      return "error";
    case What::kReset:
      return "reset";
    case What::kDuplicate:
      return "duplicate";
    case What::kLost:
      return "lost";
  }
  return "";
}

bool Explanation::explained() const {
  return !causes.empty() && std::ranges::all_of(causes, is_explained);
}

Explainer::Explainer(const History& history, const wire::Plan* plan)
    : history_(with_evidence(history)), causes_(history, plan) {}

std::vector<Explanation> Explainer::rebalances() const {
  const Sentences sentences(causes_);
  std::map<std::string, std::size_t> counted;  // by group
  std::set<const Rebalance*> settled;
  for (const Rebalance* one : settled_rebalances(history_, "")) settled.insert(one);
  std::vector<Explanation> found;
  for (std::size_t index = 0; index < history_.rebalances.size(); ++index) {
    const Rebalance& rebalance = history_.rebalances[index];
    Explanation one;
    one.what = What::kRebalance;
    one.when = rebalance.begun;
    one.group = rebalance.group;
    one.rebalance = index;
    if (settled.contains(&rebalance)) one.number = ++counted[rebalance.group];
    for (const std::size_t generation : rebalance.generations) {
      one.generations.push_back(history_.generations[generation].generation);
    }
    if (one.number > 0) one.wasted = is_wasted(rebalance, history_);
    if (rebalance.settled) one.cost = pause_ticks(rebalance, history_.last_tick);
    one.causes = causes_of(rebalance, causes_);
    one.sentences = sentences.of_rebalance(one);
    found.push_back(std::move(one));
  }
  return found;
}

std::vector<Explanation> Explainer::evictions() const {
  const Sentences sentences(causes_);
  std::vector<Explanation> found;
  for (const Removal& removal : causes_.evidence().removals) {
    Explanation one;
    one.what = What::kEviction;
    one.when = removal.when;
    one.group = removal.group;
    one.subject = causes_.process_of(removal.member);
    one.causes = {causes_.of_removal(removal)};
    one.sentences = {sentences.of(one)};
    found.push_back(std::move(one));
  }
  return found;
}

std::vector<Explanation> Explainer::fences() const {
  const Sentences sentences(causes_);
  std::vector<Explanation> found;
  for (const Member& taker : causes_.evidence().members) {
    const std::string holder = causes_.process_of(taker.replaced);
    if (taker.replaced.empty() || holder == taker.process) continue;
    Explanation one;
    one.what = What::kFence;
    one.when = taker.added;
    one.group = taker.group;
    one.subject = holder;
    one.process = taker.process;
    one.causes = {causes_.of_membership(taker)};
    one.sentences = {sentences.of(one)};
    found.push_back(std::move(one));
  }
  return found;
}

std::vector<Explanation> Explainer::errors() const {
  const Sentences sentences(causes_);
  std::vector<Explanation> found;
  for (const Refusal& refusal : causes_.evidence().refusals) {
    Explanation one;
    one.what = What::kError;
    one.when = refusal.first;
    one.last = refusal.last;
    one.count = refusal.count;
    one.group = refusal.group;
    one.subject = refusal.process;
    one.error = refusal.error;
    one.exception = refusal.exception;
    one.api = refusal.api;
    one.causes = {causes_.of_refusal(refusal)};
    found.push_back(std::move(one));
  }
  for (const Reported& reported : causes_.evidence().reported) {
    Explanation one;
    one.what = What::kError;
    one.when = one.last = reported.when;
    const auto group = history_.group_of.find(reported.process);
    if (group != history_.group_of.end()) one.group = group->second;
    one.subject = reported.process;
    one.error = reported.error;
    one.exception = reported.exception;
    one.causes = {causes_.of_report(reported)};
    found.push_back(std::move(one));
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const Explanation& left, const Explanation& right) { return left.when < right.when; });
  for (Explanation& one : found) one.sentences = {sentences.of(one)};
  return found;
}

std::vector<Explanation> Explainer::resets() const {
  const Sentences sentences(causes_);
  std::vector<Explanation> found;
  for (const ResetFact& reset : history_.resets) {
    Explanation one;
    one.what = What::kReset;
    one.when = reset.when;
    const auto group = history_.group_of.find(reset.process);
    if (group != history_.group_of.end()) one.group = group->second;
    one.subject = history_.names.short_name(reset.partition);
    one.process = reset.process;
    one.causes = {causes_.of_reset(reset)};
    one.sentences = {sentences.of(one)};
    found.push_back(std::move(one));
  }
  return found;
}

std::vector<Explanation> Explainer::duplicates() const {
  const Sentences sentences(causes_);
  std::vector<Explanation> found;
  for (const Delivery& delivery : deliveries(history_)) {
    std::vector<std::string> names;
    for (const auto& [name, times] : delivery.duplicates) names.push_back(name);
    sort_records(names);
    for (const std::string& name : names) {
      Explanation one;
      one.what = What::kDuplicate;
      one.group = delivery.group;
      one.subject = name;
      one.count = delivery.duplicates.at(name);
      const std::vector<Processed> done = causes_.done(delivery.group, name);
      if (done.size() > 1) {
        one.when = done[1].when;
        one.process = done[1].process;
      }
      one.causes = {causes_.of_duplicate(delivery.group, name)};
      one.sentences = {sentences.of(one)};
      found.push_back(std::move(one));
    }
  }
  return found;
}

std::vector<Explanation> Explainer::losses() const {
  const Sentences sentences(causes_);
  std::vector<Explanation> found;
  for (const Delivery& delivery : deliveries(history_)) {
    for (const std::string& name : delivery.lost) {
      Explanation one;
      one.what = What::kLost;
      one.group = delivery.group;
      one.subject = name;
      one.causes = {causes_.of_loss(delivery.group, name)};
      // It is lost when all that led to it has happened.
      for (const Link& link : one.causes.front()) one.when = std::max(one.when, link.when);
      one.sentences = {sentences.of(one)};
      found.push_back(std::move(one));
    }
  }
  return found;
}

std::vector<Explanation> Explainer::all() const {
  std::vector<Explanation> found;
  for (const auto& some :
       {rebalances(), evictions(), fences(), errors(), resets(), duplicates(), losses()}) {
    found.insert(found.end(), some.begin(), some.end());
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const Explanation& left, const Explanation& right) { return left.when < right.when; });
  return found;
}

}  // namespace fencepost::lab::why
