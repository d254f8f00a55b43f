#include "lab/expectations.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "lab/checkers/delivery.h"
#include "lab/why/expected.h"

namespace fencepost::lab {
namespace {

using Outcome = Verdict::Outcome;

std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 200;
  if (names.empty()) return "none";
  if (names.size() <= kShown) return fmt::format("{}", fmt::join(names, " "));
  return fmt::format("{} ... and {} more", fmt::join(names.begin(), names.begin() + kShown, " "),
                     names.size() - kShown);
}

class Judge {
 public:
  Judge(const Expectations& expected, const History& history, const wire::Plan* plan)
      : history_(history), plan_(plan), group_(expected.group), deliveries_(deliveries(history)) {
    if (group_.empty() && deliveries_.size() == 1) group_ = deliveries_.front().group;
  }

  Verdict operator()(const ExpectRecords& expected);
  Verdict operator()(const ExpectNumber& expected);
  Verdict operator()(const ExpectAssignments& expected);
  Verdict operator()(const ExpectPauses& expected);
  Verdict operator()(const ExpectError& expected);
  Verdict operator()(const ExpectOrder& expected);
  Verdict operator()(const ExpectEvent& expected);
  Verdict operator()(const ExpectCommitted& expected);
  Verdict operator()(const ExpectFetchFrom& expected);
  Verdict operator()(const ExpectLeaders& expected);
  Verdict operator()(const ExpectInvoicesOnce& expected);
  Verdict operator()(const ExpectWhy& expected);

 private:
  // A run that was cut short proves what it shows, but not what it does not show.
  Verdict held(bool holds, std::string found) const {
    Verdict verdict;
    verdict.detail = std::move(found);
    if (!holds) verdict.outcome = history_.ended ? Outcome::kInvalid : Outcome::kUnknown;
    if (!holds && !history_.ended) verdict.detail += "; the capture has no end";
    return verdict;
  }
  Verdict unknown(std::string why) const {
    Verdict verdict;
    verdict.outcome = Outcome::kUnknown;
    verdict.detail = std::move(why);
    return verdict;
  }
  bool has_one_group() const { return !group_.empty(); }
  Verdict needs_group() const {
    return unknown(deliveries_.empty() ? "no group was formed in this run"
                                       : "several groups: say which with `group`");
  }
  const Delivery* delivery() const;
  Verdict compare(const ExpectRecords& expected, const std::vector<std::string>& found) const;

  const History& history_;
  const wire::Plan* plan_;
  std::string group_;
  std::vector<Delivery> deliveries_;
  std::optional<why::WhyJudge> why_;  // made when it is asked
};

const Delivery* Judge::delivery() const {
  for (const Delivery& one : deliveries_) {
    if (one.group == group_) return &one;
  }
  return nullptr;
}

Verdict Judge::compare(const ExpectRecords& expected, const std::vector<std::string>& found) const {
  const bool holds = expected.names
                         ? *expected.names == found
                         : static_cast<std::int64_t>(found.size()) == expected.count.value_or(0);
  return held(holds, fmt::format("found {}{}", found.size(),
                                 found.empty() ? "" : ": " + names_text(found)));
}

Verdict Judge::operator()(const ExpectRecords& expected) {
  if (expected.what == ExpectRecords::What::kReads) {
    const auto reads = history_.reads.find(expected.reader);
    if (reads == history_.reads.end()) return compare(expected, {});
    std::vector<std::string> values;
    for (const ReadFact& read : reads->second.first) values.push_back(read.record);
    if (reads->second.count == static_cast<std::int64_t>(values.size())) {
      return compare(expected, values);
    }
    return held(!expected.names && reads->second.count == expected.count.value_or(0),
                fmt::format("found {}", reads->second.count));
  }
  const Delivery* found = delivery();
  if (found == nullptr) return needs_group();
  ExpectRecords sorted = expected;
  if (sorted.names) sort_records(*sorted.names);
  if (expected.what == ExpectRecords::What::kLost) return compare(sorted, found->lost);
  if (expected.what == ExpectRecords::What::kPending) return compare(sorted, found->pending);
  std::vector<std::string> names;
  for (const auto& [name, times] : found->duplicates) names.push_back(name);
  sort_records(names);
  return compare(sorted, names);
}

Verdict Judge::operator()(const ExpectNumber& expected) {
  if (!has_one_group()) return needs_group();
  const bool generations = expected.what == ExpectNumber::What::kGenerations;
  const auto found = generations ? stable_generations(history_, group_).size()
                                 : settled_rebalances(history_, group_).size();
  return held(static_cast<std::int64_t>(found) == expected.count, fmt::format("found {}", found));
}

Verdict Judge::operator()(const ExpectAssignments& expected) {
  if (!has_one_group()) return needs_group();
  const auto found = stable_generations(history_, group_);
  for (std::size_t index = 0; index < expected.generations.size(); ++index) {
    if (index >= found.size()) {
      return held(false, fmt::format("there are only {} generations", found.size()));
    }
    if (found[index]->assignment == expected.generations[index]) continue;
    std::string text;
    for (const auto& [process, partitions] : found[index]->assignment) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", process,
                          history_.names.list(partitions));
    }
    return held(false, fmt::format("generation {} is {}", found[index]->generation.value(), text));
  }
  return held(found.size() == expected.generations.size(),
              fmt::format("found {} generations", found.size()));
}

