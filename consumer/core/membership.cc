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

void Membership::subscribe(std::vector<std::string> topics) {
  std::sort(topics.begin(), topics.end());
  topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
  metadata_.want(topics);
  subscription_ = std::move(topics);
  if (!std::exchange(started_, true)) heartbeats_.start();
}

void Membership::look_for_changes() {
  if (!joined_subscription_.empty() && joined_subscription_ != subscription_ &&
      !member_.rejoin_needed()) {
    member_.request_rejoin("the subscription has changed");
  }
  if (leader_.partitions_changed() && !member_.rejoin_needed() && !join_.pending()) {
    member_.request_rejoin("cached metadata has changed");
  }
}

std::optional<ClientError> Membership::take_failure() {
  std::optional<ClientError> failure = member_.take_failure();
  if (!failure) failure = coordinator_.take_failure();
  return failure;
}

Task<ClientResult<bool>> Membership::advance() {
  look_for_changes();
  for (;;) {
    const std::optional<ClientError> failure = take_failure();
    if (failure) co_return *failure;
    if (!coordinator_.ensure()) co_return false;
    if (!member_.rejoin_needed() && !join_.pending()) co_return true;
    if (member_.needs_prepare() && join_.status() != GroupJoin::Status::kInFlight) {
      const bool prepared = co_await prepare();
      if (!prepared) co_return false;
    }
    switch (join_.status()) {
      case GroupJoin::Status::kIdle:
        joined_subscription_ = subscription_;
        join_.start(subscription_, assigned_.owned());
        co_return false;
      case GroupJoin::Status::kInFlight:
        co_return false;
      case GroupJoin::Status::kJoined: {
        std::string assignment = join_.take_assignment();
        const ClientResult<void> taken = co_await take_over(std::move(assignment));
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

// PREPARE_CLIENT. False while its commit is on its way.
Task<bool> Membership::prepare() {
  if (config_.auto_commit && !commit_before_prepare()) co_return false;
  member_.set_needs_prepare(false);
  co_await give_up_for_join();
  co_return true;
}

// True when there is nothing (more) to wait for.
bool Membership::commit_before_prepare() {
  if (!prepare_commit_) {
    if (mode_ == RebalanceMode::kEager) assigned_.stop_delivery();
    prepare_deadline_ = client_.now() + config_.rebalance_timeout;
    prepare_commit_ = commits_.commit_async(assigned_.positions());
  }
  const bool in_time = client_.now() < prepare_deadline_;
  if (!prepare_commit_->outcome && in_time) return false;
  const bool retry = in_time && prepare_commit_->outcome == OffsetCommits::Outcome::kRetriable;
  prepare_commit_.reset();
  return !retry;
}

Task<void> Membership::give_up_for_join() {
  const TopicPartitions owned = assigned_.owned();
  if (!member_.has_generation()) {
    co_await lose_all();
  } else if (mode_ == RebalanceMode::kEager) {
    co_await revoke(owned);
  } else {
    TopicPartitions unsubscribed;
    for (const TopicPartition& where : owned) {
      const bool wanted =
          std::binary_search(subscription_.begin(), subscription_.end(), where.topic);
      if (!wanted) unsubscribed.insert(where);
    }
    if (!unsubscribed.empty()) co_await revoke(unsubscribed);
  }
}

Task<void> Membership::revoke(TopicPartitions partitions) {
  report(events::kPartitionsRevoked, partitions);
  if (listener_) co_await listener_->on_partitions_revoked(partitions);
  const TopicPartitions rest = minus(assigned_.owned(), partitions);
  assigned_.assign(rest);
}

Task<void> Membership::lose_all() {
  if (assigned_.empty()) co_return;
  const TopicPartitions owned = assigned_.owned();
  report(events::kPartitionsLost, owned);
  if (listener_) co_await listener_->on_partitions_lost(owned);
  const TopicPartitions none;
  assigned_.assign(none);
}

// JOIN_COMPLETE, unless the member was reset since its SyncGroup was answered.
Task<ClientResult<void>> Membership::take_over(std::string assignment) {
  if (member_.state() != MemberState::kStable || !member_.has_generation()) {
    member_.set_needs_prepare(true);
    member_.request_rejoin("the member was reset before it took over its assignment");
    co_return ClientResult<void>();
  }
  wire::ConsumerProtocolAssignment message;
  if (assignment.empty() || !message.ParseFromString(assignment)) {
    // The leader forgot this member: there is no well-formed assignment, not even an empty one.
    co_return ClientError{ErrorCode::kNone, "IllegalStateException"};
  }
  member_.set_needs_prepare(true);
  const TopicPartitions assigned = read_partitions(message.assigned_partitions());
  for (const TopicPartition& where : assigned) {
    if (std::binary_search(subscription_.begin(), subscription_.end(), where.topic)) continue;
    member_.request_rejoin("received assignment of a topic outside the subscription");
    co_return ClientResult<void>();
  }
  joined_ = true;
  if (mode_ == RebalanceMode::kEager) {
    co_await take_over_eager(assigned);
  } else {
    co_await take_over_cooperative(assigned);
  }
  co_return ClientResult<void>();
}

Task<void> Membership::take_over_eager(TopicPartitions assigned) {
  const TopicPartitions none;
  assigned_.assign(none);  // an unchanged partition starts from its committed offset, too
  assigned_.assign(assigned);
  co_await report_assigned(assigned);
}

Task<void> Membership::take_over_cooperative(TopicPartitions assigned) {
  const TopicPartitions owned = assigned_.owned();
  const TopicPartitions revoked = minus(owned, assigned);
  const TopicPartitions added = minus(assigned, owned);
  if (!revoked.empty()) {
    co_await revoke(revoked);
    member_.request_rejoin("need to revoke partitions and re-join");
  }
  assigned_.assign(assigned);
  co_await report_assigned(added);
}

Task<void> Membership::report_assigned(TopicPartitions added) {
  client_.report(
      events::make(events::kPartitionsAssigned,
                   {{"group", config_.group->value()},
                    {"member", member_.identity().member_id.value()},
                    {"generation", std::to_string(member_.identity().generation.value())},
                    {"partitions", to_text(added)},
                    {"owned", to_text(assigned_.owned())}}));
  if (listener_) co_await listener_->on_partitions_assigned(added);
}

void Membership::report(std::string_view event, const TopicPartitions& partitions) {
  const Identity& identity =
      member_.has_generation() ? member_.identity() : member_.former_identity();
  client_.report(events::make(event, {{"group", config_.group->value()},
                                      {"member", identity.member_id.value()},
                                      {"generation", std::to_string(identity.generation.value())},
                                      {"partitions", to_text(partitions)}}));
}

Task<void> Membership::leave(std::string reason) {
  if (!assigned_.empty()) {
    const bool lost = !member_.has_generation() || member_.rebalancing();
    if (lost) {
      co_await lose_all();
    } else {
      const TopicPartitions owned = assigned_.owned();
      co_await revoke(owned);
    }
  }
  const std::optional<std::string> coordinator =
      config_.leave_on_close ? coordinator_.host() : std::nullopt;
  co_await member_.leave(coordinator, reason);
}

}  // namespace fencepost::consumer
