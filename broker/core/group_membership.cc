#include "broker/core/group_membership.h"

#include <spdlog/fmt/fmt.h>

#include <utility>

#include "broker/core/group_answers.h"
#include "common/check.h"

namespace fencepost::broker {
namespace {

// What a client says about its reasons is shown, up to this length.
constexpr std::size_t kMaxReasonLength = 255;

void take_terms(Member& member, const wire::JoinGroupRequest& request) {
  member.session_timeout_ms = request.session_timeout_ms();
  // Absent: as in version 0, where the session timeout served for both.
  member.rebalance_timeout_ms = request.rebalance_timeout_ms() < 0 ? request.session_timeout_ms()
                                                                   : request.rebalance_timeout_ms();
  member.protocol_type = request.protocol_type();
  member.protocols = protocols_of(request);
}

std::string joined(const MemberId& member) {
  return fmt::format("member {} joined", member.value());
}

bool accepts_protocols(const Group& group, const wire::JoinGroupRequest& request) {
  if (request.protocol_type().empty() || request.protocols().empty()) return false;
  if (group.in(GroupState::kEmpty)) return true;
  return group.protocol_type == request.protocol_type() &&
         group.supports_one_of(protocols_of(request));
}

// What the group has not chosen yet does not differ from anything.
bool differs(const std::optional<std::string>& of_group, const std::string& requested) {
  return of_group && *of_group != requested;
}

}  // namespace

bool GroupMembership::has_room(const Group& group, const MemberId& id) const {
  const auto max = static_cast<std::size_t>(config_.group_max_size);
  const auto found = group.members.find(id);
  switch (group.state()) {
    case GroupState::kEmpty:
    case GroupState::kDead:
      return true;
    case GroupState::kPreparingRebalance:
      return (found != group.members.end() && found->second.parked_join) ||
             group.parked_joins() < max;
    case GroupState::kCompletingRebalance:
    case GroupState::kStable:
      return found != group.members.end() || group.members.size() < max;
  }
  return false;
}

Result<void> GroupMembership::check_join(Group& group, const wire::JoinGroupRequest& request,
                                         Turn& turn) {
  const MemberId id(request.member_id());
  if (!has_room(group, id)) {
    rebalance_.remove(group, id, "the group has group.max.size members", turn);
    return ErrorCode::kGroupMaxSizeReached;
  }
  if (group.in(GroupState::kDead)) return ErrorCode::kCoordinatorNotAvailable;
  if (!accepts_protocols(group, request)) return ErrorCode::kInconsistentGroupProtocol;
  if (group.metadata_bytes_without(id) + request.ByteSizeLong() > kMaxGroupBytes) {
    return ErrorCode::kGroupMaxSizeReached;
  }
  return {};
}

void GroupMembership::join(Group& group, const wire::JoinGroupRequest& request,
                           const Caller& caller, Turn& turn) {
  const auto refuse = [&](ErrorCode error) {
    const bool full = error == ErrorCode::kGroupMaxSizeReached;
    turn.respond(caller.request, join_refused(error, full ? "" : request.member_id()));
  };
  if (const Result<void> checked = check_join(group, request, turn); !checked) {
    refuse(checked.error());
    return;
  }
  const MemberId id(request.member_id());
  const std::optional<std::string> instance = instance_id_of(request);
  if (id.value().empty()) {
    instance ? join_static(group, request, caller, turn)
             : hand_out_id(group, request, caller, turn);
  } else if (group.pending_join.contains(id)) {
    // An id that was handed out belongs to a dynamic member.
    instance ? refuse(ErrorCode::kUnknownServerError)
             : add_member(group, id, request, caller, turn);
  } else if (const Result<void> valid = group.validate_member(id, instance); !valid) {
    refuse(valid.error());
  } else {
    rejoin(group, request, caller, turn);
  }
}

void GroupMembership::hand_out_id(Group& group, const wire::JoinGroupRequest& request,
                                  const Caller& caller, Turn& turn) {
  const MemberId id = new_id(caller.client_id);
  group.pending_join.insert(id);
  rebalance_.arm_pending(group, id, request.session_timeout_ms(), turn);
  turn.respond(caller.request, join_refused(ErrorCode::kMemberIdRequired, id.value()));
}

void GroupMembership::add_member(Group& group, MemberId id, const wire::JoinGroupRequest& request,
                                 const Caller& caller, Turn& turn) {
  Member member;
  member.id = id;
  member.instance_id = instance_id_of(request);
  member.client_id = caller.client_id;
  member.client_host = "/" + caller.request.source;
  take_terms(member, request);
  rebalance_.add(group, std::move(member), caller.request, turn);
  if (group.in(GroupState::kPreparingRebalance)) {
    rebalance_.try_complete(group, turn);
  } else {
    rebalance_.prepare(group, joined(id), turn);
  }
}

void GroupMembership::rejoin(Group& group, const wire::JoinGroupRequest& request,
                             const Caller& caller, Turn& turn) {
  const MemberId id(request.member_id());
  Member& member = group.members.at(id);
  const bool same = member.protocols == protocols_of(request);
  const bool leader = group.is_leader(id);
  // A repeated request of the same attempt; a leader in Stable always means a rebalance (it has
  // seen other partitions, for instance).
  const bool repeated = same && (group.in(GroupState::kCompletingRebalance) ||
                                 (group.in(GroupState::kStable) && !leader));
  if (repeated) {
    turn.respond(caller.request, join_accepted(group, member));
    return;
  }
  take_terms(member, request);
  rebalance_.park_join(group, member, caller.request);
  if (group.in(GroupState::kPreparingRebalance)) {
    rebalance_.try_complete(group, turn);
  } else {
    const std::string which = leader ? "leader" : "member";
    rebalance_.prepare(group, fmt::format("{} {} rejoined", which, id.value()), turn);
  }
}

void GroupMembership::join_static(Group& group, const wire::JoinGroupRequest& request,
                                  const Caller& caller, Turn& turn) {
  const auto holder = group.static_ids.find(request.group_instance_id());
  if (holder == group.static_ids.end()) {
    add_member(group, new_id(request.group_instance_id()), request, caller, turn);
  } else {
    const MemberId old = holder->second;
    replace_static(group, old, request, caller, turn);
  }
}

// A static member has come back (KIP-345): a new id takes the place of the old one, with its
// assignment, its leadership and its place among those who have not synced. Its client id and host
// stay those of the first, and its first session is as long as the old one's, as in Kafka.
void GroupMembership::replace_static(Group& group, const MemberId& old,
                                     const wire::JoinGroupRequest& request, const Caller& caller,
                                     Turn& turn) {
  Member member = std::move(group.members.at(old));
  group.members.erase(old);
  rebalance_.cancel_session(group, old);
  if (member.parked_join) {
    turn.respond(*member.parked_join, join_refused(ErrorCode::kFencedInstanceId, old.value()));
  }
  if (member.parked_sync) {
    turn.respond(*member.parked_sync, sync_refused(ErrorCode::kFencedInstanceId));
  }
  member.parked_join.reset();
  member.parked_sync.reset();
  member.is_new = false;
  member.id = new_id(request.group_instance_id());
  if (group.is_leader(old)) group.leader = member.id;
  if (group.pending_sync.erase(old) > 0) group.pending_sync.insert(member.id);
  group.static_ids[request.group_instance_id()] = member.id;
  Member& replaced = group.members.emplace(member.id, std::move(member)).first->second;
  rebalance_.arm_session(group, replaced, turn);
  take_terms(replaced, request);

  if (group.in(GroupState::kStable) && group.protocol_name == group.vote()) {
    rebalance_.append_metadata(group, turn);
    // KIP-814: a leader that came back need not assign again.
    const bool leads = group.is_leader(replaced.id);
    turn.respond(caller.request, join_accepted(group, replaced,
                                               leads ? SkipAssignment::kYes : SkipAssignment::kNo));
    return;
  }
  rebalance_.park_join(group, replaced, caller.request);
  if (group.in(GroupState::kPreparingRebalance)) {
    rebalance_.try_complete(group, turn);
  } else {
    rebalance_.prepare(
        group, fmt::format("static member {} came back as {}", old.value(), replaced.id.value()),
        turn);
  }
}

ErrorCode GroupMembership::check_sync(const Group& group,
                                      const wire::SyncGroupRequest& request) const {
  if (group.in(GroupState::kEmpty)) return ErrorCode::kUnknownMemberId;
  if (group.in(GroupState::kDead)) return ErrorCode::kCoordinatorNotAvailable;
  const auto valid = group.validate_member(MemberId(request.member_id()), instance_id_of(request));
  if (!valid) return valid.error();
  if (group.generation != Generation(request.generation_id())) return ErrorCode::kIllegalGeneration;
  if (differs(group.protocol_type, request.protocol_type()) ||
      differs(group.protocol_name, request.protocol_name())) {
    return ErrorCode::kInconsistentGroupProtocol;
  }
  if (group.in(GroupState::kPreparingRebalance)) return ErrorCode::kRebalanceInProgress;
  return ErrorCode::kNone;
}

void GroupMembership::sync(Group& group, const wire::SyncGroupRequest& request,
                           const Caller& caller, Turn& turn) {
  if (const ErrorCode error = check_sync(group, request); error != ErrorCode::kNone) {
    turn.respond(caller.request, sync_refused(error));
    return;
  }
  Member& member = group.members.at(MemberId(request.member_id()));
  rebalance_.synced(group, member.id);
  if (group.in(GroupState::kStable)) {
    turn.respond(caller.request, sync_accepted(group, member));
    return;
  }
  member.parked_sync = caller.request;
  if (group.is_leader(member.id)) rebalance_.stabilize(group, request, turn);
}

ErrorCode GroupMembership::heartbeat(Group& group, const wire::HeartbeatRequest& request,
                                     Turn& turn) {
  if (group.in(GroupState::kDead)) return ErrorCode::kCoordinatorNotAvailable;
  const MemberId id(request.member_id());
  if (const auto valid = group.validate_member(id, instance_id_of(request)); !valid) {
    return valid.error();
  }
  if (group.generation != Generation(request.generation_id())) return ErrorCode::kIllegalGeneration;
  rebalance_.arm_session(group, group.members.at(id), turn);
  return group.in(GroupState::kPreparingRebalance) ? ErrorCode::kRebalanceInProgress
                                                   : ErrorCode::kNone;
}

ErrorCode GroupMembership::leave_one(Group& group, const wire::LeaveGroupRequest::Member& entry,
                                     Turn& turn) {
  const std::optional<std::string> instance = instance_id_of(entry);
  MemberId id(entry.member_id());
  if (id.value().empty()) {
    const auto holder = group.static_ids.find(instance.value_or(""));
    if (!instance || holder == group.static_ids.end()) return ErrorCode::kUnknownMemberId;
    id = holder->second;
  } else if (!group.pending_join.contains(id)) {
    if (const auto valid = group.validate_member(id, instance); !valid) return valid.error();
  }
  Member* const member = group.find(id);
  if (member != nullptr && member->parked_join) {
    turn.respond(*member->parked_join, join_refused(ErrorCode::kUnknownMemberId, ""));
  }
  std::string why = fmt::format("member {} left", id.value());
  if (!entry.reason().empty()) why += ": " + entry.reason().substr(0, kMaxReasonLength);
  rebalance_.remove(group, id, why, turn);
  return ErrorCode::kNone;
}

void GroupMembership::leave(Group& group, const wire::LeaveGroupRequest& request,
                            const Caller& caller, Turn& turn) {
  wire::Frame frame;
  auto* const response = frame.mutable_leave_group_response();
  if (group.in(GroupState::kDead)) {
    response->set_error_code(to_wire(ErrorCode::kCoordinatorNotAvailable));
    turn.respond(caller.request, std::move(frame));
    return;
  }
  std::string left;
  for (const auto& entry : request.members()) {
    auto* const answer = response->add_members();
    answer->set_member_id(entry.member_id());
    if (entry.has_group_instance_id()) answer->set_group_instance_id(entry.group_instance_id());
    const ErrorCode error = leave_one(group, entry, turn);
    answer->set_error_code(to_wire(error));
    if (error != ErrorCode::kNone) continue;
    if (!left.empty()) left += ',';
    left += entry.member_id().empty() ? entry.group_instance_id() : entry.member_id();
  }
  turn.respond(caller.request, std::move(frame));
  if (left.empty()) return;
  if (group.in(GroupState::kPreparingRebalance)) {
    rebalance_.try_complete(group, turn);
  } else if (!group.in(GroupState::kEmpty)) {
    rebalance_.prepare(group, fmt::format("member {} left", left), turn);
  }
}

}  // namespace fencepost::broker
