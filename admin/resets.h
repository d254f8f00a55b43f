// What reset-offsets comes to: a pure function of what was asked and what is known.
#pragma once

#include "admin/admin_config.h"
#include "admin/facts.h"

namespace fencepost::admin {

// Whether a group may be reset: it must have no members (group-protocol 4, OffsetCommit with
// generation -1).
bool can_be_reset(const GroupFacts& group);

// The partitions meant: of the targets, or of every topic in which the group has a commit.
std::set<TopicPartition> reset_partitions(const AdminCommand& command, const GroupFacts& group,
                                          const Facts& facts);

// The new offsets, within each log. A partition about which nothing is known is left out. The time
// of a reset to a time without a younger record is the log's end, as with Kafka.
Offsets reset_offsets(const AdminCommand& command, const GroupFacts& group, const Facts& facts);

}  // namespace fencepost::admin
