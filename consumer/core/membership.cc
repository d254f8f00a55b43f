#include "consumer/core/membership.h"

#include <algorithm>

#include "common/check.h"
#include "common/events.h"

namespace fencepost::consumer {
namespace {

RebalanceMode mode_of(const GroupLeader& leader) {
  for (const auto& assignor : leader.assignors()) {
    if (!assignor->supports_cooperative()) return RebalanceMode::kEager;
  }
  return RebalanceMode::kCooperative;
}

TopicPartitions minus(const TopicPartitions& from, const TopicPartitions& what) {
  TopicPartitions rest;
  std::set_difference(from.begin(), from.end(), what.begin(), what.end(),
                      std::inserter(rest, rest.end()));
  return rest;
}

// What a callback throws comes out of poll as Kafka wraps it; the code stays, for people.
ClientResult<void> thrown_by_callback(const ClientResult<void>& called) {
  if (called) return called;
  return ClientError{called.error().code, "KafkaException"};
}

}  // namespace

Membership::Membership(Client& client, const ConsumerConfig& config, Metadata& metadata,
                       AssignedPartitions& assigned, Signal& signal)
    : client_(client),
      config_(config),
      metadata_(metadata),
      assigned_(assigned),
      background_(client.time()),
      member_(client, config, signal, background_),
      coordinator_(client, config, metadata, signal, background_),
      commits_(client, config, member_, coordinator_, signal),
      heartbeats_(client, config, member_, coordinator_, background_),
      leader_(client, config, metadata),
      join_({client, config, member_, coordinator_, heartbeats_, leader_, signal}),
      mode_(mode_of(leader_)) {}

void Membership::start_once() {
  if (!std::exchange(started_, true)) heartbeats_.start();
}

void Membership::subscribe(std::vector<std::string> topics) {
  metadata_.want(topics);
  subscription_.set_topics(std::move(topics));
  start_once();
}

void Membership::subscribe_pattern(const std::string& pattern) {
  subscription_.set_pattern(pattern);
  metadata_.want_all();
  matched_version_ = 0;
  start_once();
}

void Membership::unsubscribe() {
  subscription_.clear();
  joined_subscription_.reset();
  leader_.step_down();
}

void Membership::look_for_changes() {
  if (subscription_.by_pattern() && metadata_.version() != matched_version_) {
    matched_version_ = metadata_.version();
    const bool known = subscription_.match(metadata_.topics(!config_.exclude_internal_topics));
    // Where Java would go on for ever.
    if (!known) pattern_failure_ = ClientError{ErrorCode::kNone, "KafkaException"};
  }
  if (rejoin_to_come()) return;
  if (joined_subscription_ && *joined_subscription_ != subscription_.topics()) {
    member_.request_rejoin("the subscription has changed");
  } else if (leader_.partitions_changed()) {
    member_.request_rejoin("cached metadata has changed");
  }
}

std::optional<ClientError> Membership::take_failure() {
  std::optional<ClientError> failure = std::exchange(pattern_failure_, std::nullopt);
  if (!failure) failure = member_.take_failure();
  if (!failure) failure = coordinator_.take_failure();
  return failure;
}

Task<ClientResult<bool>> Membership::advance() {
  for (;;) {
    look_for_changes();
    const std::optional<ClientError> failure = take_failure();
    if (failure) co_return *failure;
    if (!coordinator_.ensure()) co_return false;
    if (!rejoin_to_come()) co_return true;
    if (member_.needs_prepare() && join_.status() != GroupJoin::Status::kInFlight) {
      const ClientResult<bool> prepared = co_await prepare();
      if (!prepared) co_return prepared.error();
      if (!*prepared) co_return false;
    }
    switch (join_.status()) {
      case GroupJoin::Status::kIdle:
        start_join();
        co_return false;
      case GroupJoin::Status::kInFlight:
        co_return false;
      case GroupJoin::Status::kJoined: {
        const ClientResult<void> taken = co_await take_over();
        if (!taken) co_return taken.error();
        break;
      }
      case GroupJoin::Status::kRetry:
        join_.take_error();
        break;
      case GroupJoin::Status::kFatal:
        co_return join_.take_error();
    }
  }
}

// False while a subscription by pattern waits for metadata: all members see a new topic in one
// rebalance rather than each in its own.
bool Membership::start_join() {
  if (join_after_version_ && metadata_.version() <= *join_after_version_) {
    metadata_.maybe_refresh();
    return false;
  }
  join_after_version_.reset();
  joined_subscription_ = subscription_.topics();
  join_.start(subscription_.topics(), assigned_.owned());
  return true;
}

// PREPARE_CLIENT. False while its commit is on its way, or is to be repeated at the next poll.
Task<ClientResult<bool>> Membership::prepare() {
  if (config_.auto_commit) {
    const bool committed = co_await commit_before_prepare();
    if (!committed) co_return false;
  }
  member_.set_needs_prepare(false);
  prepare_deadline_.reset();
  if (subscription_.by_pattern()) {
    join_after_version_ = metadata_.version();
    metadata_.request_update();
  }
  const ClientResult<void> given_up = co_await give_up_for_join();
  if (!given_up) co_return given_up.error();
  co_return true;
}

// True when there is nothing (more) to wait for.
Task<bool> Membership::commit_before_prepare() {
  if (!prepare_deadline_) prepare_deadline_ = client_.now() + config_.rebalance_timeout;
  if (!prepare_commit_) {
    if (mode_ == RebalanceMode::kEager) assigned_.stop_delivery();
    prepare_commit_ = commits_.commit_async(assigned_.positions());
  }
  const bool in_time = client_.now() < *prepare_deadline_;
  if (!prepare_commit_->outcome && in_time) co_return false;
  const bool retry = in_time && prepare_commit_->outcome == OffsetCommits::Outcome::kRetriable;
  prepare_commit_.reset();
  if (retry) co_await client_.time().sleep_for(config_.retry_backoff, "retry.backoff.ms");
  co_return !retry;
}

Task<ClientResult<void>> Membership::give_up_for_join() {
  const TopicPartitions owned = assigned_.owned();
  if (!member_.has_generation()) {
    const bool has_id = !member_.identity().member_id.value().empty();  // ILLEGAL_GENERATION
    if (has_id && config_.keep_on_illegal_generation) co_return ClientResult<void>();
    co_return co_await lose_all();
  }
  if (mode_ == RebalanceMode::kEager) co_return co_await revoke(owned);
  TopicPartitions unsubscribed;
  for (const TopicPartition& where : owned) {
    if (!subscription_.wants(where.topic)) unsubscribed.insert(where);
  }
  if (unsubscribed.empty()) co_return ClientResult<void>();
  co_return co_await revoke(unsubscribed);
}

Task<ClientResult<void>> Membership::revoke(TopicPartitions partitions) {
  report(events::kPartitionsRevoked, partitions);
  ClientResult<void> called;
  if (listener_) called = co_await listener_->on_partitions_revoked(partitions);
  const TopicPartitions rest = minus(assigned_.owned(), partitions);
  assigned_.assign(rest);
  co_return thrown_by_callback(called);
}

Task<ClientResult<void>> Membership::lose_all() {
  if (assigned_.empty()) co_return ClientResult<void>();
  const TopicPartitions owned = assigned_.owned();
  report(events::kPartitionsLost, owned);
  ClientResult<void> called;
  if (listener_) called = co_await listener_->on_partitions_lost(owned);
  const TopicPartitions none;
  assigned_.assign(none);
  co_return thrown_by_callback(called);
}

// JOIN_COMPLETE, unless the member was reset since its SyncGroup was answered. Where it fails, the
// next poll does it again with the same assignment.
Task<ClientResult<void>> Membership::take_over() {
  if (member_.state() != MemberState::kStable || !member_.has_generation()) {
    join_.finish();
    member_.set_needs_prepare(true);
    member_.request_rejoin("the member was reset before it took over its assignment");
    co_return ClientResult<void>();
  }
  wire::ConsumerProtocolAssignment message;
  if (join_.assignment().empty() || !message.ParseFromString(join_.assignment())) {
    // The leader forgot this member: there is no well-formed assignment, not even an empty one.
    co_return ClientError{ErrorCode::kNone, "IllegalStateException"};
  }
  const TopicPartitions assigned = read_partitions(message.assigned_partitions());
  const bool wanted = std::all_of(assigned.begin(), assigned.end(), [this](const auto& where) {
    return subscription_.wants(where.topic);
  });
  ClientResult<void> taken;
  if (!wanted) {
    member_.request_rejoin("received assignment of a topic outside the subscription");
  } else {
    join_.remember(assigned);
    joined_ = true;
    if (mode_ == RebalanceMode::kEager) taken = co_await take_over_eager(assigned);
    if (mode_ == RebalanceMode::kCooperative) taken = co_await take_over_cooperative(assigned);
  }
  if (!taken) co_return taken;
  join_.finish();
  member_.set_needs_prepare(true);
  co_return ClientResult<void>();
}

// Nothing is owned any more, unless this is a repetition after a callback's exception, or the
// member keeps what it has after ILLEGAL_GENERATION.
Task<ClientResult<void>> Membership::take_over_eager(TopicPartitions assigned) {
  const TopicPartitions kept = minus(assigned_.owned(), assigned);
  const TopicPartitions added = minus(assigned, assigned_.owned());
  ClientResult<void> revoked;
  if (!kept.empty()) revoked = co_await revoke(kept);
  assigned_.assign(assigned);
  const ClientResult<void> reported = co_await report_assigned(added);
  co_return revoked ? reported : revoked;
}

Task<ClientResult<void>> Membership::take_over_cooperative(TopicPartitions assigned) {
  const TopicPartitions owned = assigned_.owned();
  const TopicPartitions given_up = minus(owned, assigned);
  const TopicPartitions added = minus(assigned, owned);
  ClientResult<void> revoked;
  if (!given_up.empty()) {
    revoked = co_await revoke(given_up);
    member_.request_rejoin("need to revoke partitions and re-join");
  }
  assigned_.assign(assigned);
  const ClientResult<void> reported = co_await report_assigned(added);
  co_return revoked ? reported : revoked;
}

Task<ClientResult<void>> Membership::report_assigned(TopicPartitions added) {
  client_.report(
      events::make(events::kPartitionsAssigned,
                   {{"group", config_.group->value()},
                    {"member", member_.identity().member_id.value()},
                    {"generation", std::to_string(member_.identity().generation.value())},
                    {"partitions", to_text(added)},
                    {"owned", to_text(assigned_.owned())}}));
  ClientResult<void> called;
  if (listener_) called = co_await listener_->on_partitions_assigned(added);
  co_return thrown_by_callback(called);
}

void Membership::report(std::string_view event, const TopicPartitions& partitions) {
  const Identity& identity =
      member_.has_generation() ? member_.identity() : member_.former_identity();
  client_.report(events::make(event, {{"group", config_.group->value()},
                                      {"member", identity.member_id.value()},
                                      {"generation", std::to_string(identity.generation.value())},
                                      {"partitions", to_text(partitions)}}));
}

Task<ClientResult<void>> Membership::leave(std::string reason) {
  ClientResult<void> called;
  if (!assigned_.empty()) {
    const bool lost = !member_.has_generation() || member_.rebalancing();
    const TopicPartitions owned = assigned_.owned();
    if (lost) called = co_await lose_all();
    if (!lost) called = co_await revoke(owned);
  }
  const std::optional<std::string> coordinator =
      config_.leave_on_close ? coordinator_.host() : std::nullopt;
  co_await member_.leave(coordinator, reason);
  co_return called;
}

}  // namespace fencepost::consumer
