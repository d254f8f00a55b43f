#include "consumer/habits/commits.h"

#include <map>

namespace fencepost::consumer {
namespace {

// What a Kafka program catches, reports and survives: the group has gone on without this commit.
bool is_survivable(const ClientError& error) {
  return error.exception == "CommitFailedException" ||
         error.exception == "RebalanceInProgressException" || error.exception == "TimeoutException";
}

}  // namespace

Commits::Commits(Client& client, Consumer& consumer, Processing& processing)
    : client_(client), consumer_(consumer), processing_(processing) {
  const Properties& properties = client.properties();
  if (properties.get("group.id").empty()) return;
  const std::string order = properties.get("app.commit");
  if (order == "before") order_ = Order::kBefore;
  if (order == "after" || order == "each") order_ = Order::kAfter;
  records_ = order == "each" ? 1 : properties.get_int("app.commit.records");
  interval_ = client.ticks("app.commit.interval.ms");
  const std::string on_failure = properties.get("app.on.commit.failed");
  if (on_failure == "exit") on_failure_ = OnFailure::kExit;
  if (on_failure == "retry") on_failure_ = OnFailure::kRetry;
  on_revoke_ = properties.get_bool("app.commit.on.revoke");
  keep_ = properties.get_bool("app.keep.stored.offsets");
  by_record_ = in_parts() || keep_ || properties.get_bool("app.worker");
}

void Commits::store(const ConsumerRecord& record) {
  stored_[record.where] = record.offset + 1;
  ++uncommitted_;
}

Task<ClientResult<bool>> Commits::before_batch(const Records& records) {
  if (order_ != Order::kBefore) co_return true;
  const ClientResult<bool> committed = co_await commit();
  if (!committed) co_return committed.error();
  if (!*committed) rewind(records);
  co_return *committed;
}

Task<ClientResult<void>> Commits::after_batch() {
  if (order_ != Order::kAfter || in_parts()) co_return ClientResult<void>();
  const ClientResult<bool> committed = co_await commit();
  if (!committed) co_return committed.error();
  co_return ClientResult<void>();
}

Task<ClientResult<void>> Commits::if_due() {
  if (order_ != Order::kAfter || uncommitted_ == 0) co_return ClientResult<void>();
  const bool enough = records_ > 0 && uncommitted_ >= records_;
  const bool late = interval_ > TickSpan(0) && client_.now() >= last_commit_ + interval_;
  if (!enough && !late) co_return ClientResult<void>();
  const ClientResult<bool> committed = co_await commit();
  if (!committed) co_return committed.error();
  co_return ClientResult<void>();
}

Task<ClientResult<void>> Commits::again() {
  if (refused_.empty()) co_return ClientResult<void>();
  Offsets offsets = std::exchange(refused_, {});
  const ClientResult<bool> committed = co_await commit(std::move(offsets));
  if (!committed) co_return committed.error();
  co_return ClientResult<void>();
}

Task<ClientResult<void>> Commits::at_end() {
  if (order_ != Order::kAfter || uncommitted_ == 0) co_return ClientResult<void>();
  const ClientResult<bool> committed = co_await commit();
  if (!committed) co_return committed.error();
  co_return ClientResult<void>();
}

Task<ClientResult<void>> Commits::on_revoked(TopicPartitions partitions) {
  ClientResult<bool> committed = true;
  if (on_revoke_ && uncommitted_ > 0) committed = co_await commit();
  drop(partitions);
  if (!committed) co_return committed.error();
  co_return ClientResult<void>();
}

void Commits::drop(const TopicPartitions& partitions) {
  if (keep_) return;
  for (const TopicPartition& where : partitions) {
    stored_.erase(where);
    refused_.erase(where);
  }
}

Task<ClientResult<bool>> Commits::commit() {
  const ClientResult<void> flushed = co_await processing_.flush();
  if (!flushed) co_return flushed.error();
  Offsets offsets = by_record_ ? stored_ : consumer_.assignment().positions();
  co_return co_await commit(std::move(offsets));
}

// False: refused because of a rebalance. Any other error ends the application.
Task<ClientResult<bool>> Commits::commit(Offsets offsets) {
  const Offsets asked = offsets;
  const ClientResult<void> committed = co_await consumer_.commit_sync(std::move(offsets));
  last_commit_ = client_.now();
  if (committed) {
    forget(asked);
    co_return true;
  }
  if (on_failure_ == OnFailure::kExit || !is_survivable(committed.error())) {
    co_return committed.error();
  }
  if (on_failure_ == OnFailure::kRetry) refused_ = asked;
  co_return false;
}

// A worker may have stored more meanwhile.
void Commits::forget(const Offsets& committed) {
  refused_.clear();
  std::erase_if(stored_, [&](const auto& entry) {
    const auto done = committed.find(entry.first);
    return !by_record_ || (done != committed.end() && entry.second <= done->second);
  });
  if (stored_.empty()) uncommitted_ = 0;
}

// The partitions that are still owned are read again from where the batch began.
void Commits::rewind(const Records& records) {
  std::map<TopicPartition, Offset> first;
  for (const ConsumerRecord& record : records) first.try_emplace(record.where, record.offset);
  for (const auto& [where, offset] : first) {
    if (consumer_.assignment().contains(where)) consumer_.seek(where, offset);
  }
}

}  // namespace fencepost::consumer
