#include "consumer/core/consumer.h"

#include <algorithm>

#include "common/check.h"
#include "common/events.h"

namespace fencepost::consumer {

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

void Consumer::subscribe(std::vector<std::string> topics, RebalanceListener* listener) {
  if (!membership_) throw ConfigError("group.id is needed to subscribe to topics");
  membership_->set_listener(listener);
  membership_->subscribe(std::move(topics));
}

void Consumer::assign(const TopicPartitions& partitions) {
  std::vector<std::string> topics;
  for (const TopicPartition& where : partitions) topics.push_back(where.topic);
  metadata_.want(topics);
  if (membership_) membership_->commits().set_managed(false);
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

// Steps 1 to 4: everything that comes before records.
Task<ClientResult<void>> Consumer::poll_round() {
  metadata_.maybe_refresh();
  bool settled = true;
  if (membership_ && membership_->subscribed()) {
    membership_->heartbeats().polled();
    const ClientResult<bool> advanced = co_await membership_->advance();
    if (!advanced) co_return advanced.error();
    settled = *advanced;
  }
  if (settled) maybe_auto_commit();
  positions_.update();
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
  if (now < next_auto_commit_) return;
  next_auto_commit_ = now + config_.auto_commit_interval;
  auto_commit_ = membership_->commits().commit_async(assigned_.positions());
}

Task<ClientResult<void>> Consumer::commit_sync() { return commit_sync(assigned_.positions()); }

Task<ClientResult<void>> Consumer::commit_sync(Offsets offsets) {
  CHECK(membership_, "a commit without a group");
  const Tick deadline = client_.now() + config_.api_timeout;
  return membership_->commits().commit(std::move(offsets), deadline);
}

void Consumer::commit_async() {
  CHECK(membership_, "a commit without a group");
  membership_->commits().commit_async(assigned_.positions());
}

Task<void> Consumer::unsubscribe() {
  const std::string reason = "the consumer unsubscribed from all topics";
  if (membership_ && membership_->subscribed()) co_await membership_->leave(reason);
  const TopicPartitions none;
  assigned_.assign(none);
  if (membership_) membership_->subscribe({});
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
    membership_->heartbeats().stop();
    member = membership_->member().identity().member_id.value();
    const std::string reason = "the consumer is being closed";
    if (membership_->subscribed()) co_await membership_->leave(reason);
  }
  client_.report(events::make(events::kClientClosed, {{"group", group}, {"member", member}}));
}

}  // namespace fencepost::consumer
