// The broker's timers as data: one ordered set of due ticks. A timer has a key, and arming a key
// again replaces the earlier timer. Fires by (due tick, order of arming).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "broker/core/effects.h"
#include "common/ids.h"

namespace fencepost::broker {

enum class TimerKind { kSession, kJoin, kSync, kFetch, kRetention, kLogRetention };

struct TimerKey {
  TimerKind kind = TimerKind::kSession;
  std::string group;        // kSession, kJoin, kSync
  std::string member;       // kSession: a member or a pending id
  std::uint64_t fetch = 0;  // kFetch: the parked request
  friend auto operator<=>(const TimerKey&, const TimerKey&) = default;
};

struct ExpiredTimer {
  TimerKey key;
  wire::Cause cause;  // of what armed it, with the timer's name and the tick of arming
};

class Deadlines {
 public:
  // Due at turn.now + delay. `name` is the timer's name in causes, a property where there is one.
  void arm(const TimerKey& key, TickSpan delay, std::string_view name, const Turn& turn);
  // Does nothing if the key is not armed.
  void cancel(const TimerKey& key);
  bool armed(const TimerKey& key) const { return by_key_.contains(key); }

  std::optional<Tick> next() const;
  // Takes out the first timer that is due.
  std::optional<ExpiredTimer> take_due(Tick now);

 private:
  using Place = std::pair<Tick, std::uint64_t>;  // due, serial
  std::map<Place, ExpiredTimer> by_due_;
  std::map<TimerKey, Place> by_key_;
  std::uint64_t next_serial_ = 1;
};

}  // namespace fencepost::broker
