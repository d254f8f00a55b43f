#include "broker/core/group_coordinator.h"

#include <set>
#include <utility>
#include <vector>

#include "broker/core/coordinator_key.h"
#include "broker/core/group_answers.h"
#include "broker/core/record_batches.h"
#include "common/check.h"
#include "common/events.h"

namespace fencepost::broker {
namespace {

const TimerKey kSweep{.kind = TimerKind::kRetention, .group = {}, .member = {}, .fetch = 0};

}  // namespace

GroupCoordinator::GroupCoordinator(const BrokerConfig& config, const Topics& topics,
                                   Deadlines& deadlines, RecordSink& log)
    : config_(config),
      deadlines_(deadlines),
      log_(log),
      rebalance_(config, deadlines, log),
      membership_(config, rebalance_),
      offsets_(config, topics, log) {}

const Group* GroupCoordinator::find(const std::string& group) const {
  const auto found = groups_.find(group);
  return found == groups_.end() ? nullptr : &found->second;
}

Group* GroupCoordinator::lookup(const std::string& group) {
  const auto found = groups_.find(group);
  return found == groups_.end() ? nullptr : &found->second;
}

Group& GroupCoordinator::create(const std::string& group, Turn& turn) {
  arm_sweep(turn);
  return groups_.emplace(group, Group(GroupId(group), config_.virtual_ms(turn.now))).first->second;
}

ErrorCode GroupCoordinator::check_coordinator(const std::string& group) const {
  const bool here = config_.leads(offsets_partition_of(group, config_).partition);
  return here ? ErrorCode::kNone : ErrorCode::kNotCoordinator;
}

ErrorCode GroupCoordinator::check_group(const std::string& group) const {
  return group.empty() ? ErrorCode::kInvalidGroupId : check_coordinator(group);
}

ErrorCode GroupCoordinator::check_session_timeout(const wire::JoinGroupRequest& request) const {
  const std::int64_t timeout = request.session_timeout_ms();
  const bool legal = timeout >= config_.min_session_ms && timeout <= config_.max_session_ms;
  return legal ? ErrorCode::kNone : ErrorCode::kInvalidSessionTimeout;
}

void GroupCoordinator::join(const wire::JoinGroupRequest& request, const Caller& caller,
                            Turn& turn) {
  ErrorCode error = request.group_id().empty() ? ErrorCode::kInvalidGroupId : ErrorCode::kNone;
  if (error == ErrorCode::kNone) error = check_session_timeout(request);
  if (error == ErrorCode::kNone) error = check_coordinator(request.group_id());
  Group* group = lookup(request.group_id());
  if (error == ErrorCode::kNone && group == nullptr && !request.member_id().empty()) {
    error = ErrorCode::kUnknownMemberId;
  }
  if (error != ErrorCode::kNone) {
    turn.respond(caller.request, join_refused(error, request.member_id()));
    return;
  }
  if (group == nullptr) {
    // Its existence is durable from the first request on, even if that is refused below.
    group = &create(request.group_id(), turn);
    rebalance_.append_metadata(*group, turn);
  }
  membership_.join(*group, request, caller, turn);
}

void GroupCoordinator::sync(const wire::SyncGroupRequest& request, const Caller& caller,
                            Turn& turn) {
  ErrorCode error = request.has_protocol_type() && request.has_protocol_name()
                        ? ErrorCode::kNone
                        : ErrorCode::kInconsistentGroupProtocol;
  if (error == ErrorCode::kNone) error = check_group(request.group_id());
  Group* const group = lookup(request.group_id());
  if (error == ErrorCode::kNone && group == nullptr) error = ErrorCode::kUnknownMemberId;
  if (error != ErrorCode::kNone) {
    turn.respond(caller.request, sync_refused(error));
    return;
  }
  membership_.sync(*group, request, caller, turn);
}

void GroupCoordinator::heartbeat(const wire::HeartbeatRequest& request, const Caller& caller,
                                 Turn& turn) {
  ErrorCode error = check_group(request.group_id());
  Group* const group = lookup(request.group_id());
  if (error == ErrorCode::kNone) {
    error = group == nullptr ? ErrorCode::kUnknownMemberId
                             : membership_.heartbeat(*group, request, turn);
  }
  turn.respond(caller.request, heartbeat_answer(error));
}

void GroupCoordinator::leave(const wire::LeaveGroupRequest& request, const Caller& caller,
                             Turn& turn) {
  const ErrorCode error = check_group(request.group_id());
  Group* const group = lookup(request.group_id());
  if (error == ErrorCode::kNone && group != nullptr) {
    membership_.leave(*group, request, caller, turn);
    return;
  }
  wire::Frame frame;
  frame.mutable_leave_group_response()->set_error_code(to_wire(error));
  if (error == ErrorCode::kNone) {
    for (const auto& entry : request.members()) {
      auto* const answer = frame.mutable_leave_group_response()->add_members();
      answer->set_member_id(entry.member_id());
      if (entry.has_group_instance_id()) answer->set_group_instance_id(entry.group_instance_id());
      answer->set_error_code(to_wire(ErrorCode::kUnknownMemberId));
    }
  }
  turn.respond(caller.request, std::move(frame));
}

ErrorCode GroupCoordinator::commit_error(const wire::OffsetCommitRequest& request, Turn& turn) {
  if (!request.has_group_id()) return ErrorCode::kInvalidGroupId;
  if (const ErrorCode error = check_coordinator(request.group_id()); error != ErrorCode::kNone) {
    return error;
  }
  Group* group = lookup(request.group_id());
  if (group == nullptr && request.generation_id() >= 0) return ErrorCode::kGroupIdNotFound;
  if (group == nullptr) group = &create(request.group_id(), turn);
  const Result<void> checked = check_commit(*group, request);
  if (!checked) return checked.error();
  // A commit is a sign of life.
  const Member* const member = group->find(MemberId(request.member_id()));
  if (member != nullptr) rebalance_.arm_session(*group, *member, turn);
  return ErrorCode::kNone;
}

void GroupCoordinator::commit(const wire::OffsetCommitRequest& request, const Caller& caller,
                              Turn& turn) {
  const bool consult = offsets_.names_known_partition(request);
  const ErrorCode error = consult ? commit_error(request, turn) : ErrorCode::kNone;
  offsets_.commit(request, error, caller, turn);
}

void GroupCoordinator::fetch_offsets(const wire::OffsetFetchRequest& request, const Caller& caller,
                                     Turn& turn) {
  wire::Frame frame;
  auto* const response = frame.mutable_offset_fetch_response();
  std::set<std::string> asked;
  for (const auto& wanted : request.groups()) {
    auto* const answer = response->add_groups();
    ErrorCode error =
        wanted.has_group_id() ? check_coordinator(wanted.group_id()) : ErrorCode::kInvalidGroupId;
    // All of a group's offsets again and again would be an answer without a limit.
    if (!asked.insert(wanted.group_id()).second) error = ErrorCode::kInvalidRequest;
    const Group* const group = find(wanted.group_id());
    if (error == ErrorCode::kNone) {
      const bool dead = group != nullptr && group->in(GroupState::kDead);
      *answer = dead ? GroupOffsets::fetch_nothing(wanted) : offsets_.fetch(wanted);
    } else {
      answer->set_group_id(wanted.group_id());
      answer->set_error_code(to_wire(error));
    }
  }
  turn.respond(caller.request, std::move(frame));
}

void GroupCoordinator::expired(const TimerKey& timer, Turn& turn) {
  if (timer.kind == TimerKind::kRetention) {
    sweep(turn);
    return;
  }
  Group* const group = lookup(timer.group);
  if (group == nullptr) return;  // removed by the sweep, with an id still reserved in it
  switch (timer.kind) {
    case TimerKind::kSession:
      rebalance_.session_expired(*group, MemberId(timer.member), turn);
      break;
    case TimerKind::kJoin:
      rebalance_.join_expired(*group, turn);
      break;
    case TimerKind::kSync:
      rebalance_.sync_expired(*group, turn);
      break;
    case TimerKind::kFetch:
    case TimerKind::kRetention:
    case TimerKind::kLogRetention:
      break;
  }
}

void GroupCoordinator::apply(const wire::Record& record) {
  wire::OffsetsTopicKey key;
  CHECK(key.ParseFromString(record.key()), "a record of {}", kOffsetsTopic);
  switch (key.key_case()) {
    case wire::OffsetsTopicKey::kOffsetCommit: {
      std::optional<wire::OffsetCommitValue> value;
      if (record.has_value()) CHECK(value.emplace().ParseFromString(record.value()));
      offsets_.apply(key.offset_commit(), value);
      break;
    }
    case wire::OffsetsTopicKey::kGroupMetadata: {
      if (started_) break;
      const std::string& group = key.group_metadata().group();
      groups_.erase(group);
      if (!record.has_value()) break;
      wire::GroupMetadataValue value;
      CHECK(value.ParseFromString(record.value()));
      groups_.emplace(group, Group(GroupId(group), value));
      break;
    }
    case wire::OffsetsTopicKey::KEY_NOT_SET:
      CHECK(false, "a record of {} without a key", kOffsetsTopic);
  }
}

void GroupCoordinator::start(Turn& turn) {
  started_ = true;
  started_at_ = turn.now;
  start_cause_ = turn.cause;
  for (const auto& [group, committed] : offsets_.all()) {
    if (lookup(group.value()) == nullptr) create(group.value(), turn);
  }
  for (auto& [name, group] : groups_) {
    for (const auto& [member_id, member] : group.members) {
      rebalance_.arm_session(group, member, turn);
    }
    if (static_cast<std::int64_t>(group.members.size()) > config_.group_max_size) {
      rebalance_.prepare(group, "the group has more than group.max.size members", turn);
    }
  }
  if (!groups_.empty()) arm_sweep(turn);
}

// The sweep comes at multiples of its interval since the start, as Kafka's does; but nothing is
// armed while there is no group, so an idle broker does not wake.
void GroupCoordinator::arm_sweep(Turn& turn) {
  if (deadlines_.armed(kSweep)) return;
  const std::int64_t interval = config_.ticks(config_.retention_check_ms).value();
  const std::int64_t age = (turn.now - started_at_).value();
  const Turn start{started_at_, start_cause_, {}};
  deadlines_.arm(kSweep, TickSpan((age / interval + 1) * interval),
                 "offsets.retention.check.interval.ms", start);
}

void GroupCoordinator::sweep(Turn& turn) {
  std::vector<std::string> gone;
  for (const auto& [name, group] : groups_) {
    offsets_.expire(group, turn);
    if (group.in(GroupState::kEmpty) && !offsets_.has(group.id)) gone.push_back(name);
  }
  for (const std::string& name : gone) remove(name, "no members and no offsets left", turn);
  if (!groups_.empty()) arm_sweep(turn);
}

void GroupCoordinator::remove(const std::string& name, const std::string& why, Turn& turn) {
  Group& group = groups_.at(name);
  CHECK(group.in(GroupState::kEmpty), "group {}", name);
  for (const MemberId& pending : group.pending_join) rebalance_.cancel_session(group, pending);
  offsets_.remove_all(group.id, why, turn);
  log_.append(offsets_partition_of(name, config_),
              make_batch({group_tombstone(group.id)}, config_.virtual_ms(turn.now)), turn);
  turn.report(
      events::make(events::kGroupState, {{"group", name},
                                         {"from", std::string(name_of(GroupState::kEmpty))},
                                         {"to", std::string(name_of(GroupState::kDead))},
                                         {"generation", std::to_string(group.generation.value())},
                                         {"reason", why},
                                         {"members", ""}}));
  groups_.erase(name);
}

void GroupCoordinator::unload(const std::string& name, Turn& turn) {
  Group* const group = lookup(name);
  if (group != nullptr) rebalance_.unload(*group, turn);
}

}  // namespace fencepost::broker
