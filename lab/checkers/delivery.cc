#include "lab/checkers/delivery.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace fencepost::lab {
namespace {

// Sorts "o2.10" behind "o2.9".
auto sort_key(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const auto number = dot == std::string::npos ? std::nullopt : parse_integer(name.substr(dot + 1));
  return std::tuple(name.substr(0, dot), number.value_or(0), name);
}

std::set<std::string> topics_read_by(const History& history, const std::string& group) {
  std::set<std::string> topics;
  for (const Ownership& ownership : history.ownerships) {
    if (ownership.group == group) topics.insert(ownership.partition.topic);
  }
  return topics;
}

bool is_member(const History& history, const std::string& process, const std::string& group) {
  const auto found = history.group_of.find(process);
  return found != history.group_of.end() && found->second == group;
}

// How often the group did a record.
std::int64_t times_done(const History& history, const Delivery& delivery,
                        const std::string& record) {
  std::int64_t times = 0;
  if (delivery.by_invoices) {
    const auto invoices = history.invoices.find(record);
    if (invoices == history.invoices.end()) return 0;
    for (const Appended& invoice : invoices->second) {
      if (is_member(history, invoice.producer, delivery.group)) ++times;
    }
    return times;
  }
  const auto processed = history.processed.find(record);
  if (processed == history.processed.end()) return 0;
  for (const Processed& one : processed->second) {
    if (is_member(history, one.process, delivery.group)) ++times;
  }
  return times;
}

// No copy of the record will be read again.
bool is_passed(const RecordFact& fact, const std::map<TopicPartition, Offset>& committed) {
  return std::all_of(fact.appended.begin(), fact.appended.end(), [&](const Appended& copy) {
    const auto offset = committed.find(copy.partition);
    return offset != committed.end() && copy.offset < offset->second;
  });
}

bool did(const History& history, const Delivery& delivery, const std::vector<SettledBy>& settled) {
  return std::any_of(settled.begin(), settled.end(), [&](const SettledBy& by) {
    return is_member(history, by.process, delivery.group) && (by.invoiced || !delivery.by_invoices);
  });
}

// Settled records are done once by the groups that owned their partition then. A group that came
// later has not done them.
void add_settled(const History& history, const std::set<std::string>& topics,
                 const std::map<TopicPartition, Offset>& committed, Delivery& delivery) {
  for (const auto& [place, names] : history.settled) {
    const auto& [home, settled] = place;
    if (!topics.contains(home.topic)) continue;
    delivery.records += names.size();
    if (did(history, delivery, settled)) {
      delivery.once += names.size();
      continue;
    }
    for (const std::string& name : names.names()) {
      const Offset offset(parse_integer(name.substr(name.rfind('.') + 1)).value_or(0));
      const bool passed = is_passed({home, {{Moment{}, home, offset, ""}}}, committed);
      (passed ? delivery.lost : delivery.pending).push_back(name);
    }
  }
}

Delivery delivery_of(const History& history, const std::string& group) {
  Delivery delivery;
  delivery.group = group;
  delivery.by_invoices =
      std::any_of(history.writers.begin(), history.writers.end(),
                  [&](const std::string& writer) { return is_member(history, writer, group); });
  const std::set<std::string> topics = topics_read_by(history, group);
  const std::map<TopicPartition, Offset> committed = history.committed(group);
  for (const auto& [name, fact] : history.records) {
    if (!topics.contains(fact.home.topic)) continue;
    ++delivery.records;
    const std::int64_t times = times_done(history, delivery, name);
    if (times == 1) ++delivery.once;
    if (times > 1) delivery.duplicates[name] = times;
    if (times > 0) continue;
    (is_passed(fact, committed) ? delivery.lost : delivery.pending).push_back(name);
  }
  add_settled(history, topics, committed, delivery);
  sort_records(delivery.lost);
  sort_records(delivery.pending);
  return delivery;
}

}  // namespace

void sort_records(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end(), [](const std::string& left, const std::string& right) {
    return sort_key(left) < sort_key(right);
  });
}

std::vector<Delivery> deliveries(const History& history) {
  std::vector<Delivery> found;
  for (const std::string& group : history.groups()) found.push_back(delivery_of(history, group));
  return found;
}

Verdict check_delivery(const History& history) {
  Verdict verdict;
  verdict.subject = "every invoice is for a record that a source wrote";
  for (const auto& [record, invoices] : history.invoices) {
    if (history.records.contains(record) || history.all_settled.contains(record)) continue;
    if (verdict.details.size() >= History::kFindingsKept) break;
    verdict.details.push_back(fmt::format("invented: inv({}) by {} at tick {}", record,
                                          invoices.front().producer,
                                          invoices.front().when.tick.value()));
  }
  if (!verdict.details.empty()) verdict.outcome = Verdict::Outcome::kInvalid;
  return verdict;
}

}  // namespace fencepost::lab
