// The heartbeat "thread" of a member (group-protocol 3.4): keeps the session alive while the
// application works, and leaves the group for an application that does not come back to poll in
// time.
#pragma once

#include <optional>
#include <string>

#include "common/client_node.h"
#include "consumer/core/consumer_config.h"
#include "consumer/core/coordinator_lookup.h"
#include "consumer/core/member.h"

namespace fencepost::consumer {

class Heartbeats {
 public:
  Heartbeats(Client& client, const ConsumerConfig& config, Member& member,
             CoordinatorLookup& coordinator, Signal& background);

  // Starts the background part; once.
  void start();
  // The JoinGroup has succeeded: session, poll and heartbeat timers begin anew.
  void restart_timers();

  // The application is in poll from the first to the second; the interval does not run out within.
  void poll_begins();
  void polled() { last_poll_ = client_.now(); }
  void poll_ends();
  // The consumer is closing: no more heartbeats.
  void stop() { stopped_ = true; }

 private:
  struct Due {
    Tick tick;
    std::string_view why;
  };

  Task<void> run();
  Due next_due() const;
  Tick session_end() const;
  Tick poll_end() const { return last_poll_ + config_.rebalance_timeout; }
  void pass();
  void send_heartbeat();
  Task<void> heartbeat(Identity sent, std::string coordinator);
  void react(ErrorCode error, const Identity& sent, const std::string& coordinator);
  void succeeded();
  void failed();

  Client& client_;
  const ConsumerConfig& config_;
  Member& member_;
  CoordinatorLookup& coordinator_;
  Signal& background_;
  bool stopped_ = false;
  bool in_poll_ = false;
  Tick last_poll_;
  Tick last_success_;
  Tick next_heartbeat_;
  int failures_ = 0;
};

}  // namespace fencepost::consumer
