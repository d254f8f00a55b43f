// When an application commits, what, and what it does when that fails: app.commit and its
// relatives. A batch that is committed whole is committed by commitSync(), which takes the
// positions; everything else by commitSync(offsets) with the offsets stored record by record.
#pragma once

#include <optional>

#include "common/client_node.h"
#include "consumer/core/consumer.h"
#include "consumer/processing.h"

namespace fencepost::consumer {

class Commits {
 public:
  Commits(Client& client, Consumer& consumer, Processing& processing);

  // -- from the application's loop. Errors are those that end it. --
  // app.commit=before. False: refused, so the batch is not to be processed; it is read again, if
  // not by somebody else.
  Task<ClientResult<bool>> before_batch(const Records& records);
  Task<ClientResult<void>> after_batch();
  // After every record, or where a worker has them, after every poll.
  Task<ClientResult<void>> if_due();
  // app.on.commit.failed=retry: what was refused is committed again, as far as it is still owned.
  Task<ClientResult<void>> again();
  // Before close: what no batch's end would commit any more.
  Task<ClientResult<void>> at_end();

  // A record is processed. From a worker too: it touches no consumer.
  void store(const ConsumerRecord& record);

  // -- from the rebalance listener --
  Task<ClientResult<void>> on_revoked(TopicPartitions partitions);
  // Lost, or revoked: what is stored of these is dropped, unless app.keep.stored.offsets.
  void drop(const TopicPartitions& partitions);

  bool keeps_stored_offsets() const { return keep_; }
  bool commits_on_revoke() const { return on_revoke_; }

 private:
  enum class Order { kAfter, kBefore, kNone };
  enum class OnFailure { kRejoin, kExit, kRetry };

  bool in_parts() const { return records_ > 0 || interval_ > TickSpan(0); }
  Task<ClientResult<bool>> commit();
  Task<ClientResult<bool>> commit(Offsets offsets);
  void forget(const Offsets& committed);
  void rewind(const Records& records);

  Client& client_;
  Consumer& consumer_;
  Processing& processing_;
  Order order_ = Order::kNone;
  OnFailure on_failure_ = OnFailure::kRejoin;
  std::int64_t records_ = 0;  // 0: whole batches, unless there is an interval
  TickSpan interval_{0};
  bool on_revoke_ = false;
  bool keep_ = false;
  bool by_record_ = false;  // stored offsets are committed rather than positions
  Offsets stored_;
  Offsets refused_;  // to be committed again
  std::int64_t uncommitted_ = 0;
  Tick last_commit_;
};

}  // namespace fencepost::consumer
