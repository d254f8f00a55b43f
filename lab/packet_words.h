// What the packet lists say beside a packet, in words: how it fared, the lives of processes, and
// what nodes report.
#pragma once

#include <string>

#include "common/ids.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

// How a packet fared, where it did not simply arrive in the next tick; begins with a blank.
std::string fate_text(Tick tick, const wire::Packet& packet);

// "is killed (kill -9) from outside"
std::string lifecycle_text(const wire::Lifecycle& lifecycle);

// "poll.returned count=2 records=o0.0,o0.1"
std::string event_text(const wire::Event& event);

}  // namespace fencepost::lab
