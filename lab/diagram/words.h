// What diagrams say of events, lives and rules, in words.
#pragma once

#include <string>

#include "lab/partition_names.h"
#include "proto/capture.pb.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

// "o0 o1" for "orders-0,orders-1"; "-" for none.
std::string short_partitions(std::string_view list, const PartitionNames& names);

// What a note says of an event, in one to three lines; none for events that no note tells.
// "group billing: Stable to PreparingRebalance", "session of member C2 expired".
std::vector<std::string> note_of(const wire::Event& event, const PartitionNames& names);

// Whether lifecycle records tell all that the rule does: it starts, kills, stops, ... processes.
bool is_told_by_lives(const wire::Rule& rule);

}  // namespace fencepost::lab
