#include "broker/core/group_rebalance.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "broker/core/coordinator_key.h"
#include "broker/core/group_answers.h"
#include "common/check.h"
#include "common/events.h"

namespace fencepost::broker {
namespace {

constexpr std::string_view kInitialDelay = "group.initial.rebalance.delay.ms";
constexpr std::string_view kRebalanceTimeout = "rebalance.timeout.ms";
constexpr std::string_view kSyncTimeout = "sync.timeout";
constexpr std::string_view kSessionTimeout = "session.timeout.ms";

TimerKey group_timer(TimerKind kind, const Group& group) {
  return {.kind = kind, .group = group.id.value(), .member = {}, .fetch = 0};
}

TimerKey session_timer(const Group& group, const MemberId& member) {
  return {
      .kind = TimerKind::kSession, .group = group.id.value(), .member = member.value(), .fetch = 0};
}

void report_member(std::string_view event, const Group& group, const Member& member, Turn& turn) {
  turn.report(events::make(
      event,
      {{"group", group.id.value()}, {"member", member.id.value()}, {"client", member.client_id}}));
}

}  // namespace

void GroupRebalance::transition(Group& group, GroupState to, const std::string& why, Turn& turn) {
  const GroupState from = group.state();
  group.status.transition(to, why, config_.virtual_ms(turn.now));
  turn.report(
      events::make(events::kGroupState, {{"group", group.id.value()},
                                         {"from", std::string(name_of(from))},
                                         {"to", std::string(name_of(to))},
                                         {"generation", std::to_string(group.generation.value())},
                                         {"reason", why},
                                         {"members", group.member_list()}}));
}

void GroupRebalance::park_join(Group& group, Member& member, const RequestId& join) {
  member.parked_join = join;
  member.join_order = group.next_join_order++;
}

void GroupRebalance::add(Group& group, Member member, const RequestId& join, Turn& turn) {
  CHECK(!group.members.contains(member.id), "member {}", member.id.value());
  group.pending_join.erase(member.id);
  if (group.members.empty()) group.protocol_type = member.protocol_type;
  if (!group.leader) group.leader = member.id;
  if (member.instance_id) group.static_ids[*member.instance_id] = member.id;
  if (group.in(GroupState::kPreparingRebalance) && group.status.previous() == GroupState::kEmpty) {
    group.new_member_added = true;
  }
  Member& added = group.members.emplace(member.id, std::move(member)).first->second;
  park_join(group, added, join);
  deadlines_.arm(session_timer(group, added.id), config_.ticks(kNewMemberJoinTimeoutMs),
                 kSessionTimeout, turn);
  report_member(events::kMemberAdded, group, added, turn);
}

void GroupRebalance::remove(Group& group, const MemberId& id, const std::string& why, Turn& turn) {
  cancel_session(group, id);
  group.pending_join.erase(id);
  const auto found = group.members.find(id);
  if (found == group.members.end()) return;
  const Member member = std::move(found->second);
  group.members.erase(found);
  synced(group, member.id);
  if (member.instance_id) group.static_ids.erase(*member.instance_id);
  if (group.is_leader(member.id)) {
    group.leader.reset();
    if (!group.members.empty()) group.leader = group.members.begin()->first;
  }
  if (member.parked_sync) {
    turn.respond(*member.parked_sync, sync_refused(ErrorCode::kUnknownMemberId));
  }
  turn.report(events::make(events::kMemberRemoved, {{"group", group.id.value()},
                                                    {"member", member.id.value()},
                                                    {"client", member.client_id},
                                                    {"reason", why}}));
}

// An assignment that was under way is void: whoever waits for it must rejoin.
void GroupRebalance::cancel_syncs(Group& group, Turn& turn) {
  for (auto& [member_id, member] : group.members) {
    member.assignment.clear();
    if (!member.parked_sync) continue;
    turn.respond(*member.parked_sync, sync_refused(ErrorCode::kRebalanceInProgress));
    member.parked_sync.reset();
    arm_session(group, member, turn);
  }
}

void GroupRebalance::prepare(Group& group, const std::string& why, Turn& turn) {
  if (group.in(GroupState::kCompletingRebalance)) cancel_syncs(group, turn);
  group.pending_sync.clear();
  deadlines_.cancel(group_timer(TimerKind::kSync, group));
  const TickSpan rebalance = config_.ticks(group.rebalance_timeout_ms());
  if (group.in(GroupState::kEmpty)) {
    const TickSpan delay = config_.ticks(config_.initial_delay_ms);
    const std::int64_t remaining = std::max<std::int64_t>(rebalance.value() - delay.value(), 0);
    group.initial_wait = InitialWait{delay, TickSpan(remaining)};
    arm_join(group, delay, kInitialDelay, turn);
    transition(group, GroupState::kPreparingRebalance, why, turn);
    return;
  }
  transition(group, GroupState::kPreparingRebalance, why, turn);
  if (group.all_joined()) {
    complete(group, group.members.empty() ? "no members left" : "all members have joined", turn);
  } else {
    arm_join(group, rebalance, kRebalanceTimeout, turn);
  }
}

void GroupRebalance::try_complete(Group& group, Turn& turn) {
  if (!group.in(GroupState::kPreparingRebalance)) return;
  if (group.status.previous() == GroupState::kEmpty || !group.all_joined()) return;
  complete(group, group.members.empty() ? "no members left" : "all members have joined", turn);
}

void GroupRebalance::arm_join(const Group& group, TickSpan delay, std::string_view name,
                              Turn& turn) {
  deadlines_.arm(group_timer(TimerKind::kJoin, group), delay, name, turn);
}

void GroupRebalance::join_expired(Group& group, Turn& turn) {
  CHECK(group.in(GroupState::kPreparingRebalance), "group {}", group.id.value());
  if (group.initial_wait) {
    initial_expired(group, turn);
  } else {
    complete(group, "the rebalance timeout has passed", turn);
  }
}

// Waits on as long as members keep coming, up to the rebalance timeout seen at the beginning.
void GroupRebalance::initial_expired(Group& group, Turn& turn) {
  const InitialWait wait = *group.initial_wait;
  if (!group.new_member_added || wait.remaining == TickSpan(0)) {
    complete(group, "the initial rebalance delay has passed", turn);
    return;
  }
  group.new_member_added = false;
  const TickSpan delay = std::min(config_.ticks(config_.initial_delay_ms), wait.remaining);
  const std::int64_t left = std::max<std::int64_t>(wait.remaining.value() - wait.delay.value(), 0);
  group.initial_wait = InitialWait{delay, TickSpan(left)};
  arm_join(group, delay, kInitialDelay, turn);
}

void GroupRebalance::complete(Group& group, const std::string& why, Turn& turn) {
  group.initial_wait.reset();
  deadlines_.cancel(group_timer(TimerKind::kJoin, group));
  remove_those_who_did_not_rejoin(group, turn);
  if (!elect_leader(group)) {
    // Only absent static members are left. At least a tick, or a timeout of 0 would never let go.
    const std::int64_t wait = config_.ticks(group.rebalance_timeout_ms()).value();
    arm_join(group, TickSpan(std::max<std::int64_t>(wait, 1)), kRebalanceTimeout, turn);
    return;
  }
  CHECK(group.generation.value() < std::numeric_limits<std::int32_t>::max());
  group.generation = Generation(group.generation.value() + 1);
  group.pending_sync.clear();
  if (!group.members.empty()) {
    complete_with_members(group, why, turn);
    return;
  }
  group.protocol_name.reset();
  group.subscribed = group.subscribed_topics();
  transition(group, GroupState::kEmpty, "no members left", turn);
  append_metadata(group, turn);
}

void GroupRebalance::remove_those_who_did_not_rejoin(Group& group, Turn& turn) {
  std::vector<MemberId> missing;
  for (const auto& [member_id, member] : group.members) {
    if (!member.parked_join && !member.instance_id) missing.push_back(member_id);
  }
  for (const MemberId& member : missing) {
    remove(group, member,
           fmt::format("member {} did not rejoin within the rebalance timeout", member.value()),
           turn);
  }
}

bool GroupRebalance::elect_leader(Group& group) {
  if (group.members.empty()) return true;
  if (group.leader && group.members.at(*group.leader).parked_join) return true;
  const Member* first = nullptr;
  for (const auto& [member_id, member] : group.members) {
    if (!member.parked_join) continue;
    if (first == nullptr || member.join_order < first->join_order) first = &member;
  }
  if (first == nullptr) return false;
  group.leader = first->id;
  return true;
}

void GroupRebalance::complete_with_members(Group& group, const std::string& why, Turn& turn) {
  group.protocol_name = group.vote();
  group.subscribed = group.subscribed_topics();
  transition(group, GroupState::kCompletingRebalance, why, turn);
  for (auto& [member_id, member] : group.members) {
    if (member.parked_join) turn.respond(*member.parked_join, join_accepted(group, member));
    member.parked_join.reset();
    member.is_new = false;
    arm_session(group, member, turn);
    group.pending_sync.insert(member_id);
  }
  group.sync_generation = group.generation;
  deadlines_.arm(group_timer(TimerKind::kSync, group), config_.ticks(group.rebalance_timeout_ms()),
                 kSyncTimeout, turn);
}

void GroupRebalance::stabilize(Group& group, const wire::SyncGroupRequest& request, Turn& turn) {
  CHECK(group.in(GroupState::kCompletingRebalance), "group {}", group.id.value());
  for (auto& [member_id, member] : group.members) member.assignment.clear();
  for (const auto& assigned : request.assignments()) {
    Member* const member = group.find(MemberId(assigned.member_id()));
    if (member != nullptr) member->assignment = assigned.assignment();
  }
  append_metadata(group, turn);
  transition(group, GroupState::kStable,
             fmt::format("leader {} sent the assignment", group.leader->value()), turn);
  for (auto& [member_id, member] : group.members) {
    if (!member.parked_sync) continue;
    turn.respond(*member.parked_sync, sync_accepted(group, member));
    member.parked_sync.reset();
    arm_session(group, member, turn);
  }
}

void GroupRebalance::synced(Group& group, const MemberId& member) {
  group.pending_sync.erase(member);
  if (group.pending_sync.empty()) deadlines_.cancel(group_timer(TimerKind::kSync, group));
}

void GroupRebalance::arm_session(const Group& group, const Member& member, Turn& turn) {
  deadlines_.arm(session_timer(group, member.id), config_.ticks(member.session_timeout_ms),
                 kSessionTimeout, turn);
}

void GroupRebalance::arm_pending(const Group& group, const MemberId& id, std::int32_t session_ms,
                                 Turn& turn) {
  deadlines_.arm(session_timer(group, id), config_.ticks(session_ms), kSessionTimeout, turn);
}

void GroupRebalance::cancel_session(const Group& group, const MemberId& member) {
  deadlines_.cancel(session_timer(group, member));
}

// The two completions here ignore the rule of try_complete, as Kafka's do: an expiry within the
// initial wait can end it early.
void GroupRebalance::session_expired(Group& group, const MemberId& id, Turn& turn) {
  if (group.in(GroupState::kDead)) return;
  const std::string why = fmt::format("session of member {} expired", id.value());
  if (group.pending_join.erase(id) == 0) {
    Member* const member = group.find(id);
    if (member == nullptr) return;
    // Whoever waits for an answer cannot heartbeat; the answer arms the timer anew.
    if (!member->is_new && (member->parked_join || member->parked_sync)) return;
    if (member->parked_join) {
      turn.respond(*member->parked_join, join_refused(ErrorCode::kUnknownMemberId, ""));
    }
    remove(group, id, why, turn);
    if (group.in(GroupState::kStable) || group.in(GroupState::kCompletingRebalance)) {
      prepare(group, why, turn);
      return;
    }
  }
  if (group.in(GroupState::kPreparingRebalance) && group.all_joined()) complete(group, why, turn);
}

void GroupRebalance::sync_expired(Group& group, Turn& turn) {
  const bool waiting = group.in(GroupState::kCompletingRebalance) || group.in(GroupState::kStable);
  if (!waiting || group.generation != group.sync_generation) return;
  const std::set<MemberId> missing = group.pending_sync;
  if (missing.empty()) return;
  for (const MemberId& member : missing) {
    remove(group, member,
           fmt::format("member {} did not sync within the rebalance timeout", member.value()),
           turn);
  }
  prepare(group, "members did not sync within the rebalance timeout", turn);
}

void GroupRebalance::unload(Group& group, Turn& turn) {
  for (auto& [member_id, member] : group.members) {
    if (member.parked_join) {
      turn.respond(*member.parked_join,
                   join_refused(ErrorCode::kNotCoordinator, member_id.value()));
    }
    if (member.parked_sync) {
      turn.respond(*member.parked_sync, sync_refused(ErrorCode::kNotCoordinator));
    }
    member.parked_join.reset();
    member.parked_sync.reset();
    cancel_session(group, member_id);
  }
  deadlines_.cancel(group_timer(TimerKind::kJoin, group));
  deadlines_.cancel(group_timer(TimerKind::kSync, group));
  transition(group, GroupState::kDead, "its partition of the offsets topic was unloaded", turn);
}

void GroupRebalance::append_metadata(const Group& group, Turn& turn) {
  log_.append(offsets_partition_of(group.id.value(), config_),
              group_metadata_batch(group.id, group.to_record(), config_.virtual_ms(turn.now)),
              turn);
}

}  // namespace fencepost::broker
