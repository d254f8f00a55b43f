// The baseline of the barrier benchmark: the same messages, of the same sizes, between as many
// processes over loopback TCP, with plain epoll and nothing else. What a tick costs at the least.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::bench {

struct BarrierSizes {
  std::size_t grant;    // clock to participant
  std::size_t request;  // participant to its successor in the ring
  std::size_t answer;   // back
  std::size_t done;     // participant to clock, everything mirrored
};

// Ticks a second. Throws std::system_error.
double bare_barrier_rate(int participants, std::int64_t ticks, const BarrierSizes& sizes);

}  // namespace fencepost::bench
