#include "broker/core/group_offsets.h"

#include <algorithm>
#include <utility>

#include "broker/core/coordinator_key.h"
#include "broker/core/record_batches.h"
#include "common/events.h"

namespace fencepost::broker {
namespace {

constexpr std::int64_t kMsPerMinute = 60'000;

wire::OffsetCommitValue value_of(const wire::OffsetCommitRequest::Partition& partition,
                                 std::int64_t now_ms) {
  wire::OffsetCommitValue value;
  value.set_offset(partition.committed_offset());
  value.set_leader_epoch(partition.committed_leader_epoch());
  value.set_metadata(partition.committed_metadata());
  value.set_commit_timestamp(now_ms);
  return value;
}

void fill(wire::OffsetFetchResponse::Partition& partition, const CommittedOffset& committed) {
  partition.set_committed_offset(committed.offset.value());
  partition.set_committed_leader_epoch(committed.leader_epoch);
  partition.set_metadata(committed.metadata);
}

void add_all(const CommittedOffsets& committed, wire::OffsetFetchResponse::Group& answer) {
  wire::OffsetFetchResponse::Topic* topic = nullptr;
  for (const auto& [where, offset] : committed) {
    if (topic == nullptr || topic->name() != where.topic) topic = answer.add_topics();
    topic->set_name(where.topic);
    auto* const partition = topic->add_partitions();
    partition->set_partition_index(where.partition.value());
    fill(*partition, offset);
  }
}

// Which offsets a group still protects, and from when the others count (group-protocol 1.9).
struct Retention {
  std::set<std::string> subscribed;
  std::optional<std::int64_t> base_ms;  // absent: each offset's own commit time
};

std::optional<Retention> retention_of(const Group& group, OffsetRetentionRule rule) {
  if (rule == OffsetRetentionRule::kCommit) return Retention{};
  switch (group.state()) {
    case GroupState::kEmpty:
      if (!group.protocol_type) return Retention{};
      return Retention{{}, group.status.since_ms()};
    case GroupState::kStable: {
      if (!group.is_consumer_group() || !group.subscribed) return std::nullopt;
      return Retention{*group.subscribed, std::nullopt};
    }
    case GroupState::kPreparingRebalance:
    case GroupState::kCompletingRebalance:
    case GroupState::kDead:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Result<void> check_commit(const Group& group, const wire::OffsetCommitRequest& request) {
  if (group.in(GroupState::kDead)) return ErrorCode::kCoordinatorNotAvailable;
  const bool without_generation = request.generation_id() < 0;
  if (without_generation && group.in(GroupState::kEmpty)) return {};
  const std::optional<std::string> instance = instance_id_of(request);
  if (without_generation && request.member_id().empty() && !instance) {
    return ErrorCode::kUnknownMemberId;
  }
  const auto valid = group.validate_member(MemberId(request.member_id()), instance);
  if (!valid) return valid.error();
  if (group.generation != Generation(request.generation_id())) return ErrorCode::kIllegalGeneration;
  if (group.in(GroupState::kCompletingRebalance)) return ErrorCode::kRebalanceInProgress;
  return {};
}

bool GroupOffsets::names_known_partition(const wire::OffsetCommitRequest& request) const {
  return std::ranges::any_of(request.topics(), [this](const auto& topic) {
    return std::ranges::any_of(topic.partitions(), [&](const auto& partition) {
      return topics_.has(topic.name(), partition.partition_index());
    });
  });
}

// Deviation: a negative offset is refused here; Kafka would store it and answer "no offset" later.
ErrorCode GroupOffsets::check_partition(const std::string& topic,
                                        const wire::OffsetCommitRequest::Partition& partition,
                                        ErrorCode group_error) const {
  if (!topics_.has(topic, partition.partition_index())) return ErrorCode::kUnknownTopicOrPartition;
  if (group_error != ErrorCode::kNone) return group_error;
  const auto length = static_cast<std::int64_t>(partition.committed_metadata().size());
  if (length > config_.offset_metadata_max_bytes) return ErrorCode::kOffsetMetadataTooLarge;
  if (!partition.has_committed_offset() || partition.committed_offset() < 0) {
    return ErrorCode::kInvalidCommitOffsetSize;
  }
  return ErrorCode::kNone;
}

void GroupOffsets::commit(const wire::OffsetCommitRequest& request, ErrorCode group_error,
                          const Caller& caller, Turn& turn) {
  wire::Frame frame;
  std::vector<Accepted> accepted;
  for (const auto& topic : request.topics()) {
    auto* const answer = frame.mutable_offset_commit_response()->add_topics();
    answer->set_name(topic.name());
    for (const auto& partition : topic.partitions()) {
      const ErrorCode error = check_partition(topic.name(), partition, group_error);
      auto* const outcome = answer->add_partitions();
      outcome->set_partition_index(partition.partition_index());
      outcome->set_error_code(to_wire(error));
      if (error != ErrorCode::kNone) continue;
      accepted.push_back({{topic.name(), PartitionId(partition.partition_index())},
                          value_of(partition, config_.virtual_ms(turn.now))});
    }
  }
  frame.mutable_offset_commit_response();  // present also for a request without topics
  if (!accepted.empty()) store(request, accepted, turn);
  turn.respond(caller.request, std::move(frame));
}

void GroupOffsets::store(const wire::OffsetCommitRequest& request,
                         const std::vector<Accepted>& accepted, Turn& turn) {
  const GroupId group(request.group_id());
  std::vector<wire::Record> records;
  for (const auto& [where, value] : accepted) records.push_back(offset_record(group, where, value));
  log_.append(offsets_partition_of(group.value(), config_),
              make_batch(std::move(records), config_.virtual_ms(turn.now)), turn);
  for (const auto& [where, value] : accepted) {
    turn.report(events::make(events::kOffsetCommitted,
                             {{"group", group.value()},
                              {"topic", where.topic},
                              {"partition", std::to_string(where.partition.value())},
                              {"offset", std::to_string(value.offset())},
                              {"member", request.member_id()},
                              {"generation", std::to_string(request.generation_id())}}));
  }
}

wire::OffsetFetchResponse::Group GroupOffsets::fetch(
    const wire::OffsetFetchRequest::Group& request) const {
  const auto group = offsets_.find(GroupId(request.group_id()));
  return group == offsets_.end() ? fetch_nothing(request) : answer_of(request, group->second);
}

wire::OffsetFetchResponse::Group GroupOffsets::fetch_nothing(
    const wire::OffsetFetchRequest::Group& request) {
  return answer_of(request, {});
}

wire::OffsetFetchResponse::Group GroupOffsets::answer_of(
    const wire::OffsetFetchRequest::Group& request, const CommittedOffsets& committed) {
  wire::OffsetFetchResponse::Group answer;
  answer.set_group_id(request.group_id());
  if (request.all_topics()) {
    add_all(committed, answer);
    return answer;
  }
  for (const auto& wanted : request.topics()) {
    auto* const topic = answer.add_topics();
    topic->set_name(wanted.name());
    for (const std::int32_t index : wanted.partition_indexes()) {
      auto* const partition = topic->add_partitions();
      partition->set_partition_index(index);
      const auto found = committed.find({wanted.name(), PartitionId(index)});
      if (found != committed.end()) fill(*partition, found->second);
    }
  }
  return answer;
}

void GroupOffsets::apply(const wire::OffsetCommitKey& key,
                         const std::optional<wire::OffsetCommitValue>& value) {
  const GroupId group(key.group());
  const TopicPartition where{key.topic(), PartitionId(key.partition())};
  if (value) {
    CommittedOffset committed{Offset(value->offset()), value->leader_epoch(), value->metadata(),
                              value->commit_timestamp(), std::nullopt};
    if (value->expire_timestamp() != -1) committed.expire_ms = value->expire_timestamp();
    offsets_[group][where] = std::move(committed);
    return;
  }
  const auto found = offsets_.find(group);
  if (found == offsets_.end()) return;
  found->second.erase(where);
  if (found->second.empty()) offsets_.erase(found);
}

void GroupOffsets::expire(const Group& group, Turn& turn) {
  const auto found = offsets_.find(group.id);
  const std::optional<Retention> retention = retention_of(group, config_.retention_rule);
  if (found == offsets_.end() || !retention) return;
  const std::int64_t now_ms = config_.virtual_ms(turn.now);
  std::vector<TopicPartition> expired;
  for (const auto& [where, committed] : found->second) {
    if (retention->subscribed.contains(where.topic)) continue;
    const std::int64_t base = retention->base_ms.value_or(committed.commit_ms);
    const std::int64_t due =
        committed.expire_ms.value_or(base + config_.retention_minutes * kMsPerMinute);
    if (now_ms >= due) expired.push_back(where);
  }
  remove(group.id, expired, "expired: offsets.retention.minutes", turn);
}

void GroupOffsets::remove(const GroupId& group, const std::vector<TopicPartition>& partitions,
                          const std::string& why, Turn& turn) {
  const auto found = offsets_.find(group);
  if (found == offsets_.end()) return;
  std::map<TopicPartition, Offset> removed;
  for (const TopicPartition& where : partitions) {
    const auto committed = found->second.find(where);
    if (committed != found->second.end()) removed.emplace(where, committed->second.offset);
  }
  if (removed.empty()) return;
  std::vector<wire::Record> tombstones;
  for (const auto& [where, offset] : removed) tombstones.push_back(offset_tombstone(group, where));
  log_.append(offsets_partition_of(group.value(), config_),
              make_batch(std::move(tombstones), config_.virtual_ms(turn.now)), turn);
  for (const auto& [where, offset] : removed) {
    turn.report(events::make(events::kOffsetRemoved,
                             {{"group", group.value()},
                              {"topic", where.topic},
                              {"partition", std::to_string(where.partition.value())},
                              {"offset", std::to_string(offset.value())},
                              {"reason", why}}));
  }
}

void GroupOffsets::remove_all(const GroupId& group, const std::string& why, Turn& turn) {
  std::vector<TopicPartition> all;
  const auto found = offsets_.find(group);
  if (found == offsets_.end()) return;
  for (const auto& [where, committed] : found->second) all.push_back(where);
  remove(group, all, why, turn);
}

void GroupOffsets::forget(const std::string& topic, Turn& turn) {
  std::map<GroupId, std::vector<TopicPartition>> forgotten;
  for (const auto& [group, committed] : offsets_) {
    for (const auto& [where, offset] : committed) {
      if (where.topic == topic) forgotten[group].push_back(where);
    }
  }
  for (const auto& [group, partitions] : forgotten) {
    remove(group, partitions, "the topic was deleted", turn);
  }
}

}  // namespace fencepost::broker
