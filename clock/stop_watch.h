// Who is stopped, where nobody tells: the runner sees its own children stop and go on, and says so.
// Of other processes of this host /proc knows. Between containers only silence tells: whoever owes
// a step for longer than the grace time counts as stopped until he speaks.
//
// What comes out are facts, perhaps late; it is the core that decides (DESIGN 3).
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clock/core/participant.h"

namespace fencepost::clock {

class StopWatch {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  struct Finding {
    ParticipantId who;
    bool stopped = false;  // otherwise: it goes on
  };

  // No grace: silence says nothing.
  explicit StopWatch(std::optional<std::chrono::milliseconds> grace);

  // A participant that the runner does not look after.
  void watch(const ParticipantId& who, const wire::Hello& hello);
  void forget(const ParticipantId& who);
  bool has_anybody() const { return !watched_.empty(); }

  // It has been granted a step.
  void on_grant(const ParticipantId& who, Instant now);
  // It has spoken. True if that is news: it counted as stopped.
  bool on_word(const ParticipantId& who);

  // Looks at everybody, and returns what has changed since the last look.
  std::vector<Finding> look(Instant now);

 private:
  struct Watched {
    std::optional<std::int64_t> pid;  // of this host; absent: only silence tells
    std::optional<Instant> granted;   // the step that it owes
    bool stopped = false;             // as was found last
  };

  std::optional<std::chrono::milliseconds> grace_;
  std::string own_pid_space_;
  std::map<ParticipantId, Watched> watched_;
};

}  // namespace fencepost::clock
