// Fetch (api key 1): reads what there is, or parks the request until enough bytes have come or
// fetch.max.wait.ms has passed.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "broker/core/broker_config.h"
#include "broker/core/deadlines.h"
#include "broker/core/effects.h"
#include "broker/core/topics.h"
#include "proto/log.pb.h"

namespace fencepost::broker {

// Beyond it a fetch is answered at once, with what there is.
inline constexpr std::size_t kMaxParkedFetches = 10'000;

// What one response carries at most, whatever max_bytes says: a frame has its limit too.
inline constexpr std::int64_t kMaxFetchBytes = std::int64_t{12} << 20U;

// What a request reads now. Whole batches only; Kafka's rule that the first partition with data
// gives at least one batch, however small the limits, so that no consumer gets stuck.
struct FetchOutcome {
  wire::FetchResponse response;
  std::int64_t bytes = 0;  // serialized size of the batches
  bool failed = false;     // some partition has an error
};
FetchOutcome read_partitions(const wire::FetchRequest& request, const Topics& topics);

class FetchWaiters {
 public:
  FetchWaiters(const BrokerConfig& config, const Topics& topics, Deadlines& deadlines)
      : config_(config), topics_(topics), deadlines_(deadlines) {}

  // Answers at once if there is enough, an error, nothing to wait for or no wish to wait; else
  // parks.
  void fetch(const wire::FetchRequest& request, const Caller& caller, Turn& turn);
  // Answers those parked fetches, oldest first, that changed partitions have satisfied, by what was
  // appended or because they are gone.
  void appended(const std::set<TopicPartition>& grown, Turn& turn);
  // The wait of a parked fetch is over: answers with what there is.
  void expired(std::uint64_t waiter, Turn& turn);

  std::size_t parked() const { return waiters_.size(); }

 private:
  struct Waiter {
    RequestId request;
    wire::FetchRequest fetch;
  };
  void park(const wire::FetchRequest& request, const Caller& caller, Turn& turn);
  void release(std::uint64_t waiter);

  const BrokerConfig& config_;
  const Topics& topics_;
  Deadlines& deadlines_;
  std::map<std::uint64_t, Waiter> waiters_;
  std::map<TopicPartition, std::set<std::uint64_t>> watched_;
  std::uint64_t next_waiter_ = 1;
};

}  // namespace fencepost::broker
