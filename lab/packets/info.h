// What a packet says, on one line in Kafka's words: the Info column of every packet list. Made from
// the table in lab/packets/info_rows.h.
#pragma once

#include <string>

#include "lab/partition_names.h"
#include "proto/frame.pb.h"

namespace fencepost::lab {

// "JoinGroup Request  group=billing member=C2-5f1c gen=2 protocols=[range] owned=[p0 p1]". What
// befell the packet is no part of it. Safe to print: see lab/packets/printable.h.
std::string info_of(const wire::Frame& frame, const PartitionNames& names);

// "C2-5f1c" for a member id with a UUID; others as they are.
std::string short_member(std::string_view member_id);

}  // namespace fencepost::lab
