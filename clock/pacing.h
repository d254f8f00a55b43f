// How fast a run goes in wall time: as fast as it can, or so many milliseconds a tick. Pacing waits
// only before a tick opens and is no part of the capture (DESIGN 3).
#pragma once

#include <chrono>
#include <optional>

#include "common/ids.h"

namespace fencepost::clock {

class Pacing {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // Zero a tick is a free run. Tick 0 is at `start`.
  Pacing(std::chrono::milliseconds a_tick, Instant start) : a_tick_(a_tick), start_(start) {}

  bool is_free() const { return a_tick_.count() == 0; }

  // The tick that the pace has reached; in a free run the one after the last that closed.
  Tick reached(Instant now, Tick last_closed) const {
    if (is_free()) return last_closed + TickSpan(1);
    return Tick((now - start_) / a_tick_);
  }

  // When a tick may open; the start if at once.
  Instant opening_of(Tick tick) const { return start_ + a_tick_ * tick.value(); }

  // Takes the time at which the run really begins, e.g. when everybody is there.
  void begin(Instant start) { start_ = start; }

 private:
  std::chrono::milliseconds a_tick_;
  Instant start_;
};

}  // namespace fencepost::clock
