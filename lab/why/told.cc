// The story: which explanations a person should read, each thing told once.
#include <algorithm>
#include <set>
#include <tuple>

#include "lab/story.h"
#include "lab/why/sentences.h"
#include "lab/why/why.h"

namespace fencepost::lab::why {
namespace {

// What the sentences of the rebalances say already.
struct Told {
  std::set<Moment> facts;  // removals, and members that came
  std::set<std::string> again;
  std::set<std::string> never;
  std::set<std::pair<std::string, std::string>> resets;  // process, partition
};

Told told_by(const std::vector<Explanation>& rebalances, const History& history) {
  Told told;
  const HandOvers hand_overs(history);
  for (const Explanation& one : rebalances) {
    for (const Chain& chain : one.causes) {
      for (const Link& link : chain) told.facts.insert(link.when);
    }
    for (const HandOver& over : hand_overs.of(history.rebalances[*one.rebalance])) {
      told.again.insert(over.again.begin(), over.again.end());
      told.never.insert(over.never.begin(), over.never.end());
      if (over.policy) {
        told.resets.insert({over.process, history.names.short_name(over.partition)});
      }
    }
  }
  return told;
}

// What begins with the same fact is told together.
std::string cause_key(const Explanation& one) {
  return one.causes.empty() ? "" : clauses(one.causes.front());
}

template <class Key, class Tell>
void tell_together(std::vector<Explanation> some, std::vector<Explanation>& story, const Key& key,
                   const Tell& tell) {
  std::vector<bool> done(some.size());
  for (std::size_t first = 0; first < some.size(); ++first) {
    if (done[first]) continue;
    std::vector<const Explanation*> together;
    for (std::size_t next = first; next < some.size(); ++next) {
      if (done[next] || key(some[next]) != key(some[first])) continue;
      done[next] = true;
      together.push_back(&some[next]);
    }
    Explanation one = some[first];
    one.sentences = {tell(together)};
    story.push_back(std::move(one));
  }
}

}  // namespace

std::vector<Explanation> Explainer::story() const {
  const Sentences sentences(causes_);
  std::vector<Explanation> story = rebalances();
  const Told told = told_by(story, history_);
  for (Explanation& one : evictions()) {
    if (one.causes.front().empty()) continue;
    const bool known = told.facts.contains(one.causes.front().front().when);
    if (!known) story.push_back(std::move(one));
  }
  for (Explanation& one : fences()) story.push_back(std::move(one));
  std::vector<Explanation> errors_told;
  for (Explanation& one : errors()) {
    if (is_protocol({one.subject, one.api, one.error, one.exception})) continue;
    errors_told.push_back(std::move(one));
  }
  tell_together(
      std::move(errors_told), story,
      [](const Explanation& one) {
        return std::tuple(one.subject, one.api.empty() && one.error == "NONE" ? "" : one.error,
                          cause_key(one));
      },
      [&](const auto& together) { return sentences.of_errors(together); });
  for (Explanation& one : resets()) {
    const bool known = told.resets.contains({one.process, one.subject});
    if (!known && !one.group.empty()) story.push_back(std::move(one));
  }
  const auto by_cause = [](const Explanation& one) {
    return std::tuple(one.process, one.group, cause_key(one));
  };
  const auto tell_records = [&](const auto& together) { return sentences.of_records(together); };
  std::vector<Explanation> records;
  for (Explanation& one : duplicates()) {
    if (!told.again.contains(one.subject)) records.push_back(std::move(one));
  }
  tell_together(std::move(records), story, by_cause, tell_records);
  records.clear();
  for (Explanation& one : losses()) {
    if (!told.never.contains(one.subject)) records.push_back(std::move(one));
  }
  tell_together(std::move(records), story, by_cause, tell_records);
  std::stable_sort(
      story.begin(), story.end(),
      [](const Explanation& left, const Explanation& right) { return left.when < right.when; });
  return story;
}

}  // namespace fencepost::lab::why
