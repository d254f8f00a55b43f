// Kafka's consumer as its user sees it: subscribe or assign, poll, commit, close. Coroutines take
// the place of blocking calls; what the Java client throws comes back as a ClientError.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/client_node.h"
#include "common/metadata.h"
#include "consumer/core/assigned_partitions.h"
#include "consumer/core/consumer_config.h"
#include "consumer/core/fetcher.h"
#include "consumer/core/membership.h"
#include "consumer/core/positions.h"

namespace fencepost::consumer {

class Consumer {
 public:
  // Outlived by `client`. Throws ConfigError.
  Consumer(Client& client, ConsumerConfig config);

  // Joins the group (at the next poll) and shares these topics, or every topic whose whole name
  // matches, with its members. Errors: InvalidGroupIdException without a group.id,
  // IllegalStateException after assign(). IllegalArgumentException: no regular expression.
  ClientResult<void> subscribe(std::vector<std::string> topics,
                               RebalanceListener* listener = nullptr);
  ClientResult<void> subscribe_pattern(const std::string& pattern,
                                       RebalanceListener* listener = nullptr);
  // Reads these partitions without being a member of a group.
  void assign(const TopicPartitions& partitions);
  // The partitions of a topic, waiting for metadata up to default.api.timeout.ms.
  Task<ClientResult<TopicPartitions>> partitions_of(std::string topic);

  // Up to max.poll.records records, as soon as there are any; none after `timeout` or wakeup(). A
  // poll that is woken has lost nothing.
  Task<ClientResult<Records>> poll(TickSpan timeout);
  // Ends the poll under way, or the next one.
  void wakeup();

  // Commits the positions of all partitions: the offsets after the records returned by poll.
  Task<ClientResult<void>> commit_sync();
  Task<ClientResult<void>> commit_sync(Offsets offsets);
  // One attempt for the positions of all partitions; the callback is called in a later poll, commit
  // or close, in the order in which the commits have ended.
  void commit_async(CommitCallback callback = {});

  const AssignedPartitions& assignment() const { return assigned_; }
  bool contains(const TopicPartitions& partitions) const;
  // The next record to be returned. These three are for partitions that are assigned; otherwise
  // IllegalStateException, and nothing is done.
  ClientResult<void> seek(const TopicPartition& where, Offset position);
  // Nothing of these is returned until they are resumed or assigned anew.
  ClientResult<void> pause(const TopicPartitions& partitions);
  ClientResult<void> resume(const TopicPartitions& partitions);
  // The next poll joins anew.
  void enforce_rebalance();

  // An error is what a callback has thrown; the consumer is unsubscribed all the same.
  Task<ClientResult<void>> unsubscribe();
  // Commits (with enable.auto.commit), leaves the group and reports client.closed.
  Task<void> close(TickSpan timeout);

 private:
  Task<ClientResult<Records>> poll_until(Tick deadline);
  Task<ClientResult<void>> poll_round();
  Task<void> wait_for_change(Tick deadline);
  ClientResult<void> may_subscribe() const;
  void forget_assignment();
  ClientResult<void> set_paused(const TopicPartitions& partitions, bool paused);
  std::optional<ClientError> run_callbacks();
  void maybe_auto_commit();
  void auto_commit_if_due();

  Client& client_;
  ConsumerConfig config_;
  Signal changed_;  // something that poll waits for may have come
  Metadata metadata_;
  AssignedPartitions assigned_;
  std::unique_ptr<Membership> membership_;  // none without group.id
  Positions positions_;
  Fetcher fetcher_;
  bool woken_ = false;
  bool assigned_by_hand_ = false;
  Tick next_auto_commit_;
  std::shared_ptr<const OffsetCommits::Flight> auto_commit_;
};

}  // namespace fencepost::consumer
