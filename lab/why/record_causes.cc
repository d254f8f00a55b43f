// Why a consumer began where it did, why a record was done twice, and why it was never done.
#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lab/why/causes.h"

namespace fencepost::lab::why {
namespace {

void append(Chain& chain, Chain more) {
  for (Link& link : more) chain.push_back(std::move(link));
}

Offset offset_in(const std::string& record) {
  return Offset(parse_integer(std::string_view(record).substr(record.rfind('.') + 1)).value_or(0));
}

}  // namespace

// ---- positions ----

Chain Causes::of_unstored(const std::string& group, const TopicPartition& where,
                          const Moment& before) const {
  Link link;
  link.subject = history_.names.short_name(where);
  if (where.topic.empty()) link.subject = "what it reads";
  const auto first = evidence_.first_commits.find({group, where});
  const bool ever = first != evidence_.first_commits.end() && first->second.when < before;
  const OffsetRemoval* removal = nullptr;
  for (const OffsetRemoval& one : evidence_.offset_removals) {
    const bool its = one.group == group && one.partition == where && one.when < before;
    if (its) removal = &one;
  }
  if (removal != nullptr) {
    link.when = removal->when;
    link.detail = removal->reason;
    link.kind = Kind::kOffsetsDeleted;
    if (!removal->reason.starts_with("expired")) return {link};
    link.kind = Kind::kOffsetsExpired;
    link.setting = settings_.of_broker("offsets.retention.minutes");
    Chain chain{link};
    const StateChange* empty = nullptr;
    for (const StateChange& state : evidence_.states) {
      const bool its = state.group == group && state.to == "Empty" && state.when < removal->when;
      if (its) empty = &state;
    }
    if (empty == nullptr) return chain;
    Link since;
    since.kind = Kind::kGroupEmpty;
    since.when = empty->when;
    since.subject = group;
    chain.push_back(since);
    const auto last = std::find_if(
        evidence_.removals.rbegin(), evidence_.removals.rend(),
        [&](const Removal& one) { return one.group == group && one.when < empty->when; });
    if (last != evidence_.removals.rend()) append(chain, of_removal(*last));
    return chain;
  }
  const LogBegin* begin = nullptr;
  for (const LogBegin& one : evidence_.log_begins) {
    if (one.partition == where && one.when < before) begin = &one;
  }
  if (!ever && begin == nullptr) {
    link.kind = Kind::kNothingCommitted;
    link.when = {before.tick, 0};
    return {link};
  }
  Chain chain;
  if (begin != nullptr) {
    link.kind = Kind::kLogDeleted;
    link.when = begin->when;
    link.detail = std::to_string(begin->begin.value());
    link.setting = settings_.of_broker("log.retention.ms");
    chain.push_back(link);
  }
  return chain;
}

Chain Causes::of_reset(const ResetFact& reset) const {
  const auto group = history_.group_of.find(reset.process);
  if (group != history_.group_of.end()) {
    return of_unstored(group->second, reset.partition, reset.when);
  }
  Link link;
  link.kind = Kind::kNothingCommitted;
  link.when = {reset.when.tick, 0};
  link.subject = history_.names.short_name(reset.partition);
  return {link};
}

const ResetFact* Causes::reset_in(const Ownership& owned) const {
  const ResetFact* found = nullptr;
  for (const ResetFact& reset : history_.resets) {
    const bool its = reset.process == owned.process && reset.partition == owned.partition &&
                     reset.when > owned.from && owned.first_fetch &&
                     reset.when < owned.first_fetch->when;
    if (its) found = &reset;
  }
  return found;
}

Link Causes::committed_by(const OffsetFact& commit, Kind kind) const {
  Link link;
  link.kind = kind;
  link.when = commit.when;
  link.process = process_of(commit.process);
  link.subject = history_.names.short_name(commit.partition);
  link.detail = std::to_string(commit.offset.value_or(Offset(0)).value());
  const std::string role = role_of(link.process);
  if (link.process.empty() || role == "admin") {
    link.kind = Kind::kOffsetsReset;
    if (link.process.empty()) link.process = "an administrator";
  }
  return link;
}

// ---- who had a partition, and how that ended ----

const Ownership* Causes::ownership_of(const std::string& group, const TopicPartition& where,
                                      const std::string& process, const Moment& before) const {
  const Ownership* found = nullptr;
  for (const Ownership& owned : history_.ownerships) {
    const bool its = owned.group == group && owned.partition == where && owned.process == process;
    if (its && owned.from < before) found = &owned;
  }
  return found;
}

Chain Causes::of_ownership_end(const Ownership& owned) const {
  if (owned.evicted) {
    const Moment after{owned.evicted->tick, owned.evicted->record + 1};
    if (const Removal* const removal = removal_of(owned.group, owned.member, after)) {
      return of_removal(*removal);
    }
    for (const Member& taker : evidence_.members) {
      if (taker.replaced == owned.member && taker.group == owned.group) return of_taken(taker);
    }
  }
  if (!owned.to) return {};
  if (owned.end == Ownership::End::kDied) return of_end(owned.process, *owned.to);
  const Moment after{owned.to->tick, owned.to->record + 1};
  if (owned.end == Ownership::End::kLost) {
    const Unjoined* last = nullptr;
    for (const Unjoined& one : evidence_.unjoined) {
      if (one.process == owned.process && one.when < after) last = &one;
    }
    return last == nullptr ? Chain{} : of_unjoining(*last);
  }
  for (const LeaveRequest& leave : evidence_.leaves) {
    const bool its = leave.process == owned.process && leave.sent.tick == owned.to->tick;
    if (its) return of_leaving(leave);
  }
  const StateChange* prepared = nullptr;
  for (const StateChange& state : evidence_.states) {
    const bool its = state.group == owned.group && state.to == "PreparingRebalance";
    if (its && state.when < after) prepared = &state;
  }
  if (prepared == nullptr) return {};
  Link link;
  link.kind = Kind::kRebalancing;
  link.when = prepared->when;
  link.subject = owned.group;
  Chain chain{link};
  append(chain, of_rebalance(*prepared));
  return chain;
}

// ---- records ----

// Who did it and when, in order: by invoices where the group writes some.
std::vector<Processed> Causes::done(const std::string& group, const std::string& record) const {
  const auto is_member = [&](const std::string& process) {
    const auto its = history_.group_of.find(process);
    return its != history_.group_of.end() && its->second == group;
  };
  std::vector<Processed> found;
  const auto invoices = history_.invoices.find(record);
  if (invoices != history_.invoices.end()) {
    for (const Appended& one : invoices->second) {
      if (is_member(one.producer)) found.push_back({one.when, one.producer});
    }
    return found;
  }
  const auto processed = history_.processed.find(record);
  if (processed == history_.processed.end()) return found;
  for (const Processed& one : processed->second) {
    if (is_member(one.process)) found.push_back(one);
  }
  return found;
}

Chain Causes::of_retry(const Retry& retry) const {
  Link link;
  link.kind = Kind::kProduceRetry;
  link.when = retry.when;
  link.process = retry.process;
  link.subject = enumerated(retry.records);
  link.detail = retry.reason;
  const bool consumer = role_of(retry.process) == "consumer";
  const auto timeout = settings_.of(
      retry.process, consumer ? "app.producer.request.timeout.ms" : "request.timeout.ms");
  if (retry.reason == "REQUEST_TIMED_OUT") link.setting = timeout;
  Chain chain{link};
  const std::int64_t span = timeout && timeout->span ? timeout->span->value() : 0;
  const Tick from(std::max<std::int64_t>(0, retry.when.tick.value() - span - 1));
  if (const auto fault = fault_of(retry.process, from, retry.when.tick)) {
    chain.push_back(*fault);
    return chain;
  }
  // The other end was not there.
  for (auto life = history_.lives.rbegin(); life != history_.lives.rend(); ++life) {
    const bool broker = life->role == "broker" && life->ended && *life->ended <= retry.when;
    if (!broker) continue;
    append(chain, of_end(life->process, *life->ended));
    break;
  }
  return chain;
}

Chain Causes::of_duplicate(const std::string& group, const std::string& record) const {
  const std::vector<Processed> times = done(group, record);
  const auto fact = history_.records.find(record);
  if (times.size() < 2 || fact == history_.records.end()) return {};
  const Processed& first = times[0];
  const Processed& again = times[1];
  const std::string invoice = "inv(" + record + ")";
  for (const Retry& retry : evidence_.retries) {
    const bool own = retry.process == again.process &&
                     std::ranges::find(retry.records, invoice) != retry.records.end();
    const bool source = fact->second.appended.size() > 1 &&
                        std::ranges::find(retry.records, record) != retry.records.end();
    if ((own || source) && retry.when < again.when) return of_retry(retry);
  }
  const TopicPartition& home = fact->second.home;
  const Ownership* const now = reading(group, home, again);
  const Ownership* const former = reading(group, home, first);
  if (now == nullptr) return {};
  // It had the record in hand before the other one began: a zombie.
  const bool zombie = former != nullptr && again.process != first.process &&
                      former->first_fetch->when > now->first_fetch->when;
  if (!zombie) return of_repetition(group, home, *now, first);
  Chain chain = of_begin(home, *former);
  Link link;
  link.kind = Kind::kStillAtIt;
  link.when = again.when;
  link.process = again.process;
  chain.push_back(link);
  append(chain, of_ownership_end(*now));
  return chain;
}

// The time as owner in which somebody did a record.
const Ownership* Causes::reading(const std::string& group, const TopicPartition& home,
                                 const Processed& done) const {
  const Ownership* found = nullptr;
  for (const Ownership& owned : history_.ownerships) {
    const bool its = owned.group == group && owned.partition == home &&
                     owned.process == done.process && owned.first_fetch;
    if (its && owned.first_fetch->when < done.when) found = &owned;
  }
  return found;
}

// From where an owner began, and why.
Chain Causes::of_begin(const TopicPartition& home, const Ownership& now) const {
  Link link;
  link.kind = Kind::kCommitBehind;
  link.when = now.first_fetch->when;
  link.process = now.process;
  link.subject = history_.names.short_name(home);
  link.detail = std::to_string(now.first_fetch->offset.value());
  const ResetFact* const reset = reset_in(now);
  if (reset == nullptr) return {link};
  link.kind = Kind::kPositionReset;
  link.when = reset->when;
  link.setting = Setting{"auto.offset.reset", reset->policy, false, {}};
  Chain chain{link};
  append(chain, of_reset(*reset));
  return chain;
}

// The first commit that was refused after it was done, and before another began there.
const Refusal* Causes::refused_commit(const std::string& group, const Processed& done,
                                      const Ownership& next) const {
  for (const Refusal& refusal : evidence_.refusals) {
    const bool its =
        refusal.api == "OffsetCommit" && refusal.process == done.process && refusal.group == group;
    if (its && refusal.sent > done.when && refusal.sent < next.first_fetch->when) return &refusal;
  }
  return nullptr;
}

Chain Causes::of_repetition(const std::string& group, const TopicPartition& home,
                            const Ownership& now, const Processed& first) const {
  Chain chain = of_begin(home, now);
  // Where something was committed and is gone, that is the whole reason.
  const bool reset = chain.front().kind == Kind::kPositionReset;
  const bool never = chain.back().kind == Kind::kNothingCommitted;
  if (reset && !never) return chain;
  const Rewind* rewound = nullptr;
  for (const Rewind& one : evidence_.rewinds) {
    const bool its =
        one.group == group && one.partition == home && one.to <= now.first_fetch->offset;
    if (its && one.when < now.first_fetch->when && one.when > first.when) rewound = &one;
  }
  if (rewound != nullptr && !reset) {
    OffsetFact commit{rewound->when, rewound->process, group, home, rewound->to};
    Link back = committed_by(commit, Kind::kCommitRewound);
    if (rewound->member.empty()) back.kind = Kind::kOffsetsReset;
    if (back.kind == Kind::kCommitRewound) {
      for (const Ownership& owned : history_.ownerships) {
        const bool its = owned.partition == home && owned.process != back.process &&
                         owned.from < rewound->when && (!owned.to || *owned.to > rewound->when);
        if (its) back.other = owned.process;
      }
      const auto kept = settings_.of(back.process, "app.keep.stored.offsets");
      if (kept && kept->value == "true") back.setting = kept;
    }
    chain.push_back(back);
    return chain;
  }
  Link undone;
  undone.kind = Kind::kNotCommitted;
  undone.when = first.when;
  undone.process = first.process;
  undone.subject = "it";
  if (const Refusal* const refused = refused_commit(group, first, now)) {
    undone.detail = refused->error;
    undone.since = refused->first.tick;
  }
  chain.push_back(undone);
  const Ownership* const before = ownership_of(group, home, first.process, first.when);
  if (before == &now) {
    if (const auto call =
            called(first.process, "seek", now.to.value_or(Moment{history_.last_tick, 0}))) {
      chain.push_back(*call);
    }
    return chain;
  }
  if (before != nullptr) append(chain, of_ownership_end(*before));
  return chain;
}

Chain Causes::of_loss(const std::string& group, const std::string& record) const {
  const auto fact = history_.records.find(record);
  const std::size_t dot = record.rfind('.');
  std::optional<TopicPartition> home = history_.names.parse(record.substr(0, dot));
  if (fact != history_.records.end()) home = fact->second.home;
  if (!home) return {};
  const Offset offset = offset_in(record);
  const Ownership* before = nullptr;
  const Ownership* skips = nullptr;
  for (const Ownership& owned : history_.ownerships) {
    if (owned.group != group || owned.partition != *home || !owned.first_fetch) continue;
    if (owned.first_fetch->offset > offset) {
      skips = &owned;
      break;
    }
    before = &owned;
  }
  Chain chain;
  if (skips == nullptr) {
    // It went past the record without doing it.
    for (const LogBegin& begin : evidence_.log_begins) {
      const bool its = begin.partition == *home && begin.begin > offset;
      if (its) return of_unstored(group, *home, {begin.when.tick, begin.when.record + 1});
    }
  } else if (const ResetFact* const reset = reset_in(*skips)) {
    Link link;
    link.kind = Kind::kPositionReset;
    link.when = reset->when;
    link.process = skips->process;
    link.subject = history_.names.short_name(*home);
    link.detail = std::to_string(reset->offset.value());
    link.setting = Setting{"auto.offset.reset", reset->policy, false, {}};
    chain.push_back(link);
    append(chain, of_reset(*reset));
    return chain;
  } else if (skips->first_fetch->commit) {
    Link link = committed_by(*skips->first_fetch->commit, Kind::kCommitAhead);
    if (link.kind == Kind::kCommitAhead) {
      const auto order = settings_.of(link.process, "app.commit");
      const auto automatic = settings_.of(link.process, "enable.auto.commit");
      if (order && order->value == "before") link.setting = order;
      if (!link.setting && automatic && automatic->value == "true") link.setting = automatic;
      link.other = skips->process;
    }
    chain.push_back(link);
    if (link.kind == Kind::kOffsetsReset) return chain;
  }
  if (before == nullptr) return chain;
  if (skips == nullptr && !history_.writers.contains(before->process) &&
      !history_.writers.empty()) {
    Link link;
    link.kind = Kind::kNoOutput;
    link.when = before->from;
    link.process = before->process;
    return {link};
  }
  Link undone;
  undone.kind = Kind::kNotDone;
  undone.when = before->to.value_or(before->from);
  undone.process = before->process;
  undone.subject = "it";
  chain.push_back(undone);
  append(chain, of_ownership_end(*before));
  return chain;
}

}  // namespace fencepost::lab::why
