#include "producer/source.h"

#include <algorithm>

#include "common/events.h"

namespace fencepost::producer {

Source::Source(Client& client)
    : client_(client),
      plan_(source_plan(client.properties(), client.context().tick_ms)),
      config_(producer_config(client)),
      producer_(client, config_),
      closing_signal_(client.time()) {}

void Source::control(const wire::Control& control) {
  if (control.kind() != wire::Control::CLOSE) return;
  closing_ = true;
  closing_signal_.notify_all();
}

Task<int> Source::main() {
  started_ = client_.now();
  const bool found = co_await look_up();
  if (found) {
    report_missing(plan_.totals);
    for (const ScheduledRound& round : plan_.schedule) report_missing(round.counts);
    if (plan_.schedule.empty()) {
      co_await write_rounds();
    } else {
      co_await write_schedule();
    }
    co_await producer_.flush();  // a record that failed has been reported; a source goes on
    if (!closing_) {
      client_.report(
          events::make(events::kSourceFinished, {{"records", std::to_string(written_)}}));
    }
  }
  while (!closing_) co_await closing_signal_.wait();
  co_await producer_.flush();
  co_return 0;
}

// Learns the partitions and where their logs end; again and again until it is told to close.
Task<bool> Source::look_up() {
  for (const std::string& topic : plan_.topics()) {
    bool known = false;
    while (!known && !closing_) known = co_await look_up_partitions(topic);
  }
  while (!closing_ && !ends_unknown_.empty()) co_await look_up_some_ends();
  co_return !closing_;
}

Task<bool> Source::look_up_partitions(std::string topic) {
  const ClientResult<std::int32_t> count = co_await producer_.partition_count(topic);
  if (!count) {
    client_.report_error(count.error(), "Metadata");
    co_return false;
  }
  for (std::int32_t i = 0; i < *count; ++i) {
    next_[{topic, PartitionId(i)}] = Offset(0);
    ends_unknown_.insert({topic, PartitionId(i)});
  }
  co_return true;
}

// Asks each leader once; a pause follows unless every partition has been answered for.
Task<void> Source::look_up_some_ends() {
  std::map<std::string, std::vector<TopicPartition>> by_leader;
  for (const TopicPartition& where : ends_unknown_) {
    const std::optional<std::string> leader = producer_.metadata().leader(where);
    if (leader) by_leader[*leader].push_back(where);
  }
  for (const auto& [leader, partitions] : by_leader) co_await look_up_ends(leader, partitions);
  if (ends_unknown_.empty()) co_return;
  producer_.metadata().request_update();
  producer_.metadata().maybe_refresh();
  const TickSpan pause = std::max(config_.retry_backoff, TickSpan(1));
  co_await client_.time().sleep_for(pause, "retry.backoff.ms");
}

Task<void> Source::look_up_ends(std::string leader, std::vector<TopicPartition> partitions) {
  wire::Frame frame;
  wire::ListOffsetsRequest* request = frame.mutable_list_offsets_request();
  for (const TopicPartition& where : partitions) {
    const int topics = request->topics_size();
    const bool same = topics > 0 && request->topics(topics - 1).name() == where.topic;
    auto* topic = same ? request->mutable_topics(topics - 1) : request->add_topics();
    if (!same) topic->set_name(where.topic);
    auto* partition = topic->add_partitions();
    partition->set_partition_index(where.partition.value());
    partition->set_timestamp(-1);
  }
  const Result<Answer> answer =
      co_await client_.call(leader, std::move(frame), config_.request_timeout);
  if (!answer) co_return;
  for (const auto& topic : (*answer)->list_offsets_response().topics()) {
    for (const auto& partition : topic.partitions()) {
      if (partition.error_code() != 0) continue;
      const TopicPartition where{topic.name(), PartitionId(partition.partition_index())};
      if (ends_unknown_.erase(where) > 0) next_[where] = Offset(partition.offset());
    }
  }
}

// A partition that does not exist is the scenario's mistake: said, and left out.
void Source::report_missing(const std::vector<RecordCount>& counts) {
  for (const RecordCount& count : counts) {
    if (!count.partition) continue;
    const TopicPartition where{count.topic, *count.partition};
    if (next_.contains(where)) continue;
    client_.report_error(client_error(ErrorCode::kUnknownTopicOrPartition), to_string(where));
  }
}

std::vector<Source::Remaining> Source::expand(const std::vector<RecordCount>& counts) const {
  std::vector<Remaining> remaining;
  for (const RecordCount& count : counts) {
    for (const auto& [where, offset] : next_) {
      const bool meant =
          where.topic == count.topic && (!count.partition || *count.partition == where.partition);
      if (meant) remaining.push_back({where, count.records});
    }
  }
  return remaining;
}

// False when it is to close before that.
Task<bool> Source::wait_until(Tick due, std::string_view why) {
  while (!closing_ && client_.now() < due) co_await closing_signal_.wait_until(due, why);
  co_return !closing_;
}

// A round of a tick before this life began was its predecessor's; one that is overdue because the
// look-up took so long is written at once.
Task<void> Source::write_schedule() {
  for (const ScheduledRound& round : plan_.schedule) {
    if (round.at < started_) continue;
    const bool go_on = co_await wait_until(round.at, "app.schedule");
    if (!go_on) co_return;
    for (const Remaining& part : expand(round.counts)) write(part.where, part.records);
  }
}

Task<void> Source::write_rounds() {
  std::vector<Remaining> remaining = expand(plan_.totals);
  Tick due = std::max(started_ + plan_.start, client_.now());
  for (;;) {
    std::erase_if(remaining, [](const Remaining& part) { return part.records == 0; });
    if (remaining.empty()) co_return;
    const bool go_on = co_await wait_until(due, "app.interval.ms");
    if (!go_on) co_return;
    for (Remaining& part : remaining) {
      const std::int64_t records = std::min(plan_.records_per_round, part.records);
      write(part.where, records);
      part.records -= records;
    }
    due = due + plan_.interval;
  }
}

void Source::write(const TopicPartition& where, std::int64_t records) {
  Offset& next = next_.at(where);
  for (std::int64_t i = 0; i < records; ++i) {
    const std::string name = plan_.short_name(where.topic) +
                             std::to_string(where.partition.value()) + "." +
                             std::to_string(next.value());
    producer_.send_to(where, std::nullopt, name);
    next = next + 1;
    ++written_;
  }
}

}  // namespace fencepost::producer
