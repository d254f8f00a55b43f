#include "broker/core/deadlines.h"

namespace fencepost::broker {

void Deadlines::arm(const TimerKey& key, TickSpan delay, std::string_view name, const Turn& turn) {
  cancel(key);
  const Place place{turn.now + delay, next_serial_++};
  wire::Cause cause = turn.cause;
  cause.set_timer(std::string(name));
  cause.set_armed_tick(turn.now.value());
  by_due_.emplace(place, ExpiredTimer{key, std::move(cause)});
  by_key_.emplace(key, place);
}

void Deadlines::cancel(const TimerKey& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  by_due_.erase(found->second);
  by_key_.erase(found);
}

std::optional<Tick> Deadlines::next() const {
  if (by_due_.empty()) return std::nullopt;
  return by_due_.begin()->first.first;
}

std::optional<ExpiredTimer> Deadlines::take_due(Tick now) {
  if (by_due_.empty() || by_due_.begin()->first.first > now) return std::nullopt;
  ExpiredTimer expired = std::move(by_due_.begin()->second);
  by_due_.erase(by_due_.begin());
  by_key_.erase(expired.key);
  return expired;
}

}  // namespace fencepost::broker
