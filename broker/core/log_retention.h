// Deletes old records: log.retention.ms, log.retention.bytes, at multiples of
// log.retention.check.interval.ms. What was deleted is a row of storage: a batch-less one, whose
// base offset is where the log begins from now on (DESIGN 5).
//
// Deviation: Kafka deletes whole segments (log.segment.bytes); here every batch is one.
#pragma once

#include <optional>
#include <set>

#include "broker/core/broker_config.h"
#include "broker/core/deadlines.h"
#include "broker/core/effects.h"
#include "broker/core/topics.h"

namespace fencepost::broker {

class LogRetention {
 public:
  LogRetention(const BrokerConfig& config, Topics& topics, Deadlines& deadlines)
      : config_(config), topics_(topics), deadlines_(deadlines) {}

  // Looks at all logs, after a replay.
  void start(Turn& turn);
  // These logs have grown: sees to it that the next check is early enough for them. Nothing is
  // armed while nothing can become too old, so an idle broker does not wake.
  void appended(const std::set<TopicPartition>& grown, const Turn& turn);
  // The check is due.
  void expired(Turn& turn);

 private:
  std::optional<Tick> due_of(const PartitionLog& log, Tick now) const;
  void arm(Tick due, const Turn& turn);
  PartitionLog::Limits limits_at(Tick now) const;
  void check(const TopicPartition& where, Turn& turn);

  const BrokerConfig& config_;
  Topics& topics_;
  Deadlines& deadlines_;
  std::optional<Tick> armed_;
};

}  // namespace fencepost::broker
