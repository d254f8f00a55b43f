// What a stored row says, for a person who looks into the database with sqlite3.
#pragma once

#include <string>

#include "proto/clock.pb.h"

namespace fencepost {

// One line of a bounded length. A record is "0: value" or "0: key = value", with its offset; in
// __consumer_offsets "3: billing orders-0 = 3" or "4: billing generation 2 Stable ...", in
// __cluster_metadata "0: topic orders, 3 partitions". What is no record batch has no text.
std::string text_of(const wire::StoredRow& row);

}  // namespace fencepost
