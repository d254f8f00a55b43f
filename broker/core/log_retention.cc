#include "broker/core/log_retention.h"

#include <algorithm>

#include "common/events.h"

namespace fencepost::broker {
namespace {

// A timestamp is the producer's word: one from the far future must not overflow.
constexpr std::int64_t kFarMs = std::int64_t{1} << 50U;

TimerKey check_timer() {
  return {.kind = TimerKind::kLogRetention, .group = {}, .member = {}, .fetch = 0};
}

}  // namespace

void LogRetention::start(Turn& turn) {
  std::set<TopicPartition> all;
  for (const std::string& topic : topics_.names()) {
    for (std::int32_t i = 0; i < topics_.partition_count(topic); ++i) {
      all.insert({topic, PartitionId(i)});
    }
  }
  appended(all, turn);
}

void LogRetention::appended(const std::set<TopicPartition>& grown, const Turn& turn) {
  for (const TopicPartition& where : grown) {
    if (is_internal(where.topic)) continue;
    if (!topics_.has(where.topic, where.partition.value())) continue;  // it was deleted
    const std::optional<Tick> due = due_of(topics_.log(where), turn.now);
    if (due && (!armed_ || *due < *armed_)) arm(*due, turn);
  }
}

// The first check in which something of the log could go.
std::optional<Tick> LogRetention::due_of(const PartitionLog& log, Tick now) const {
  const std::int64_t now_ms = config_.virtual_ms(now);
  const std::int64_t interval = config_.ticks(config_.log_retention_check_ms).value();
  std::optional<std::int64_t> wait_ms;
  if (config_.log_retention_bytes >= 0 && log.bytes() > config_.log_retention_bytes) wait_ms = 1;
  const std::optional<std::int64_t> oldest = log.oldest_batch_timestamp();
  if (config_.log_retention_ms >= 0 && oldest && !wait_ms) {
    const std::int64_t timestamp = std::min(*oldest, kFarMs);
    const std::int64_t retention = std::min(config_.log_retention_ms, kFarMs);
    wait_ms = std::max<std::int64_t>(timestamp + retention + 1 - now_ms, 1);
  }
  if (!wait_ms) return std::nullopt;
  const std::int64_t tick = (now + config_.ticks(*wait_ms)).value();
  return Tick((tick + interval - 1) / interval * interval);
}

void LogRetention::arm(Tick due, const Turn& turn) {
  armed_ = due;
  deadlines_.arm(check_timer(), due - turn.now, "log.retention.check.interval.ms", turn);
}

PartitionLog::Limits LogRetention::limits_at(Tick now) const {
  PartitionLog::Limits limits;
  if (config_.log_retention_ms >= 0) {
    limits.oldest_ms = config_.virtual_ms(now) - config_.log_retention_ms;
  }
  if (config_.log_retention_bytes >= 0) limits.bytes_min = config_.log_retention_bytes;
  return limits;
}

void LogRetention::expired(Turn& turn) {
  armed_.reset();
  std::set<TopicPartition> kept;
  for (const std::string& topic : topics_.names()) {
    if (is_internal(topic)) continue;
    for (std::int32_t i = 0; i < topics_.partition_count(topic); ++i) {
      check({topic, PartitionId(i)}, turn);
      kept.insert({topic, PartitionId(i)});
    }
  }
  appended(kept, turn);
}

void LogRetention::check(const TopicPartition& where, Turn& turn) {
  PartitionLog& log = topics_.log(where);
  const Offset start = log.start_within(limits_at(turn.now));
  if (start == log.start()) return;
  turn.report(
      events::make(events::kLogDeleted, {{"topic", where.topic},
                                         {"partition", std::to_string(where.partition.value())},
                                         {"offset", std::to_string(start.value())},
                                         {"count", std::to_string(start - log.start())}}));
  log.delete_before(start);
  turn.effects.emplace_back(deletion_before(where, start));
}

}  // namespace fencepost::broker
