// What an admin process is asked to do, from its properties (app.admin and what belongs to it).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/properties.h"

namespace fencepost::admin {

enum class Verb {
  kDescribe,
  kList,
  kDelete,
  kDeleteOffsets,
  kResetOffsets,
  kRemoveMembers,
  kCreateTopics,
  kCreatePartitions,
  kDeleteTopics,
};

// How much is looked up of a group that is described.
enum class Depth { kState, kOffsets, kLogStart };

// A topic, or one partition of it.
struct Target {
  std::string topic;
  std::optional<PartitionId> partition;
};

// Where reset-offsets moves to.
struct ResetTo {
  enum class Kind { kEarliest, kLatest, kCurrent, kOffset, kShiftBy, kTime, kDuration, kGiven };
  Kind kind = Kind::kCurrent;
  std::int64_t value = 0;                    // an offset, a shift, virtual ms
  std::map<TopicPartition, Offset> given{};  // kGiven
};

struct AdminCommand {
  Verb verb = Verb::kDescribe;
  Depth depth = Depth::kOffsets;
  std::vector<std::string> groups;     // empty: all that there are
  std::vector<std::string> states;     // kList: only groups in these
  std::vector<Target> targets;         // empty, for kResetOffsets: every topic with a commit
  std::map<std::string, int> counts;   // kCreate...: partitions by topic
  std::vector<std::string> instances;  // kRemoveMembers: group.instance.ids; empty: everybody
  ResetTo reset;
  bool execute = true;  // false: only what it comes to
};

// "orders", "orders-2": a name that ends in "-" and digits is a partition.
Target parse_target(const std::string& text);

// Throws ConfigError.
AdminCommand admin_command(const Properties& properties);

}  // namespace fencepost::admin
