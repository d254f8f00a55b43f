#include "consumer/core/group_join.h"

#include "common/check.h"

namespace fencepost::consumer {
namespace {

constexpr std::string_view kProtocolType = "consumer";

}  // namespace

void GroupJoin::start(const std::vector<std::string>& topics, const TopicPartitions& owned) {
  CHECK(status_ == Status::kIdle, "a join is in flight already");
  status_ = Status::kInFlight;
  asked_ = *rooms_.coordinator.host();
  wire::Frame request = join_request(topics, owned);
  rooms_.member.join_sent();
  rooms_.client.time().spawn(run(asked_, std::move(request)));
}

void GroupJoin::finish() {
  CHECK(status_ == Status::kJoined);
  status_ = Status::kIdle;
  assignment_.clear();
}

ClientError GroupJoin::take_error() {
  CHECK(status_ == Status::kRetry || status_ == Status::kFatal);
  status_ = Status::kIdle;
  return error_;
}

wire::Frame GroupJoin::join_request(const std::vector<std::string>& topics,
                                    const TopicPartitions& owned) const {
  const Identity& identity = rooms_.member.identity();
  wire::ConsumerProtocolSubscription subscription;
  for (const std::string& topic : topics) subscription.add_topics(topic);
  write_partitions(owned, subscription.mutable_owned_partitions());
  subscription.set_generation_id(identity.generation.value());
  wire::Frame frame;
  wire::JoinGroupRequest* request = frame.mutable_join_group_request();
  request->set_group_id(rooms_.config.group->value());
  request->set_session_timeout_ms(rooms_.config.session_timeout_ms);
  request->set_rebalance_timeout_ms(rooms_.config.rebalance_timeout_ms);
  request->set_member_id(identity.member_id.value());
  if (rooms_.config.instance_id) request->set_group_instance_id(*rooms_.config.instance_id);
  request->set_protocol_type(std::string(kProtocolType));
  for (const auto& assignor : rooms_.leader.assignors()) {
    auto* protocol = request->add_protocols();
    protocol->set_name(std::string(assignor->name()));
    subscription.clear_user_data();
    if (last_) {
      std::string said = assignor->user_data(last_->partitions, last_->generation);
      if (!said.empty()) subscription.set_user_data(std::move(said));
    }
    protocol->set_metadata(subscription.SerializeAsString());
  }
  if (!rooms_.member.rejoin_reason().empty()) request->set_reason(rooms_.member.rejoin_reason());
  return frame;
}

Task<void> GroupJoin::run(std::string coordinator, wire::Frame request) {
  const Identity sent = rooms_.member.identity();
  const Result<Answer> answer = co_await rooms_.client.call(coordinator, std::move(request),
                                                            rooms_.config.join_request_timeout);
  Next next = react_to_join(answer, sent);
  if (next == Next::kSync) next = co_await sync((*answer)->join_group_response());
  if (next == Next::kRetryLater) {
    co_await rooms_.client.time().sleep_for(rooms_.config.retry_backoff, "retry.backoff.ms");
  }
  status_ = next == Next::kDone    ? Status::kJoined
            : next == Next::kFatal ? Status::kFatal
                                   : Status::kRetry;
  rooms_.changed.notify_all();
}

GroupJoin::Next GroupJoin::react_to_join(const Result<Answer>& answer, const Identity& sent) {
  if (!answer) return coordinator_lost(answer.error());
  const wire::JoinGroupResponse& response = (*answer)->join_group_response();
  const ErrorCode error = error_from_wire(response.error_code());
  if (error == ErrorCode::kMemberIdRequired) {
    rooms_.member.take_member_id(MemberId(response.member_id()));
    rooms_.member.request_rejoin("need to re-join with the given member-id");
    error_ = client_error(error);
    return Next::kRetryNow;
  }
  if (error != ErrorCode::kNone) return join_failed(error, sent);
  if (rooms_.member.state() != MemberState::kPreparingRebalance) {
    return Next::kRetryLater;  // the background part has reset it meanwhile: this answer is void
  }
  rooms_.member.joined({.generation = Generation(response.generation_id()),
                        .member_id = MemberId(response.member_id()),
                        .protocol = response.protocol_name()});
  rooms_.heartbeats.restart_timers();
  return Next::kSync;
}

GroupJoin::Next GroupJoin::coordinator_lost(ErrorCode error) {
  rooms_.coordinator.mark_unknown(asked_);
  error_ = client_error(error);
  rooms_.member.request_rejoin("rebalance failed: " + std::string(name_of(error)));
  return Next::kRetryLater;
}

// Group-protocol 3.5, column JoinGroup.
GroupJoin::Next GroupJoin::join_failed(ErrorCode error, const Identity& sent) {
  error_ = client_error(error);
  const std::string reason = "JoinGroup answered " + std::string(name_of(error));
  switch (error) {
    case ErrorCode::kCoordinatorNotAvailable:
    case ErrorCode::kNotCoordinator:
      return coordinator_lost(error);
    case ErrorCode::kCoordinatorLoadInProgress:
      rooms_.member.request_rejoin(reason);
      return Next::kRetryLater;
    case ErrorCode::kUnknownMemberId:
      if (sent == rooms_.member.identity()) {
        rooms_.member.reset(false, reason);
      } else {
        rooms_.member.request_rejoin(reason);
      }
      return Next::kRetryNow;
    case ErrorCode::kIllegalGeneration:
    case ErrorCode::kRebalanceInProgress:
      rooms_.member.request_rejoin(reason);
      return Next::kRetryNow;
    default:
      rooms_.member.request_rejoin(reason);
      return Next::kFatal;
  }
}

// Kafka's onLeaderElected or onJoinFollower.
Task<GroupJoin::Next> GroupJoin::sync(const wire::JoinGroupResponse& joined) {
  const Identity sent = rooms_.member.identity();
  wire::SyncGroupRequest assignments;
  if (joined.leader() == joined.member_id()) {
    ClientResult<wire::SyncGroupRequest> computed = co_await rooms_.leader.assign(joined);
    if (!computed) {
      error_ = computed.error();
      co_return Next::kFatal;
    }
    assignments = std::move(*computed);
  } else {
    rooms_.leader.step_down();
  }
  wire::Frame request = sync_request(std::move(assignments));
  const Result<Answer> answer =
      co_await rooms_.client.call(asked_, std::move(request), rooms_.config.request_timeout);
  co_return react_to_sync(answer, sent);
}

wire::Frame GroupJoin::sync_request(wire::SyncGroupRequest assignments) const {
  const Identity& identity = rooms_.member.identity();
  wire::Frame frame;
  wire::SyncGroupRequest* request = frame.mutable_sync_group_request();
  *request = std::move(assignments);
  request->set_group_id(rooms_.config.group->value());
  request->set_generation_id(identity.generation.value());
  request->set_member_id(identity.member_id.value());
  if (rooms_.config.instance_id) request->set_group_instance_id(*rooms_.config.instance_id);
  request->set_protocol_type(std::string(kProtocolType));
  request->set_protocol_name(identity.protocol);
  return frame;
}

GroupJoin::Next GroupJoin::react_to_sync(const Result<Answer>& answer, const Identity& sent) {
  if (!answer) return coordinator_lost(answer.error());
  const wire::SyncGroupResponse& response = (*answer)->sync_group_response();
  const ErrorCode error = error_from_wire(response.error_code());
  if (error != ErrorCode::kNone) return sync_failed(error, sent);
  const bool current = rooms_.member.state() == MemberState::kCompletingRebalance &&
                       sent == rooms_.member.identity();
  if (!current) {
    // The heartbeats have reset it meanwhile: this answer is void, and Kafka takes it for
    // ILLEGAL_GENERATION.
    error_ = client_error(ErrorCode::kIllegalGeneration);
    return Next::kRetryNow;
  }
  assignment_ = response.assignment();
  rooms_.member.synced();
  return Next::kDone;
}

void GroupJoin::remember(const TopicPartitions& assigned) {
  last_ = Assigned{.partitions = assigned, .generation = rooms_.member.identity().generation};
}

// Group-protocol 3.5, column SyncGroup.
GroupJoin::Next GroupJoin::sync_failed(ErrorCode error, const Identity& sent) {
  error_ = client_error(error);
  const std::string reason = "SyncGroup answered " + std::string(name_of(error));
  const bool current = sent == rooms_.member.identity();
  switch (error) {
    case ErrorCode::kCoordinatorNotAvailable:
    case ErrorCode::kNotCoordinator:
      return coordinator_lost(error);
    case ErrorCode::kUnknownMemberId:
    case ErrorCode::kIllegalGeneration:
      if (current) rooms_.member.reset(error == ErrorCode::kIllegalGeneration, reason);
      rooms_.member.request_rejoin(reason);
      return Next::kRetryNow;
    case ErrorCode::kRebalanceInProgress:
      rooms_.member.request_rejoin(reason);
      return Next::kRetryNow;
    default:
      rooms_.member.request_rejoin(reason);
      return Next::kFatal;
  }
}

}  // namespace fencepost::consumer
