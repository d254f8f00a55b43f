// How fast a run goes in wall time: as fast as it can, so many milliseconds a tick, or only when a
// person says so. Pacing waits only before a tick opens and is no part of the capture (DESIGN 3).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "common/ids.h"

namespace fencepost::clock {

class Pacing {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // Zero a tick is a free run.
  explicit Pacing(std::chrono::milliseconds a_tick) : a_tick_(a_tick) {}

  // The first tick is about to open, e.g. since everybody is there.
  void begin(Instant now) { anchor_ = {now, Tick(0)}; }

  std::chrono::milliseconds a_tick() const { return a_tick_; }
  bool is_free() const { return a_tick_.count() == 0; }
  bool is_paused() const { return paused_.has_value(); }
  // A step that was asked for is not done yet.
  bool is_stepping() const { return steps_left_ > 0; }

  void pause(Instant now, Tick last_closed) {
    if (!paused_) paused_ = reached(now, last_closed);
    steps_left_ = 0;
  }
  // Lets so many of the next ticks in which anything happens open at once; pauses, if need be.
  void step(std::int64_t ticks, Instant now, Tick last_closed) {
    pause(now, last_closed);
    steps_left_ = ticks;
  }
  void go(Instant now) {
    if (paused_) anchor_ = {now, *paused_};
    paused_.reset();
    steps_left_ = 0;
  }
  void set_pace(std::chrono::milliseconds a_tick, Instant now, Tick last_closed) {
    if (!paused_) anchor_ = {now, reached(now, last_closed)};
    a_tick_ = a_tick;
  }

  // The tick that the pace has reached; in a free run the one after the last that closed.
  Tick reached(Instant now, Tick last_closed) const {
    const Tick next = last_closed + TickSpan(1);
    if (paused_) return std::max(*paused_, next);
    if (is_free() || now < anchor_.at) return next;
    return anchor_.tick + TickSpan((now - anchor_.at) / a_tick_);
  }

  // When a tick may open; nothing while a person has to say so.
  std::optional<Instant> opening_of(Tick tick) const {
    if (is_stepping()) return Instant::min();
    if (paused_) return std::nullopt;
    if (is_free()) return Instant::min();
    return anchor_.at + a_tick_ * (tick - anchor_.tick).value();
  }

  // A tick has opened. One that comes late (a slow process, a suspended machine) sets the pace for
  // those that follow: nobody watches a run that makes up for lost time.
  void opened(Tick tick, Instant now) {
    if (steps_left_ > 0) --steps_left_;
    if (paused_) {
      paused_ = std::max(*paused_, tick);
    } else if (!is_free() && now > anchor_.at + a_tick_ * ((tick - anchor_.tick).value() + 1)) {
      anchor_ = {now, tick};
    }
  }

 private:
  struct Anchor {
    Instant at = Instant::max();  // before the first tick
    Tick tick{0};
  };

  std::chrono::milliseconds a_tick_;
  Anchor anchor_;               // a tick that opened, or will, on time
  std::optional<Tick> paused_;  // what the pace had reached then
  std::int64_t steps_left_ = 0;
};

}  // namespace fencepost::clock
