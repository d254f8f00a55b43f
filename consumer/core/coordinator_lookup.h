// Which process coordinates the group (FindCoordinator API, key 10): looked up in the background,
// one lookup at a time, a failed one followed by retry.backoff.ms.
#pragma once

#include <optional>
#include <string>

#include "common/client_node.h"
#include "common/metadata.h"
#include "consumer/core/consumer_config.h"

namespace fencepost::consumer {

class CoordinatorLookup {
 public:
  // Both signals are notified when a lookup has ended.
  CoordinatorLookup(Client& client, const ConsumerConfig& config, Metadata& metadata,
                    Signal& changed, Signal& background);

  const std::optional<std::string>& host() const { return host_; }
  // True if it is known; otherwise starts a lookup unless one is on its way.
  bool ensure();
  bool looking() const { return looking_; }
  // The coordinator does not answer or says that it is not. Ignored if `host` is not the one known
  // now.
  void mark_unknown(const std::string& host);
  // When it was found last: the session counts anew from there.
  Tick found_at() const { return found_at_; }
  // An error that no second lookup heals (GROUP_AUTHORIZATION_FAILED, ...).
  std::optional<ClientError> take_failure() { return std::exchange(failure_, std::nullopt); }

 private:
  Task<void> look_up();
  ErrorCode take(const wire::FindCoordinatorResponse& response);

  Client& client_;
  const ConsumerConfig& config_;
  Metadata& metadata_;
  Signal& changed_;
  Signal& background_;
  std::optional<std::string> host_;
  bool looking_ = false;
  Tick found_at_;
  std::optional<ClientError> failure_;
};

}  // namespace fencepost::consumer