Verdict Judge::operator()(const ExpectPauses& expected) {
  if (!has_one_group()) return needs_group();
  std::vector<std::int64_t> found;
  bool open = false;
  for (const Rebalance* rebalance : settled_rebalances(history_, group_)) {
    for (const Pause& pause : rebalance->pauses) open = open || !pause.until;
    found.push_back(expected.what == ExpectPauses::What::kTicks
                        ? pause_ticks(*rebalance, history_.last_tick)
                        : static_cast<std::int64_t>(rebalance->pauses.size()));
  }
  if (open && expected.what == ExpectPauses::What::kTicks) {
    return unknown("the run ended while a partition was paused");
  }
  return held(found == expected.numbers, fmt::format("found [{}]", fmt::join(found, ", ")));
}

Verdict Judge::operator()(const ExpectError& expected) {
  std::int64_t count = 0;
  std::set<std::string> others;
  for (const auto& [key, fact] : history_.errors) {
    if (key.process != expected.process) continue;
    const bool same = key.error == expected.error || key.exception == expected.error;
    if (same && (expected.api.empty() || key.api == expected.api)) count += fact.count;
    others.insert(key.error == "NONE" ? key.exception : key.error);
  }
  const std::string found = count > 0 ? fmt::format("found {}", count)
                                      : fmt::format("not found; {} met: {}", expected.process,
                                                    names_text({others.begin(), others.end()}));
  return held(expected.count ? count == *expected.count : count > 0, found);
}

Verdict Judge::operator()(const ExpectOrder& expected) {
  const auto followed = std::ranges::find_if(history_.orders, [&](const OrderSeen& order) {
    return order.expected.process == expected.process && order.expected.apis == expected.apis;
  });
  const auto requests = history_.requests.find(expected.process);
  std::size_t next = 0;
  if (followed != history_.orders.end()) {
    next = followed->next;
  } else if (requests != history_.requests.end()) {
    for (const std::string_view api : requests->second) {
      if (next < expected.apis.size() && expected.apis[next] == api) ++next;
    }
    if (next < expected.apis.size() && requests->second.size() >= History::kRequestsKept) {
      return unknown("too many requests to know");
    }
  }
  if (next == expected.apis.size()) return held(true, "found");
  return held(false, fmt::format("{} sent no {} after {}", expected.process, expected.apis[next],
                                 next == 0 ? "the start" : expected.apis[next - 1]));
}

