#include "consumer/core/consumer.h"

#include <algorithm>

#include "common/check.h"
#include "common/events.h"

namespace fencepost::consumer {
namespace {

constexpr ClientError kIllegalState{ErrorCode::kNone, "IllegalStateException"};

}  // namespace

Consumer::Consumer(Client& client, ConsumerConfig config)
    : client_(client),
      config_(std::move(config)),
      changed_(client.time()),
      metadata_(client, config_.metadata, changed_),
      membership_(config_.group ? std::make_unique<Membership>(client, config_, metadata_,
                                                               assigned_, changed_)
                                : nullptr),
      positions_(client, config_, metadata_, membership_ ? &membership_->coordinator() : nullptr,
                 assigned_, changed_),
      fetcher_(client, config_, metadata_, assigned_, positions_, changed_),
      next_auto_commit_(client.now() + config_.auto_commit_interval) {}

ClientResult<void> Consumer::may_subscribe() const {
  if (!membership_) return client_error(ErrorCode::kInvalidGroupId);
  if (assigned_by_hand_) return kIllegalState;  // mutually exclusive until unsubscribe()
  return ClientResult<void>();
}

ClientResult<void> Consumer::subscribe(std::vector<std::string> topics,
                                       RebalanceListener* listener) {
  const ClientResult<void> allowed = may_subscribe();
  if (!allowed) return allowed;
  membership_->set_listener(listener);
  membership_->commits().set_managed(true);
  membership_->subscribe(std::move(topics));
  return ClientResult<void>();
}

ClientResult<void> Consumer::subscribe_pattern(const std::string& pattern,
                                               RebalanceListener* listener) {
  const ClientResult<void> allowed = may_subscribe();
  if (!allowed) return allowed;
  try {
    membership_->subscribe_pattern(pattern);
  } catch (const ConfigError&) {
    return ClientError{ErrorCode::kNone, "IllegalArgumentException"};
  }
  membership_->set_listener(listener);
  membership_->commits().set_managed(true);
  return ClientResult<void>();
}

// With auto-commit, what is unassigned is committed if the time has come: no rebalance will do it.
void Consumer::assign(const TopicPartitions& partitions) {
  std::vector<std::string> topics;
  for (const TopicPartition& where : partitions) topics.push_back(where.topic);
  metadata_.want(topics);
  if (config_.auto_commit) auto_commit_if_due();
  if (membership_) membership_->commits().set_managed(false);
  assigned_by_hand_ = true;
  assigned_.assign(partitions);
}

Task<ClientResult<TopicPartitions>> Consumer::partitions_of(std::string topic) {
  const std::vector<std::string> topics(1, topic);
  metadata_.want(topics);
  const Tick deadline = client_.now() + config_.api_timeout;
  for (;;) {
    const std::optional<std::int32_t> count = metadata_.partition_count(topic);
    if (count) {
      TopicPartitions partitions;
      for (std::int32_t i = 0; i < *count; ++i) partitions.insert({topic, PartitionId(i)});
      co_return partitions;
    }
    if (client_.now() >= deadline || woken_) {
      co_return ClientError{ErrorCode::kRequestTimedOut, "TimeoutException"};
    }
    metadata_.maybe_refresh();
    co_await changed_.wait_until(deadline, "default.api.timeout.ms");
  }
}

void Consumer::wakeup() {
  woken_ = true;
  changed_.notify_all();
}

Task<ClientResult<Records>> Consumer::poll(TickSpan timeout) {
  const bool member = membership_ && membership_->subscribed();
  if (member) membership_->heartbeats().poll_begins();
  const Tick deadline = client_.now() + timeout;
  ClientResult<Records> result = co_await poll_until(deadline);
  if (member) membership_->heartbeats().poll_ends();
  co_return result;
}

// Group-protocol 3.2. What is on its way when poll returns stays on its way, and the next poll
// finds it.
Task<ClientResult<Records>> Consumer::poll_until(Tick deadline) {
  for (;;) {
    if (std::exchange(woken_, false)) co_return Records();
    const ClientResult<void> round = co_await poll_round();
    if (!round) co_return round.error();
    Records records = assigned_.drain(config_.poll_records_max);
    if (!records.empty()) co_return std::move(records);
    fetcher_.send();
    co_await wait_for_change(deadline);
    records = assigned_.drain(config_.poll_records_max);
    if (!records.empty() || client_.now() >= deadline) co_return std::move(records);
  }
}

// Steps 1 to 4: everything that comes before records. While a join is pending, 3 and 4 have to
// wait.
Task<ClientResult<void>> Consumer::poll_round() {
  metadata_.maybe_refresh();
  const std::optional<ClientError> fenced = run_callbacks();
  if (fenced) co_return *fenced;
  bool settled = true;
  if (membership_ && membership_->subscribed()) {
    membership_->heartbeats().polled();
    const ClientResult<bool> advanced = co_await membership_->advance();
    if (!advanced) co_return advanced.error();
    settled = *advanced;
  }
  if (settled) maybe_auto_commit();
  if (settled) positions_.update();
  const std::optional<ClientError> failure = positions_.take_failure();
  if (failure) co_return *failure;
  co_return ClientResult<void>();
}

Task<void> Consumer::wait_for_change(Tick deadline) {
  if (client_.now() >= deadline || woken_) co_return;
  const bool commit_first =
      config_.auto_commit && next_auto_commit_ > client_.now() && next_auto_commit_ < deadline;
  if (commit_first) {
    co_await changed_.wait_until(next_auto_commit_, "auto.commit.interval.ms");
  } else {
    co_await changed_.wait_until(deadline, "poll timeout");
  }
}

// A commit that failed for a passing reason is tried again after retry.backoff.ms.
void Consumer::maybe_auto_commit() {
  if (!config_.auto_commit) return;
  const Tick now = client_.now();
  if (membership_->take_joined()) next_auto_commit_ = now + config_.auto_commit_interval;
  if (auto_commit_ && auto_commit_->outcome) {
    const bool retry = auto_commit_->outcome == OffsetCommits::Outcome::kRetriable;
    if (retry) next_auto_commit_ = std::min(next_auto_commit_, now + config_.retry_backoff);
    auto_commit_.reset();
  }
  auto_commit_if_due();
}

void Consumer::auto_commit_if_due() {
  if (client_.now() < next_auto_commit_) return;
  next_auto_commit_ = client_.now() + config_.auto_commit_interval;
  auto_commit_ = membership_->commits().commit_async(assigned_.positions());
}

std::optional<ClientError> Consumer::run_callbacks() {
  return membership_ ? membership_->commits().run_callbacks() : std::nullopt;
}

Task<ClientResult<void>> Consumer::commit_sync() { return commit_sync(assigned_.positions()); }

Task<ClientResult<void>> Consumer::commit_sync(Offsets offsets) {
  CHECK(membership_, "a commit without a group");
  const Tick deadline = client_.now() + config_.api_timeout;
  return membership_->commits().commit(std::move(offsets), deadline);
}

void Consumer::commit_async(CommitCallback callback) {
  CHECK(membership_, "a commit without a group");
  membership_->commits().commit_async(assigned_.positions(), std::move(callback));
}

bool Consumer::contains(const TopicPartitions& partitions) const {
  return std::all_of(partitions.begin(), partitions.end(),
                     [this](const auto& where) { return assigned_.contains(where); });
}

ClientResult<void> Consumer::seek(const TopicPartition& where, Offset position) {
  if (!assigned_.contains(where)) return kIllegalState;
  assigned_.seek(where, position);
  return ClientResult<void>();
}

ClientResult<void> Consumer::pause(const TopicPartitions& partitions) {
  return set_paused(partitions, true);
}

ClientResult<void> Consumer::resume(const TopicPartitions& partitions) {
  return set_paused(partitions, false);
}

ClientResult<void> Consumer::set_paused(const TopicPartitions& partitions, bool paused) {
  if (!contains(partitions)) return kIllegalState;
  for (const TopicPartition& where : partitions) assigned_.set_paused(where, paused);
  changed_.notify_all();
  return ClientResult<void>();
}

void Consumer::enforce_rebalance() {
  if (membership_) membership_->enforce_rebalance();
}

void Consumer::forget_assignment() {
  const TopicPartitions none;
  assigned_.assign(none);
  assigned_by_hand_ = false;
  if (!membership_) return;
  membership_->unsubscribe();
  membership_->commits().set_managed(false);  // until it subscribes again
}

Task<ClientResult<void>> Consumer::unsubscribe() {
  const std::string reason = "the consumer unsubscribed from all topics";
  ClientResult<void> left;
  if (membership_ && membership_->subscribed()) left = co_await membership_->leave(reason);
  forget_assignment();
  co_return left;
}

// Group-protocol 3.8.
Task<void> Consumer::close(TickSpan timeout) {
  const Tick deadline = client_.now() + timeout;
  std::string group;
  std::string member;
  if (membership_) {
    group = config_.group->value();
    Offsets positions = assigned_.positions();
    if (config_.auto_commit) {
      co_await membership_->commits().commit(std::move(positions), deadline);
    }
    co_await membership_->commits().settled(deadline);
    membership_->commits().run_callbacks();
    membership_->heartbeats().stop();
    member = membership_->member().identity().member_id.value();
    const std::string reason = "the consumer is being closed";
    if (membership_->subscribed()) co_await membership_->leave(reason);
  }
  client_.report(events::make(events::kClientClosed, {{"group", group}, {"member", member}}));
}

}  // namespace fencepost::consumer
