#include "lab/settled_records.h"

#include <algorithm>

#include "lab/group_tracker.h"

namespace fencepost::lab {
namespace {

bool is_named_by_offset(const std::string& name, Offset offset) {
  return name.ends_with("." + std::to_string(offset.value()));
}

// Behind the first Fetch of the owner who did it, and before any other one.
Moment moment_of(const SettledBy& by) { return {by.since.tick, by.since.record + 1}; }

}  // namespace

void Settling::written(const std::string& name, const RecordFact& fact) {
  const Appended& place = fact.appended.back();
  if (fact.appended.size() == 1 && is_named_by_offset(name, place.offset)) {
    candidates_[place.partition][place.offset] = name;
  }
}

void Settling::committed(const TopicPartition& partition, Offset end) {
  const auto found = candidates_.find(partition);
  if (found == candidates_.end()) return;
  auto& candidates = found->second;
  while (!candidates.empty() && candidates.begin()->first < end) {
    const auto first = candidates.begin();
    if (!may_settle(partition, first->first)) return;  // another group will come to it
    const auto record = history_.records.find(first->second);
    const auto by =
        record == history_.records.end() ? std::nullopt : settled_by(record->first, record->second);
    if (by) {
      history_.settled[{partition, *by}].insert(record->first);
      history_.all_settled.insert(record->first);
      history_.processed.erase(record->first);
      history_.invoices.erase(record->first);
      history_.records.erase(record);
    }
    candidates.erase(first);  // what is not settled by now has a story of its own
  }
}

bool Settling::may_settle(const TopicPartition& partition, Offset offset) const {
  const std::vector<const Ownership*> owners = groups_.owners_of(partition);
  return std::all_of(owners.begin(), owners.end(), [&](const Ownership* owner) {
    const auto commit = history_.last_commits.find({owner->group, partition});
    return commit != history_.last_commits.end() && commit->second.offset &&
           *commit->second.offset > offset;
  });
}

// Nothing if somebody did it twice or not at all, or not in the time of its present owner.
std::optional<std::vector<SettledBy>> Settling::settled_by(const std::string& name,
                                                           const RecordFact& fact) const {
  const std::vector<const Ownership*> owners = groups_.owners_of(fact.home);
  const auto processed = history_.processed.find(name);
  const auto invoices = history_.invoices.find(name);
  const std::size_t invoiced = invoices == history_.invoices.end() ? 0 : invoices->second.size();
  if (fact.appended.size() != 1 || owners.empty() || processed == history_.processed.end() ||
      processed->second.size() != owners.size()) {
    return std::nullopt;
  }
  std::vector<SettledBy> settled;
  std::size_t expected = 0;
  for (const Ownership* owner : owners) {
    const auto did = [&](const std::string& who, const Moment& when) {
      return who == owner->process && owner->first_fetch && when > owner->first_fetch->when;
    };
    const bool once = std::any_of(processed->second.begin(), processed->second.end(),
                                  [&](const Processed& one) { return did(one.process, one.when); });
    const bool writes = history_.writers.contains(owner->process);
    if (writes) ++expected;
    const bool wrote =
        !writes || (invoiced > 0 &&
                    std::any_of(invoices->second.begin(), invoices->second.end(),
                                [&](const Appended& one) { return did(one.producer, one.when); }));
    if (!once || !wrote) return std::nullopt;
    settled.push_back({owner->process, owner->first_fetch->when, writes});
  }
  if (invoiced != expected) return std::nullopt;
  return settled;
}

void Settling::reopen(const std::string& name) {
  if (!history_.all_settled.erase(name)) return;
  for (auto& [place, names] : history_.settled) {
    if (!names.erase(name)) continue;
    const auto& [home, settled] = place;
    const Offset offset(parse_integer(name.substr(name.rfind('.') + 1)).value_or(0));
    RecordFact& fact = history_.records[name];
    fact.home = home;
    fact.appended.push_back({Moment{}, home, offset, ""});
    for (const SettledBy& by : settled) {
      history_.processed[name].push_back({moment_of(by), by.process});
      if (!by.invoiced) continue;
      history_.invoices[name].push_back({moment_of(by), TopicPartition{}, Offset(0), by.process});
    }
    return;
  }
}

}  // namespace fencepost::lab
