// Commits (group-protocol 3.6): commitSync repeats what may be repeated, commitAsync is one
// attempt. Both refuse without a request where the member knows that it has no say any more.
#pragma once

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
  std::shared_ptr<const Flight> commit_async(Offsets offsets);
  // Until every asynchronous commit has ended, or the deadline.
  Task<void> settled(Tick deadline);

 private:
  struct Attempt {
    Outcome outcome = Outcome::kDone;
    ClientError error;
    Identity identity;  // that it carried
  };

  Task<Attempt> attempt(Offsets offsets);
  Task<bool> find_coordinator(Tick deadline);
  std::optional<Attempt> refused_locally() const;
  Attempt react(ErrorCode error, const Identity& sent, const std::string& coordinator);
  Attempt no_longer_a_member(ErrorCode error, const Identity& sent);
  Task<void> run_async(Offsets offsets, std::shared_ptr<Flight> flight);
  void report(const Attempt& attempt, const Offsets& offsets);

  Client& client_;
  const ConsumerConfig& config_;
  Member& member_;
  CoordinatorLookup& coordinator_;
  Signal& changed_;
  bool managed_ = true;
  int async_in_flight_ = 0;
};

}  // namespace fencepost::consumer