Verdict Judge::operator()(const ExpectEvent& expected) {
  const std::int64_t count = history_.watched.at(expected.watch);
  const std::int64_t least = expected.match.nth();
  return held(expected.count ? count == *expected.count : count >= least,
              fmt::format("found {}", count));
}

Verdict Judge::operator()(const ExpectCommitted& expected) {
  if (!has_one_group()) return needs_group();
  const auto committed = history_.committed(group_);
  for (const auto& [partition, offset] : expected.offsets) {
    const auto found = committed.find(partition);
    const auto stands = found == committed.end() ? std::nullopt : std::optional(found->second);
    if (stands == offset) continue;
    return held(false, fmt::format("{} is at {}", history_.names.short_name(partition),
                                   stands ? std::to_string(stands->value()) : "no offset"));
  }
  return held(true, "found");
}

Verdict Judge::operator()(const ExpectFetchFrom& expected) {
  std::vector<std::string> found;
  for (const Ownership& ownership : history_.ownerships) {
    if (ownership.process != expected.process) continue;
    if (ownership.partition != expected.partition || !ownership.first_fetch) continue;
    if (ownership.first_fetch->offset == expected.offset) return held(true, "found");
    found.push_back(std::to_string(ownership.first_fetch->offset.value()));
  }
  return held(false, fmt::format("it began at: {}", names_text(found)));
}

Verdict Judge::operator()(const ExpectLeaders& expected) {
  if (!has_one_group()) return needs_group();
  std::vector<std::string> found;
  for (const GenerationFact* generation : stable_generations(history_, group_)) {
    found.push_back(generation->leader);
  }
  return held(found == expected.leaders, fmt::format("found {}", names_text(found)));
}

Verdict Judge::operator()(const ExpectInvoicesOnce& /*expected*/) {
  const Delivery* found = delivery();
  if (found == nullptr) return needs_group();
  if (!found->by_invoices) return held(false, "nobody writes invoices");
  std::string text = fmt::format("{} of {} records have exactly one", found->once, found->records);
  if (found->records == 0) return unknown("there are no records");
  return held(found->once == found->records, text);
}

Verdict Judge::operator()(const ExpectWhy& expected) {
  if (history_.evidence == nullptr) return unknown("the causes were not read");
  if (!why_) why_.emplace(history_, plan_);
  const std::string found = why_->differs(expected, group_);
  return held(found.empty(), found.empty() ? "found" : found);
}

bool is_of(const std::string& wanted, const std::string& group) {
  return wanted.empty() || wanted == group;
}

}  // namespace

std::vector<Verdict> judge(const Expectations& expected, const History& history,
                           const wire::Plan* plan) {
  std::vector<Verdict> verdicts;
  Judge by(expected, history, plan);
  for (const Expectation& expectation : expected.list) {
    Verdict verdict = std::visit([&](const auto& fact) { return by(fact); }, expectation.fact);
    verdict.subject = expectation.text;
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

std::vector<const GenerationFact*> stable_generations(const History& history,
                                                      const std::string& group) {
  std::vector<const GenerationFact*> found;
  for (const GenerationFact& generation : history.generations) {
    if (is_of(group, generation.group) && generation.stable) found.push_back(&generation);
  }
  return found;
}

std::vector<const Rebalance*> settled_rebalances(const History& history, const std::string& group) {
  std::vector<const Rebalance*> found;
  for (const Rebalance& rebalance : history.rebalances) {
    const bool formed = std::any_of(
        rebalance.generations.begin(), rebalance.generations.end(),
        [&](std::size_t index) { return history.generations[index].stable.has_value(); });
    if (is_of(group, rebalance.group) && rebalance.settled && formed) found.push_back(&rebalance);
  }
  return found;
}

std::int64_t pause_ticks(const Rebalance& rebalance, Tick end) {
  std::int64_t ticks = 0;
  for (const Pause& pause : rebalance.pauses) {
    ticks += (pause.until.value_or(end) - pause.from).value();
  }
  return ticks;
}

}  // namespace fencepost::lab
