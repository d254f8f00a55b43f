// Why a group rebalances: by what the coordinator says (broker/core/group_rebalance.cc) and what
// the members said before that.
#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "common/events.h"
#include "lab/why/causes.h"

namespace fencepost::lab::why {
namespace {

void append(Chain& chain, Chain more) {
  for (Link& link : more) chain.push_back(std::move(link));
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The word behind `lead` in the coordinator's own text: a member id.
std::string word_after(std::string_view text, std::string_view lead) {
  const std::size_t at = text.find(lead);
  if (at == std::string_view::npos) return "";
  std::string_view rest = text.substr(at + lead.size());
  return std::string(rest.substr(0, rest.find_first_of(" ,:")));
}

}  // namespace

std::string Causes::process_of(const std::string& member) const {
  const auto found = evidence_.process_of_member.find(member);
  return found == evidence_.process_of_member.end() ? member : found->second;
}

const Member* Causes::member(const std::string& group, const std::string& id) const {
  const Member* found = nullptr;
  for (const Member& one : evidence_.members) {
    if (one.group == group && one.id == id) found = &one;
  }
  return found;
}

// By what it is configured to, else by what it said itself.
std::optional<Setting> Causes::member_time(const Member* member, const std::string& process,
                                           std::string_view property) const {
  if (auto known = settings_.of(process, property)) return known;
  if (member == nullptr) return {};
  const auto& told = property == "session.timeout.ms" ? member->session_ms : member->rebalance_ms;
  return told ? std::optional(settings_.told(property, *told)) : std::nullopt;
}

Chain Causes::of_rebalance(const StateChange& prepared) const {
  const std::string& why = prepared.reason;
  if (why.ends_with(" joined")) {
    const Member* const who = member(prepared.group, word_after(why, "member "));
    if (who != nullptr) return of_membership(*who);
  }
  if (why.ends_with(" rejoined")) {
    const std::string id = word_after(why, contains(why, "leader ") ? "leader " : "member ");
    return of_rejoin(process_of(id), prepared.group, prepared.when);
  }
  if (contains(why, " came back as ")) {
    const Member* const who = member(prepared.group, word_after(why, " came back as "));
    if (who != nullptr) return of_taken(*who);
  }
  if (contains(why, "group.max.size")) {
    Link link;
    link.kind = Kind::kGroupMaxSize;
    link.when = prepared.when;
    link.subject = prepared.group;
    link.setting = settings_.of_broker("group.max.size");
    return {link};
  }
  const Removal* removal = nullptr;
  for (const Removal& one : evidence_.removals) {
    const bool its = one.group == prepared.group && one.when < prepared.when &&
                     one.when.tick == prepared.when.tick;
    // Of several that leave together the first one begins it.
    if (its && (removal == nullptr || one.reason == why)) removal = &one;
  }
  if (removal != nullptr) return of_removal(*removal);
  return {};
}

const LeaveRequest* Causes::leave_of(const std::string& group, const std::string& id,
                                     const Moment& before) const {
  const Member* const who = member(group, id);
  const LeaveRequest* found = nullptr;
  for (const LeaveRequest& leave : evidence_.leaves) {
    if (leave.group != group || leave.sent > before) continue;
    for (const std::string& named : leave.members) {
      if (named == id || (who != nullptr && !named.empty() && named == who->instance)) {
        found = &leave;
      }
    }
  }
  return found;
}

Chain Causes::of_removal(const Removal& removal) const {
  const std::string process = process_of(removal.member);
  const Member* const who = member(removal.group, removal.member);
  Link link;
  link.when = removal.when;
  link.process = process;
  const bool session = contains(removal.reason, "session of member");
  const bool join = contains(removal.reason, "did not rejoin within");
  const bool sync = contains(removal.reason, "did not sync within");
  if (session || join || sync) {
    link.kind =
        session ? Kind::kSessionTimeout : (join ? Kind::kRebalanceTimeout : Kind::kSyncTimeout);
    link.setting =
        member_time(who, process, session ? "session.timeout.ms" : "max.poll.interval.ms");
    Tick from = removal.when.tick;
    if (session && removal.heard) {
      link.since = from = removal.heard->tick;
      link.detail = removal.heard->how;
    } else if (!session) {
      for (const StateChange& state : evidence_.states) {
        const bool its = state.group == removal.group && state.when < removal.when &&
                         state.to == (join ? "PreparingRebalance" : "CompletingRebalance");
        if (its) link.since = from = state.when.tick;
      }
    }
    // Another deadline than the member's own: that of a newcomer, or of a slower member.
    const bool its_own = link.since && link.setting && link.setting->span &&
                         removal.when.tick - *link.since == *link.setting->span;
    if (!its_own) link.setting.reset();
    Chain chain{link};
    // Its process may be gone since before the coordinator armed the session last.
    const Life* const life = who == nullptr ? nullptr : life_at(process, who->added);
    const bool gone = life != nullptr && life->ended && *life->ended < removal.when;
    Chain end = gone ? of_end(process, *life->ended) : Chain{};
    append(chain,
           end.empty() ? of_silence(process, from, removal.when, removal.busy) : std::move(end));
    return chain;
  }
  if (contains(removal.reason, " left")) {
    const LeaveRequest* const leave = leave_of(removal.group, removal.member, removal.when);
    if (leave != nullptr && leave->process == process) return of_leaving(*leave);
    link.kind = leave == nullptr ? Kind::kLeft : Kind::kRemovedBy;
    if (leave != nullptr) link.other = leave->process;
    return {link};
  }
  link.kind = Kind::kMeaning;
  link.detail = removal.reason;
  return {link};
}

const Removal* Causes::removal_of(const std::string& group, const std::string& member,
                                  const Moment& before) const {
  const Removal* found = nullptr;
  for (const Removal& removal : evidence_.removals) {
    const bool its = removal.group == group && removal.member == member;
    if (its && removal.when < before) found = &removal;
  }
  return found;
}

// A member that came under the group.instance.id of another one, or of its own former life.
Chain Causes::of_taken(const Member& taker) const {
  const std::string holder = process_of(taker.replaced);
  Link link;
  link.when = taker.added;
  link.subject = taker.instance;
  if (holder.empty() || holder == taker.process) {
    link.kind = Kind::kStaticReturned;
    link.process = taker.process;
  } else {
    link.kind = Kind::kInstanceTaken;
    link.process = holder;
    link.other = taker.process;
  }
  Chain chain{link};
  if (const Life* const life = life_at(taker.process, taker.added)) {
    chain.push_back(started(*life));
  }
  return chain;
}

Chain Causes::of_membership(const Member& member) const {
  if (!member.replaced.empty()) return of_taken(member);
  const Member* before = nullptr;
  for (const Member& one : evidence_.members) {
    const bool its = one.group == member.group && one.process == member.process;
    if (its && one.added < member.added) before = &one;
  }
  Link link;
  link.kind = before == nullptr ? Kind::kJoined : Kind::kJoinedAgain;
  link.when = member.added;
  link.process = member.process;
  Chain chain{link};
  const Life* const life = life_at(member.process, member.added);
  const bool same_life = before != nullptr && life != nullptr && before->added > life->joined;
  if (!same_life) {
    if (life != nullptr) chain.push_back(started(*life));
    return chain;
  }
  // It was told that it is no member any more, it gave that up by itself, or its application asked.
  const Unjoined* last = nullptr;
  for (const Unjoined& one : evidence_.unjoined) {
    const bool its =
        one.process == member.process && one.when < member.added && one.when > before->added;
    if (its) last = &one;
  }
  if (last != nullptr) {
    Chain why = of_unjoining(*last);
    const bool refused = contains(last->reason, " answered ");
    if (refused) {
      Link told;
      told.kind = Kind::kRefused;
      told.when = last->when;
      told.process = member.process;
      told.detail = last->reason.substr(0, last->reason.find(' '));
      told.subject = last->reason.substr(last->reason.rfind(' ') + 1);
      chain.push_back(told);
    }
    append(chain, std::move(why));
    return chain;
  }
  if (const Removal* const removal = removal_of(member.group, before->id, member.added)) {
    append(chain, of_removal(*removal));
    return chain;
  }
  append(chain, of_rejoin(member.process, member.group, member.added));
  return chain;
}

Chain Causes::of_topics(const std::string& process, const std::string& group,
                        const Moment& before) const {
  std::set<std::string> read;
  for (const Ownership& owned : history_.ownerships) {
    if (owned.group == group) read.insert(owned.partition.topic);
  }
  const TopicChange* found = nullptr;
  for (const TopicChange& change : evidence_.topics) {
    const bool later = change.when.tick > Tick(0) && change.when < before;
    if (later && read.contains(change.topic)) {
      found = &change;
    }
  }
  if (found == nullptr) return {};
  Link link;
  link.kind = found->what == events::kPartitionsAdded ? Kind::kPartitionsAdded
              : found->what == events::kTopicCreated  ? Kind::kTopicCreated
                                                      : Kind::kTopicDeleted;
  link.when = found->when;
  link.process = process;
  link.subject = found->topic;
  link.detail = found->partitions;
  link.other = found->process;
  return {link};
}

Chain Causes::of_rejoin(const std::string& process, const std::string& group,
                        const Moment& before) const {
  const JoinRequest* join = nullptr;
  for (const JoinRequest& one : evidence_.joins) {
    if (one.process == process && one.group == group && one.sent < before) join = &one;
  }
  Link link;
  link.kind = Kind::kRejoined;
  link.process = process;
  if (join == nullptr) return {link};
  link.when = join->sent;
  const std::string& reason = join->reason;
  std::optional<Link> call;
  Chain topics;
  if (reason == "cached metadata has changed") {
    link.kind = Kind::kMetadataChanged;
    link.setting = settings_.of(process, "metadata.max.age.ms");
    topics = of_topics(process, group, join->sent);
  } else if (reason == "the subscription has changed") {
    link.kind = Kind::kSubscriptionChanged;
    call = called(process, "subscribe", join->sent);
    if (!call) topics = of_topics(process, group, join->sent);
  } else if (reason == "rebalance enforced by user") {
    link.kind = Kind::kEnforced;
    call = called(process, "enforceRebalance", join->sent);
  } else if (reason == "need to revoke partitions and re-join") {
    link.kind = Kind::kGaveUp;
    link.subject = given_up(*join);
  } else {
    link.detail = reason;
    return of_answered_rejoin(*join, link);
  }
  Chain chain{link};
  if (call) chain.push_back(*call);
  append(chain, std::move(topics));
  return chain;
}

// What a cooperative member has revoked just before it joins again.
std::string Causes::given_up(const JoinRequest& join) const {
  std::set<TopicPartition> given;
  for (const Ownership& owned : history_.ownerships) {
    const bool its = owned.process == join.process && owned.group == join.group && owned.to &&
                     owned.end == Ownership::End::kRevoked && *owned.to < join.sent;
    if (its && owned.to->tick + TickSpan(1) >= join.sent.tick) given.insert(owned.partition);
  }
  std::vector<std::string> names;
  for (const TopicPartition& one : given) names.push_back(history_.names.short_name(one));
  return enumerated(names);
}

// "Heartbeat answered ILLEGAL_GENERATION"
Chain Causes::of_answered_rejoin(const JoinRequest& join, Link link) const {
  for (auto refusal = evidence_.refusals.rbegin(); refusal != evidence_.refusals.rend();
       ++refusal) {
    const bool its = refusal->process == join.process && refusal->first < join.sent &&
                     join.reason == refusal->api + " answered " + refusal->error;
    if (!its) continue;
    link.kind = Kind::kRefused;
    link.when = refusal->first;
    link.detail = refusal->api;
    link.subject = refusal->error;
    Chain chain{link};
    append(chain, of_refusal(*refusal));
    return chain;
  }
  Chain chain{link};
  Refusal moment;
  moment.first = join.sent;
  if (Chain loaded = of_loading(moment);
      loaded.size() > 1 && is_explained(loaded) && loaded.back().kind == Kind::kRestarted) {
    append(chain, std::move(loaded));
  } else if (const auto fault = fault_of(join.process, Tick(0), join.sent.tick)) {
    chain.push_back(*fault);
  }
  return chain;
}

Chain Causes::of_generation(const std::string& group, std::int32_t generation) const {
  const StateChange* prepared = nullptr;
  for (const StateChange& state : evidence_.states) {
    if (state.group != group) continue;
    if (state.to == "PreparingRebalance") prepared = &state;
    const bool formed = state.to == "CompletingRebalance" && state.generation == generation;
    if (formed && prepared != nullptr) return of_rebalance(*prepared);
  }
  return {};
}

}  // namespace fencepost::lab::why
