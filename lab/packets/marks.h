// What the packet lists say beside a packet and between packets, in words: how a packet fared, the
// lives of processes, the states of groups, and what nodes report. Safe to print: see
// lab/packets/printable.h.
#pragma once

#include <string>
#include <string_view>

#include "common/ids.h"
#include "lab/partition_names.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

// "dropped: rule 3", "arrives at tick 45: rule 3"; empty if it simply arrives in the next tick. The
// number of the rule is its index in the plan, as in the capture; its mark has its text.
std::string fate_text(Tick tick, const wire::Packet& packet);

// "arrives", "dropped", "partitioned", "refused", "closed".
std::string_view fate_word(wire::Packet::Fate fate);

// "is killed (kill -9) from outside"
std::string lifecycle_text(const wire::Lifecycle& lifecycle);

// "rule 3: {at: 30, stop: C2}"
std::string rule_text(const wire::Fired& fired);

// "group billing PreparingRebalance -> CompletingRebalance gen=2 (all members have joined)
// members=[C1 C2]"; for group.state only.
std::string group_state_text(const wire::Event& event);

// What members own and what they gave up on: "owns o0 o1 in generation 2". Empty for other events.
std::string member_text(const wire::Event& event, const PartitionNames& names);

// An error that a client's application sees.
bool is_failure(const wire::Event& event);

// "poll.returned count=2 records=o0.0,o0.1"
std::string event_text(const wire::Event& event);

}  // namespace fencepost::lab
