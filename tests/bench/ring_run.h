// Runs of the ring (ring_node.h) over real processes and in one process, timed from inside: from
// the step of one tick to that of another, so that starting up does not count.
#pragma once

#include <cstdint>
#include <string>

#include "tests/bench/bare_barrier.h"

namespace fencepost::bench {

struct RingSize {
  int active = 1;
  int idle = 0;
  std::int64_t ticks = 1000;
};

// The first tick that is timed: by then everybody is connected.
inline constexpr std::int64_t kWarmUpTicks = 20;

// The main function of one participant process. Prints its ticks per second if it is the first.
int participant_main(const std::string& name, const std::string& clock_address,
                     const RingSize& size);

// Ticks a second. `self` is this program, which is started again for every participant;
// `clock_binary` is the real clock. Throws std::runtime_error.
double process_rate(const std::string& self, const std::string& clock_binary, const RingSize& size);
double in_process_rate(const RingSize& size);

// What one participant and tick puts on the wire, framed.
BarrierSizes ring_message_sizes();

}  // namespace fencepost::bench
