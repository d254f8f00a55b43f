// Why somebody was refused. One function per error code that has a cause in the group; for the
// others stands what Kafka means by them.
#include <algorithm>
#include <array>

#include <spdlog/fmt/fmt.h>

#include "common/error_code.h"
#include "lab/why/causes.h"

namespace fencepost::lab::why {
namespace {

void append(Chain& chain, Chain more) {
  for (Link& link : more) chain.push_back(std::move(link));
}

// A property that an error is about.
struct ErrorProperty {
  std::string_view error;
  std::string_view property;
  bool of_broker;
};
constexpr auto kProperties = std::to_array<ErrorProperty>({
    {"GROUP_MAX_SIZE_REACHED", "group.max.size", true},
    {"INVALID_SESSION_TIMEOUT", "session.timeout.ms", false},
});

}  // namespace

Chain Causes::of_refusal(const Refusal& refusal) const {
  Chain chain = of_known_error(refusal);
  if (is_explained(chain)) return chain;
  const std::string role = role_of(refusal.process);
  Link link;
  link.when = refusal.first;
  link.process = refusal.process;
  link.subject = refusal.error;
  if (role == "probe" || role == "admin") {
    link.kind = Kind::kScripted;
    link.detail = role == "probe" ? "its script sends the request" : "an administrator's command";
  } else {
    link.kind = Kind::kMeaning;
    const auto code = error_from_name(refusal.error);
    link.detail = code ? std::string(fencepost::info(*code).meaning) : refusal.error;
    for (const ErrorProperty& row : kProperties) {
      if (row.error != refusal.error) continue;
      link.setting = row.of_broker ? settings_.of_broker(row.property)
                                   : settings_.of(refusal.process, row.property);
      if (link.setting) link.detail += ": " + setting_text(link.setting);
    }
  }
  // A start of a chain is worth more than nothing.
  chain.push_back(std::move(link));
  return chain;
}

Chain Causes::of_known_error(const Refusal& refusal) const {
  Link link;
  link.process = refusal.process;
  link.when = refusal.first;
  const std::string& error = refusal.error;
  if (error == "MEMBER_ID_REQUIRED") {
    link.kind = Kind::kMemberIdRequired;
    return {link};
  }
  if (error == "UNKNOWN_MEMBER_ID") {
    const Removal* const removal = removal_of(refusal.group, refusal.member, refusal.first);
    if (removal != nullptr) {
      link.kind = Kind::kMembershipEnded;
      link.when = removal->when;
      link.process = process_of(removal->member);
      Chain chain{link};
      append(chain, of_removal(*removal));
      return chain;
    }
  }
  if (error == "FENCED_INSTANCE_ID" || error == "UNKNOWN_MEMBER_ID") {
    for (const Member& taker : evidence_.members) {
      const bool its = taker.group == refusal.group && taker.replaced == refusal.member &&
                       !taker.replaced.empty();
      if (its) return of_taken(taker);
    }
  }
  if (error == "ILLEGAL_GENERATION" || error == "REBALANCE_IN_PROGRESS") {
    return of_other_generation(refusal);
  }
  if (error == "INCONSISTENT_GROUP_PROTOCOL") return of_protocols(refusal);
  if (error == "OFFSET_OUT_OF_RANGE" && !refusal.places.empty()) {
    return of_unstored(refusal.group, refusal.places.front(), refusal.first);
  }
  const bool away = error == "NOT_COORDINATOR" || error == "COORDINATOR_NOT_AVAILABLE" ||
                    error == "COORDINATOR_LOAD_IN_PROGRESS" || error == "UNKNOWN_MEMBER_ID";
  if (error == "UNKNOWN_MEMBER_ID") {
    if (Chain removed = of_group_removal(refusal); !removed.empty()) return removed;
  }
  return away ? of_loading(refusal) : Chain{};
}

// The group has gone on without the member, or is about to.
Chain Causes::of_other_generation(const Refusal& refusal) const {
  const bool passed = refusal.error == "ILLEGAL_GENERATION";
  const StateChange* last = nullptr;
  for (const StateChange& state : evidence_.states) {
    const bool its = state.group == refusal.group && state.when < refusal.first &&
                     state.to == (passed ? "CompletingRebalance" : "PreparingRebalance");
    if (its) last = &state;
  }
  if (last == nullptr) return {};
  Link link;
  link.process = refusal.process;
  link.when = last->when;
  link.kind = passed ? Kind::kGenerationPassed : Kind::kRebalancing;
  link.subject = passed ? std::to_string(last->generation) : refusal.group;
  if (passed) link.detail = std::to_string(refusal.generation);
  Chain chain{link};
  Chain missed = passed ? of_missed_rebalance(refusal, *last) : Chain{};
  if (is_explained(missed)) {
    append(chain, std::move(missed));
  } else {
    append(chain, passed ? of_generation(refusal.group, last->generation) : of_rebalance(*last));
  }
  return chain;
}

// The generation was formed without it, since it did not join in time.
Chain Causes::of_missed_rebalance(const Refusal& refusal, const StateChange& formed) const {
  const StateChange* prepared = nullptr;
  for (const StateChange& state : evidence_.states) {
    const bool its = state.group == refusal.group && state.to == "PreparingRebalance";
    if (its && state.when < formed.when) prepared = &state;
  }
  if (prepared == nullptr) return {};
  for (const JoinRequest& join : evidence_.joins) {
    const bool its = join.process == refusal.process && join.sent > prepared->when;
    if (its && join.sent < formed.when) return {};
  }
  Link link;
  link.kind = Kind::kRebalanceTimeout;
  link.when = formed.when;
  link.process = refusal.process;
  link.since = prepared->when.tick;
  link.setting = settings_.of(refusal.process, "max.poll.interval.ms");
  const bool its_own = link.setting && link.setting->span &&
                       formed.when.tick - prepared->when.tick == *link.setting->span;
  if (!its_own) link.setting.reset();
  Chain chain{link};
  append(chain, of_silence(refusal.process, prepared->when.tick, formed.when, {}));
  return chain;
}

// What each member had in its JoinGroup.
Chain Causes::of_protocols(const Refusal& refusal) const {
  Link link;
  link.kind = Kind::kNoCommonAssignor;
  link.process = refusal.process;
  link.when = refusal.first;
  std::vector<std::string> others;
  for (const JoinRequest& join : evidence_.joins) {
    if (join.group != refusal.group || join.sent > refusal.first) continue;
    const std::string list = fmt::format("{}", fmt::join(join.protocols, ", "));
    const std::string text = join.process + " has " + list;
    if (join.process == refusal.process) {
      link.subject = list;
    } else if (std::ranges::find(others, text) == others.end()) {
      others.push_back(text);
    }
  }
  link.detail = fmt::format("{}", fmt::join(others, ", "));
  return {link};
}

// A broker that begins its first life has nothing to come back to.
bool Causes::is_restart(const Loaded& loaded) const {
  const Life* const life = life_at(loaded.broker, loaded.when);
  return life != nullptr && life->incarnation.value() > 1;
}

// Ids that a group has given out go with it, when it is removed before they are used.
Chain Causes::of_group_removal(const Refusal& refusal) const {
  const JoinRequest* first = nullptr;
  for (const JoinRequest& join : evidence_.joins) {
    const bool its = join.process == refusal.process && join.group == refusal.group;
    if (its && join.member.empty() && join.sent < refusal.first) first = &join;
  }
  if (first == nullptr) return {};
  for (const StateChange& state : evidence_.states) {
    const bool its = state.group == refusal.group && state.to == "Dead";
    if (!its || state.when < first->sent || state.when > refusal.first) continue;
    Link link;
    link.kind = Kind::kGroupRemoved;
    link.when = state.when;
    link.process = refusal.process;
    link.subject = refusal.group;
    link.detail = state.reason;
    return {link};
  }
  return {};
}

// The coordinator was away, and may have forgotten whom it had not stored yet.
Chain Causes::of_loading(const Refusal& refusal) const {
  for (auto loaded = evidence_.loads.rbegin(); loaded != evidence_.loads.rend(); ++loaded) {
    if (loaded->when > refusal.first) continue;
    if (!is_restart(*loaded)) return {};
    Link link;
    link.kind = Kind::kLoaded;
    link.when = loaded->when;
    link.process = loaded->broker;
    Chain chain{link};
    if (const Life* life = life_at(loaded->broker, loaded->when)) chain.push_back(started(*life));
    return chain;
  }
  return {};
}

// What a client tells its application is what it was told, unless it refuses by itself.
Chain Causes::of_report(const Reported& reported) const {
  for (auto refusal = evidence_.refusals.rbegin(); refusal != evidence_.refusals.rend();
       ++refusal) {
    const bool its = refusal->process == reported.process && refusal->first < reported.when &&
                     refusal->error == reported.error;
    if (its) return of_refusal(*refusal);
  }
  Link link;
  link.when = reported.when;
  link.process = reported.process;
  link.subject = reported.exception;
  const auto last = std::find_if(
      evidence_.unjoined.rbegin(), evidence_.unjoined.rend(), [&](const Unjoined& one) {
        return one.process == reported.process && one.when <= reported.when;
      });
  if (reported.exception == "CommitFailedException" && last != evidence_.unjoined.rend()) {
    link.kind = Kind::kLocalRefusal;
    link.when = last->when;
    Chain chain{link};
    append(chain, of_unjoining(*last));
    return chain;
  }
  if (reported.exception == "NoOffsetForPartitionException") {
    const auto group = history_.group_of.find(reported.process);
    // The client says for which group, and not for which partitions.
    for (const auto& removal : evidence_.offset_removals) {
      const bool its = group != history_.group_of.end() && removal.group == group->second;
      if (its && removal.when < reported.when) {
        return of_unstored(removal.group, removal.partition, reported.when);
      }
    }
    if (group != history_.group_of.end()) {
      return of_unstored(group->second, {}, reported.when);
    }
  }
  if (reported.exception == "RebalanceInProgressException") {
    const auto group = history_.group_of.find(reported.process);
    Refusal refusal;
    refusal.first = reported.when;
    refusal.process = reported.process;
    refusal.error = "REBALANCE_IN_PROGRESS";
    if (group != history_.group_of.end()) refusal.group = group->second;
    return of_refusal(refusal);
  }
  link.kind = Kind::kMeaning;
  const auto code = error_from_name(reported.error);
  link.detail = code && *code != ErrorCode::kNone ? std::string(fencepost::info(*code).meaning)
                                                  : reported.exception;
  if (const auto fault = fault_of(reported.process, Tick(0), reported.when.tick)) return {*fault};
  return {link};
}

}  // namespace fencepost::lab::why
