// Shows a run that is going on: its packets as they happen, which process ids its processes have,
// that the clock is paused, and whom it waits for. Reads the capture from the clock itself, so it
// delays nobody, however slow the terminal is.
#pragma once

#include <cstdio>
#include <functional>
#include <set>
#include <string>

#include "lab/packets/packet_list.h"
#include "proto/clock.pb.h"

namespace fencepost::lab {

struct LiveOptions {
  PacketList::Options list{};
  // Comes first, once these processes are there.
  std::set<std::string> awaited{};
  std::function<std::string(const wire::Status&)> greeting = {};
};

// Colours and width as standard output can show them: NO_COLOR, and not a terminal, mean plain.
void fit_to_terminal(PacketList::Options& options);

// Writes to standard output until the run has ended, or nobody reads what is written. Throws
// ClockError if no clock answers there.
void watch_live(const std::string& address, const LiveOptions& options);

// A table of the processes, with its heading: process, role, state, life, pid, address.
std::string table_of(const wire::Status& status);

// "running", as people say it.
std::string state_text(wire::ProcessStatus::State state);

}  // namespace fencepost::lab
