// What a source writes, and when: the properties app.records, app.schedule and their neighbours,
// read into one list of rounds. A value, so that what a scenario asks for can be tested without a
// node.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/properties.h"

namespace fencepost::producer {

// How many records of each partition.
struct RecordCount {
  std::string topic;
  std::optional<PartitionId> partition;  // absent: each partition of the topic
  std::int64_t records = 0;
};

struct ScheduledRound {
  Tick at;
  std::vector<RecordCount> counts;
};

struct SourcePlan {
  std::vector<RecordCount> totals;     // app.records: how many in all
  TickSpan start{0};                   // app.start.ms, after the node's start
  TickSpan interval{0};                // app.interval.ms, between rounds
  std::int64_t records_per_round = 1;  // app.batch.records, of each partition
  std::vector<ScheduledRound>
      schedule;  // app.schedule, in order of ticks; replaces all of the above
  std::map<std::string, std::string> short_names;  // app.short.names

  // The topics named, sorted and once each.
  std::vector<std::string> topics() const;
  // "o" for orders unless app.short.names says otherwise.
  std::string short_name(const std::string& topic) const;
};

// Throws ConfigError, naming the property and the item.
SourcePlan source_plan(const Properties& properties, TickLength tick_ms);

}  // namespace fencepost::producer
