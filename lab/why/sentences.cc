#include "lab/why/sentences.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "lab/wording.h"

namespace fencepost::lab::why {
namespace {

// A member that joins again later than this after the begin of a rebalance is worth a word.
constexpr TickSpan kSoon{3};

std::string because(const std::string& what, const Chain& chain) {
  if (chain.empty()) return what + ".";
  return what + ": " + clauses(chain) + ".";
}

const Chain& first_of(const Explanation& one) {
  static const Chain none;
  return one.causes.empty() ? none : one.causes.front();
}

using Named = std::vector<std::pair<std::string, const Explanation*>>;

// "JoinGroup at ticks 3 and 68; Heartbeat 3 times, ticks 66 to 68": each name once.
std::vector<std::string> times(const Named& errors) {
  std::vector<std::string> texts;
  std::set<std::string> told;
  for (const auto& [name, first] : errors) {
    if (!told.insert(name).second) continue;
    std::vector<std::string> ticks;
    std::vector<std::string> stretches;
    for (const auto& [its, one] : errors) {
      if (its != name) continue;
      if (one->count > 1) {
        stretches.push_back(how_often(one->count, {one->when.tick, one->last.tick}));
        continue;
      }
      const std::string tick = std::to_string(one->when.tick.value());
      if (ticks.empty() || ticks.back() != tick) ticks.push_back(tick);
    }
    if (!ticks.empty()) {
      stretches.push_back(
          fmt::format("at tick{} {}", ticks.size() == 1 ? "" : "s", enumerated(ticks)));
    }
    texts.push_back(fmt::format("{} {}", name, fmt::join(stretches, ", ")));
  }
  return texts;
}

bool is_newcomer(const Chain& chain) {
  return chain.size() == 2 && chain[0].kind == Kind::kJoined && chain[1].kind == Kind::kStarted &&
         chain[1].by != "a person";
}

std::string ticks_text(std::int64_t ticks) { return counted(ticks, "partition tick"); }

}  // namespace

Sentences::Sentences(const Causes& causes)
    : causes_(causes), history_(causes.history()), hand_overs_(causes.history()) {}

// ---- rebalances ----

std::string Sentences::head_of(const Explanation& one) const {
  const std::string group =
      history_.groups().size() > 1 ? fmt::format(" of group {}", one.group) : "";
  const Rebalance& rebalance = history_.rebalances[*one.rebalance];
  const std::int64_t tick = one.when.tick.value();
  if (one.generations.empty()) {
    if (rebalance.settled) {
      return fmt::format("The group{} became Empty at tick {}",
                         group.empty() ? "" : " " + one.group, rebalance.settled->tick.value());
    }
    return fmt::format("A rebalance{} began at tick {}, and was not over when the run ended", group,
                       tick);
  }
  std::vector<std::string> numbers;
  for (const Generation generation : one.generations) {
    numbers.push_back(std::to_string(generation.value()));
  }
  std::string text = fmt::format("Rebalance{} to generation{} {} began at tick {}", group,
                                 numbers.size() > 1 ? "s" : "", enumerated(numbers), tick);
  if (!rebalance.settled) text += " and was not over when the run ended";
  return text;
}

// What it waited for: the initial delay, or the slowest of its members.
std::string Sentences::waited(const Explanation& one) const {
  const Rebalance& rebalance = history_.rebalances[*one.rebalance];
  if (rebalance.generations.empty()) return "";
  const Moment formed = history_.generations[rebalance.generations.front()].formed;
  for (const StateChange& state : causes_.evidence().states) {
    const bool delayed = state.when == formed && state.when.tick > one.when.tick &&
                         state.reason == "the initial rebalance delay has passed";
    if (!delayed) continue;
    const auto setting = causes_.settings().of_broker("group.initial.rebalance.delay.ms");
    return fmt::format(
        "The group was Empty, so the coordinator waited for more members until tick "
        "{}{}.",
        formed.tick.value(), setting ? ", " + setting_text(setting) : "");
  }
  const JoinRequest* last = nullptr;
  for (const JoinRequest& join : causes_.evidence().joins) {
    const bool its = join.group == one.group && join.sent > one.when && join.sent < formed;
    if (its && !join.member.empty()) last = &join;
  }
  if (last == nullptr || last->sent.tick < one.when.tick + kSoon) return "";
  return fmt::format("The last to join was {}, at tick {}.", last->process,
                     last->sent.tick.value());
}

// Members that simply came, too.
std::string Sentences::newcomers(const Explanation& one) const {
  std::vector<std::string> names;
  std::vector<std::string> ticks;
  for (std::size_t index = 1; index < one.causes.size(); ++index) {
    if (!is_newcomer(one.causes[index])) continue;
    names.push_back(one.causes[index].front().process);
    const std::string tick = std::to_string(one.causes[index].back().when.tick.value());
    if (std::ranges::find(ticks, tick) == ticks.end()) ticks.push_back(tick);
  }
  if (names.empty()) return "";
  return fmt::format("Meanwhile {} joined for the first time, started at tick{} {}.",
                     enumerated(names), ticks.size() == 1 ? "" : "s", enumerated(ticks));
}

// What else came on top: of one kind in one sentence.
std::vector<std::string> Sentences::on_top(const Explanation& one) const {
  std::vector<std::string> texts;
  std::optional<Kind> kind;
  for (std::size_t index = 1; index < one.causes.size(); ++index) {
    const Chain& more = one.causes[index];
    if (more.empty() || is_newcomer(more)) continue;
    if (kind == more.front().kind) {
      texts.back() += "; and " + clauses(more);
      continue;
    }
    kind = more.front().kind;
    texts.push_back((kind == Kind::kGaveUp ? "Then " : "Meanwhile ") + clauses(more));
  }
  for (std::string& text : texts) text += ".";
  return texts;
}

std::vector<std::string> Sentences::of_rebalance(const Explanation& one) const {
  std::vector<std::string> texts;
  texts.push_back(because(head_of(one), first_of(one)));
  if (std::string text = newcomers(one); !text.empty()) texts.push_back(std::move(text));
  for (std::string& text : on_top(one)) texts.push_back(std::move(text));
  if (std::string text = waited(one); !text.empty()) texts.push_back(std::move(text));
  if (one.wasted.value_or(false)) {
    texts.emplace_back("It was wasted: everybody owns what it owned before.");
  }
  const Rebalance& rebalance = history_.rebalances[*one.rebalance];
  if (one.cost && *one.cost > 0) {
    texts.push_back(one.generations.empty()
                        ? "Its partitions had no reader for " + ticks_text(*one.cost) + "."
                        : "It cost " + ticks_text(*one.cost) + ".");
  }
  if (one.cost && *one.cost == 0 && !rebalance.before.empty() && !one.generations.empty()) {
    texts.emplace_back("No partition was paused.");
  }
  for (std::string& text : of_hand_overs(hand_overs_.of(rebalance))) {
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string Sentences::invoices_or_records(const std::vector<std::string>& records,
                                           const std::string& process) const {
  std::vector<std::string> names = records;
  if (history_.writers.contains(process)) {
    for (std::string& name : names) name = "inv(" + name + ")";
  }
  return enumerated(names);
}

// Why nothing was committed that it could begin by.
std::string Sentences::reset_by(const HandOver& one) const {
  for (const ResetFact& reset : history_.resets) {
    const bool its = reset.process == one.process && reset.partition == one.partition &&
                     reset.offset == one.start;
    if (!its) continue;
    const Chain chain = causes_.of_reset(reset);
    const bool plain = chain.empty() || chain.front().kind == Kind::kNothingCommitted;
    return plain ? "nothing was committed" : clauses(chain);
  }
  return "nothing was committed";
}

// Somebody has set the committed offset back.
std::string Sentences::rewound(const HandOver& one) const {
  if (one.again.empty() || one.policy) return "";
  const auto group = history_.group_of.find(one.process);
  if (group == history_.group_of.end()) return "";
  for (const Link& link : causes_.of_duplicate(group->second, one.again.front())) {
    const bool back = link.kind == Kind::kCommitRewound || link.kind == Kind::kOffsetsReset;
    if (back) return ": " + clause(link);
  }
  return "";
}

// Partitions whose owners began alike share a sentence.
std::vector<std::string> Sentences::of_hand_overs(const std::vector<HandOver>& found) const {
  std::vector<std::string> texts;
  std::map<std::tuple<std::string, std::int64_t, std::string, std::string>,
           std::vector<std::string>>
      resets;
  for (const HandOver& one : found) {
    if (!one.policy) continue;
    resets[{one.process, one.start.value(), *one.policy, reset_by(one)}].push_back(
        history_.names.short_name(one.partition));
  }
  for (const auto& [key, partitions] : resets) {
    const auto& [process, start, policy, why] = key;
    texts.push_back(fmt::format("{} began {} at {} by auto.offset.reset={}: {}.", process,
                                enumerated(partitions), start, policy, why));
  }
  std::map<std::tuple<std::string, std::int64_t, std::string, std::int64_t>,
           std::vector<std::string>>
      plain;
  for (const HandOver& one : found) {
    const bool told = one.policy || !one.again.empty() || !one.never.empty();
    if (told || !one.commit || one.commit->offset != one.start) continue;
    plain[{one.process, one.start.value(), causes_.process_of(one.commit->process),
           one.commit->when.tick.value()}]
        .push_back(history_.names.short_name(one.partition));
  }
  for (const auto& [key, partitions] : plain) {
    const auto& [process, start, committer, tick] = key;
    texts.push_back(fmt::format("{} went on with {} at {}, committed by {} at tick {}.", process,
                                enumerated(partitions), start, committer, tick));
  }
  for (const HandOver& one : found) {
    const std::string name = history_.names.short_name(one.partition);
    std::string since = fmt::format("the committed offset of {} was {}", name, one.start.value());
    if (one.policy) since = fmt::format("{} began {} at {}", one.process, name, one.start.value());
    if (!one.again.empty()) {
      texts.push_back(fmt::format("{} {} {} again by {}, since {}{}.",
                                  invoices_or_records(one.again, one.process),
                                  one.again.size() == 1 ? "was" : "were",
                                  history_.writers.contains(one.process) ? "written" : "processed",
                                  one.process, since, rewound(one)));
    }
    if (!one.never.empty()) {
      const bool known = !one.policy && one.commit && one.commit->offset == one.start;
      const std::string_view were = one.never.size() == 1 ? "was" : "were";
      if (known) {
        since = fmt::format("{} had committed {}={} at tick {} before {} done",
                            causes_.process_of(one.commit->process), name, one.start.value(),
                            one.commit->when.tick.value(),
                            one.never.size() == 1 ? "it was" : "they were");
      }
      texts.push_back(
          fmt::format("{} {} never processed, since {}.", enumerated(one.never), were, since));
    }
  }
  return texts;
}

// ---- everything else ----

std::string Sentences::of_errors(const std::vector<const Explanation*>& errors) const {
  const Explanation& first = *errors.front();
  Named refused;
  Named reported;
  for (const Explanation* one : errors) {
    if (one->api.empty()) {
      const std::string& name = one->exception.empty() ? one->error : one->exception;
      reported.emplace_back(name, one);
    } else {
      refused.emplace_back(one->api, one);
    }
  }
  std::string what;
  if (!refused.empty()) {
    what = fmt::format("{} was refused with {} ({})", first.subject, first.error,
                       fmt::join(times(refused), "; "));
  }
  if (!reported.empty()) {
    const std::string who = what.empty() ? fmt::format("The client of {}", first.subject)
                                         : std::string(", and its client");
    what += fmt::format("{} reported {}", who, enumerated(times(reported)));
  }
  return because(what, first_of(first));
}

std::string Sentences::of_records(const std::vector<const Explanation*>& records) const {
  const Explanation& first = *records.front();
  std::vector<std::string> names;
  for (const Explanation* one : records) names.push_back(one->subject);
  const std::string_view be = names.size() == 1 ? "was" : "were";
  if (first.what == What::kLost) {
    return because(fmt::format("{} {} never processed", enumerated(names), be), first_of(first));
  }
  return because(
      fmt::format("{} {} {} again by {} at tick {}", invoices_or_records(names, first.process), be,
                  history_.writers.contains(first.process) ? "written" : "processed", first.process,
                  first.when.tick.value()),
      first_of(first));
}

std::string Sentences::of(const Explanation& one) const {
  switch (one.what) {
    case What::kRebalance: {
      std::string text;
      for (const std::string& part : of_rebalance(one)) {
        text += (text.empty() ? "" : " ") + part;
      }
      return text;
    }
    case What::kEviction:
      return because(fmt::format("{} was removed from group {} at tick {}", one.subject, one.group,
                                 one.when.tick.value()),
                     first_of(one));
    case What::kFence:
      return because(fmt::format("{} was fenced at tick {}", one.subject, one.when.tick.value()),
                     first_of(one));
    case What::kError:
      return of_errors({&one});
    case What::kReset:
      return because(fmt::format("{} began {} at tick {} by auto.offset.reset", one.process,
                                 one.subject, one.when.tick.value()),
                     first_of(one));
    case What::kDuplicate:
    case What::kLost:
      return of_records({&one});
  }
  return "";
}

}  // namespace fencepost::lab::why
