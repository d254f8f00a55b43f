// Kafka's exponential backoff: first, twice that, and so on up to a maximum.
// Deviation: without Kafka's jitter of 20%, which serves clients that fail in the same instant.
#pragma once

#include <algorithm>

#include "common/ids.h"

namespace fencepost {

// The pause after the `failures`-th failure, counted from 0.
constexpr TickSpan exponential_backoff(TickSpan first, TickSpan max, int failures) {
  std::int64_t pause = first.value();
  for (int i = 0; i < failures && pause < max.value(); ++i) pause *= 2;
  return TickSpan(std::min(pause, std::max(first.value(), max.value())));
}

}  // namespace fencepost
