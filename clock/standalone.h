// A clock that nobody runs: its processes are started by hand or by docker compose, and come by
// themselves. What the clock needs to know of them is on its command line; what it leaves is a run
// like any other, which `fencepost replay` repeats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/plan.pb.h"

namespace fencepost::clock {

struct Standalone {
  std::string name = "by-hand";
  std::uint64_t seed = 1;
  std::int64_t tick_ms = 1000;
  std::vector<std::string> topics{};  // "orders:3": how packets name partitions, e.g. o2
  std::vector<std::string> expect{};  // processes that tick 0 waits for
};

// Throws std::runtime_error, in one line, for what is not usable.
wire::Plan plan_of(const Standalone& standalone);

// Makes the directory, which nobody else may use until this process ends, and leaves the plan
// there. A run that it holds already and that anybody has joined cannot be had again, so it is
// renamed to DIR.1, DIR.2, ...; returns its new name, or nothing. Throws std::runtime_error naming
// the path.
std::string make_room(const std::string& directory, const wire::Plan& plan);

}  // namespace fencepost::clock
