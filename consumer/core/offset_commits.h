// Commits (group-protocol 3.6): commitSync repeats what may be repeated, commitAsync is one
// attempt. Both refuse without a request where the member knows that it has no say any more.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/client_node.h"
#include "consumer/core/consumer_config.h"
#include "consumer/core/coordinator_lookup.h"
#include "consumer/core/member.h"
#include "consumer/core/topic_partitions.h"

namespace fencepost::consumer {

// Kafka's OffsetCommitCallback: what an asynchronous commit has come to; no error, no exception.
using CommitCallback =
    std::function<void(const Offsets& offsets, const std::optional<ClientError>& error)>;

class OffsetCommits {
 public:
  enum class Outcome { kDone, kRetriable, kFailed };

  // An asynchronous commit; its outcome is absent while it is on its way.
  struct Flight {
    std::optional<Outcome> outcome;
  };

  // `changed` is notified when an asynchronous commit has ended.
  OffsetCommits(Client& client, const ConsumerConfig& config, Member& member,
                CoordinatorLookup& coordinator, Signal& changed);

  // Commits of a consumer with assign() carry no identity.
  void set_managed(bool managed) { managed_ = managed; }

  // Errors: CommitFailedException (no member of this generation any more),
  // RebalanceInProgressException, TimeoutException, FencedInstanceIdException, and what the
  // coordinator says beyond that.
  Task<ClientResult<void>> commit(Offsets offsets, Tick deadline);
  // The callback is called from run_callbacks().
  std::shared_ptr<const Flight> commit_async(Offsets offsets, CommitCallback callback = {});
  // Calls back for every asynchronous commit that has ended, in the order in which they ended: at
  // each poll, commit and close. FencedInstanceIdException if one has ever been fenced, for good.
  std::optional<ClientError> run_callbacks();
  // Until every asynchronous commit has ended, or the deadline.
  Task<void> settled(Tick deadline);

 private:
  struct Ended {
    CommitCallback callback;
    Offsets offsets;
    std::optional<ClientError> error;
  };
  struct Attempt {
    Outcome outcome = Outcome::kDone;
    ClientError error;
    Identity identity;  // that it carried
  };

  Task<Attempt> attempt(Offsets offsets);
  Task<ClientResult<void>> commit_until(Offsets offsets, Tick deadline);
  Task<bool> find_coordinator(Tick deadline);
  std::optional<Attempt> refused_locally() const;
  Attempt react(ErrorCode error, const Identity& sent, const std::string& coordinator);
  Attempt no_longer_a_member(ErrorCode error, const Identity& sent);
  Task<void> run_async(Offsets offsets, CommitCallback callback, std::shared_ptr<Flight> flight);
  void report(const Attempt& attempt, const Offsets& offsets);

  Client& client_;
  const ConsumerConfig& config_;
  Member& member_;
  CoordinatorLookup& coordinator_;
  Signal& changed_;
  bool managed_ = true;
  int async_in_flight_ = 0;
  std::deque<Ended> ended_;  // whose callbacks are still to be called
  bool fenced_ = false;      // an asynchronous commit was
};

}  // namespace fencepost::consumer
