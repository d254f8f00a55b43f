#include "lab/hand_overs.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <set>

namespace fencepost::lab {
namespace {

constexpr std::size_t kRecordsNamed = 8;

bool was_lost(const Ownership& before) {
  return before.evicted || before.end == Ownership::End::kDied ||
         before.end == Ownership::End::kLost;
}

std::string named(const std::vector<std::string>& records) {
  if (records.size() <= kRecordsNamed) return fmt::format("{}", fmt::join(records, " "));
  return fmt::format("{} ... {} ({} records)", records.front(), records.back(), records.size());
}

// What stands behind "o0 o1: ".
std::string meaning_of(const HandOver& one) {
  std::string text = fmt::format("{} starts at {}, ", one.process, one.start.value());
  if (one.policy) {
    text += fmt::format(
        "by auto.offset.reset={}{}", *one.policy,
        one.commit ? ": the committed offset was out of range" : ": nothing was committed");
  } else if (one.commit && one.commit->offset == one.start) {
    text += fmt::format("committed by {} at tick {}", one.commit->process,
                        one.commit->when.tick.value());
  } else {
    text += "where it was";
  }
  if (!one.again.empty()) text += fmt::format("; {} done again", named(one.again));
  if (!one.never.empty()) text += fmt::format("; {} never processed", named(one.never));
  return text;
}

}  // namespace

HandOvers::HandOvers(const History& history) : history_(history) {
  for (const Ownership& one : history.ownerships) {
    ownerships_[{one.group, one.partition}].push_back(&one);
  }
  for (const auto& [name, fact] : history.records) {
    for (const Appended& one : fact.appended) records_[one.partition].push_back({one.offset, name});
  }
  for (auto& [partition, records] : records_) std::sort(records.begin(), records.end());
}

std::vector<HandOver> HandOvers::of(const Rebalance& rebalance) const {
  std::set<Generation> generations;
  for (const std::size_t index : rebalance.generations) {
    generations.insert(history_.generations[index].generation);
  }
  std::vector<HandOver> found;
  for (const auto& [key, ownerships] : ownerships_) {
    if (key.first != rebalance.group) continue;
    const Ownership* before = nullptr;
    for (const Ownership* now : ownerships) {
      const bool here = now->from >= rebalance.begun && generations.contains(now->generation) &&
                        !is_forgotten(*now, rebalance);
      if (here && now->first_fetch) {
        HandOver one = hand_over(*now, before);
        const bool told = one.after_loss || one.policy || !one.again.empty() || !one.never.empty();
        if (told) found.push_back(std::move(one));
      }
      before = now;
    }
  }
  return found;
}

// Of a later group with the same name, which begins with generation 1 again.
bool HandOvers::is_forgotten(const Ownership& owned, const Rebalance& rebalance) const {
  return std::ranges::any_of(history_.deleted, [&](const DeletedGroup& deleted) {
    return deleted.group == rebalance.group && deleted.when > rebalance.begun &&
           deleted.when < owned.from;
  });
}

HandOver HandOvers::hand_over(const Ownership& now, const Ownership* before) const {
  HandOver one;
  one.partition = now.partition;
  one.process = now.process;
  const Moment& fetched = now.first_fetch->when;
  one.start = now.first_fetch->offset;
  one.after_loss = before != nullptr && was_lost(*before);
  one.commit = now.first_fetch->commit;
  for (const ResetFact& reset : history_.resets) {
    const bool its = reset.process == now.process && reset.partition == now.partition;
    if (its && reset.when > now.from && reset.when < fetched) one.policy = reset.policy;
  }
  const auto records = records_.find(now.partition);
  if (records == records_.end()) return one;
  const bool began = before != nullptr && before->first_fetch.has_value();
  // What was lost before the owner before began is its own story.
  const Offset low = began ? std::min(before->first_fetch->offset, one.start) : Offset(0);
  const auto first = std::partition_point(records->second.begin(), records->second.end(),
                                          [&](const auto& record) { return record.first < low; });
  for (auto record = first; record != records->second.end(); ++record) {
    const auto& [offset, name] = *record;
    if (offset < one.start) {
      if (!done_ever(name)) one.never.push_back(name);
      continue;
    }
    if (!done(name, now.process, &fetched, nullptr)) continue;
    const bool zombie = before != nullptr && before->process != now.process &&
                        done(name, before->process, nullptr, before->to ? &*before->to : nullptr);
    if (zombie || done(name, "", nullptr, &fetched)) one.again.push_back(name);
  }
  return one;
}

// By `process`, or by anybody if it is empty, between two moments if they are given. A record is
// done when its application is through with it, or when its invoice is in the log.
bool HandOvers::done(const std::string& record, const std::string& process, const Moment* after,
                     const Moment* before) const {
  const auto counts = [&](const std::string& who, const Moment& when) {
    return (process.empty() || who == process) && (after == nullptr || when > *after) &&
           (before == nullptr || when < *before);
  };
  const auto processed = history_.processed.find(record);
  if (processed != history_.processed.end()) {
    for (const Processed& one : processed->second) {
      if (counts(one.process, one.when)) return true;
    }
  }
  const auto invoices = history_.invoices.find(record);
  if (invoices == history_.invoices.end()) return false;
  return std::any_of(invoices->second.begin(), invoices->second.end(),
                     [&](const Appended& one) { return counts(one.producer, one.when); });
}

bool HandOvers::done_ever(const std::string& record) const {
  return done(record, "", nullptr, nullptr);
}

std::vector<std::string> lines_of(const std::vector<HandOver>& hand_overs,
                                  const PartitionNames& names) {
  std::vector<std::pair<std::string, std::string>> groups;  // meaning, partitions
  for (const HandOver& one : hand_overs) {
    const std::string meaning = meaning_of(one);
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& group) { return group.first == meaning; });
    if (same == groups.end()) {
      groups.emplace_back(meaning, names.short_name(one.partition));
    } else {
      same->second += " " + names.short_name(one.partition);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [meaning, partitions] : groups) {
    lines.push_back(fmt::format("{}: {}", partitions, meaning));
  }
  return lines;
}

}  // namespace fencepost::lab
