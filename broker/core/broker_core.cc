#include "broker/core/broker_core.h"

#include <utility>

#include "common/check.h"
#include "common/events.h"
#include "proto/offsets.pb.h"

namespace fencepost::broker {

BrokerCore::BrokerCore(BrokerConfig config)
    : config_(std::move(config)),
      topics_(config_),
      fetches_(config_, topics_, deadlines_),
      cluster_(config_, topics_, *this),
      leader_(topics_, *this),
      groups_(config_, topics_, deadlines_, *this),
      admin_(topics_, groups_),
      retention_(config_, topics_, deadlines_) {}

void BrokerCore::apply(const wire::StoredRow& row) {
  if (is_deletion(row)) {
    topics_.log({row.topic(), PartitionId(row.partition())})
        .delete_before(Offset(row.base_offset()));
    return;
  }
  wire::RecordBatch batch;
  CHECK(batch.ParseFromString(row.batch()), "a stored batch of {}", row.topic());
  apply_batch({row.topic(), PartitionId(row.partition())}, batch, row.batch());
}

void BrokerCore::apply_batch(const TopicPartition& where, const wire::RecordBatch& batch,
                             std::string bytes) {
  topics_.log(where).append(batch, std::move(bytes));
  if (!is_internal(where.topic)) return;
  for (const wire::Record& record : batch.records()) {
    where.topic == kOffsetsTopic ? groups_.apply(record) : apply_topic(record);
  }
  if (where.topic == kOffsetsTopic) compact(where, batch);
}

void BrokerCore::compact(const TopicPartition& where, const wire::RecordBatch& batch) {
  for (const Offset base : compactions_[where].appended(batch)) {
    topics_.log(where).drop(base);
    obsolete_.push_back({where.topic, where.partition.value(), base.value()});
  }
}

void BrokerCore::apply_topic(const wire::Record& record) {
  wire::TopicRecord topic;
  CHECK(topic.ParseFromString(record.value()), "a record of {}", kClusterMetadataTopic);
  if (topic.num_partitions() == 0) {
    remove_topic(topic.name());
  } else if (topics_.has(topic.name())) {
    topics_.add_partitions(topic.name(), topic.num_partitions());
  } else {
    topics_.create(topic.name(), topic.num_partitions());
  }
  // Which partition a group hashes to was fixed when the topic was made, whatever is configured
  // now.
  if (topic.name() == kOffsetsTopic) config_.offsets_partitions = topic.num_partitions();
}

void BrokerCore::remove_topic(const std::string& name) {
  for (std::int32_t index = 0; index < topics_.partition_count(name); ++index) {
    changed_.insert({name, PartitionId(index)});
  }
  topics_.remove(name);
  // Who deleted it does not want it back at the next start.
  std::erase_if(config_.topics, [&](const TopicSpec& topic) { return topic.name == name; });
}

Offset BrokerCore::append(const TopicPartition& where, wire::RecordBatch batch, Turn& turn) {
  const Offset base = topics_.log(where).end();
  batch.set_base_offset(base.value());
  wire::StoredRow row;
  row.set_topic(where.topic);
  row.set_partition(where.partition.value());
  row.set_base_offset(base.value());
  row.set_batch(batch.SerializeAsString());
  apply_batch(where, batch, row.batch());
  changed_.insert(where);
  turn.effects.emplace_back(Append{std::move(row)});
  return base;
}

void BrokerCore::create_configured_topics(Turn& turn) {
  // Deviation: Kafka makes this topic when it is first needed, and has the client try again.
  const std::string offsets(kOffsetsTopic);
  if (!topics_.has(offsets)) cluster_.create({offsets, config_.offsets_partitions}, turn);
  for (const TopicSpec& topic : config_.topics) {
    if (!topics_.has(topic.name)) cluster_.create(topic, turn);
  }
}

std::vector<Effect> BrokerCore::start(Tick now, const wire::Cause& cause) {
  Turn turn{now, cause, {}};
  const std::int64_t loaded = topics_.records_in_all();
  create_configured_topics(turn);
  groups_.start(turn);
  retention_.start(turn);
  turn.report(
      events::make(events::kBrokerLoaded, {{"topics", std::to_string(topics_.names().size())},
                                           {"groups", std::to_string(groups_.group_count())},
                                           {"records", std::to_string(loaded)}}));
  return finish(turn);
}

std::vector<Effect> BrokerCore::handle(const wire::Frame& frame, Tick now,
                                       const wire::Cause& cause) {
  Turn turn{now, cause, {}};
  dispatch(frame, {request_id_of(frame), frame.header().client_id()}, turn);
  return finish(turn);
}

std::optional<BrokerCore::Expired> BrokerCore::advance(Tick now) {
  std::optional<ExpiredTimer> expired = deadlines_.take_due(now);
  if (!expired) return std::nullopt;
  Turn turn{now, expired->cause, {}};
  if (expired->key.kind == TimerKind::kFetch) {
    fetches_.expired(expired->key.fetch, turn);
  } else if (expired->key.kind == TimerKind::kLogRetention) {
    retention_.expired(turn);
  } else {
    groups_.expired(expired->key, turn);
  }
  return Expired{std::move(expired->cause), finish(turn)};
}

wire::DeleteTopicsResponse BrokerCore::delete_topics(const wire::DeleteTopicsRequest& request,
                                                     Turn& turn) {
  wire::DeleteTopicsResponse response = cluster_.delete_topics(request, turn);
  for (const auto& deleted : response.responses()) {
    if (deleted.error_code() == to_wire(ErrorCode::kNone)) groups_.forget(deleted.name(), turn);
  }
  return response;
}

std::vector<Effect> BrokerCore::finish(Turn& turn) {
  const std::set<TopicPartition> changed = std::exchange(changed_, {});
  fetches_.appended(changed, turn);
  retention_.appended(changed, turn);
  return std::move(turn.effects);
}

wire::Frame BrokerCore::administer(const wire::Frame& frame, const Caller& caller, Turn& turn) {
  wire::Frame response;
  if (frame.has_delete_topics_request()) {
    *response.mutable_delete_topics_response() = delete_topics(frame.delete_topics_request(), turn);
  } else if (frame.has_create_partitions_request()) {
    *response.mutable_create_partitions_response() =
        cluster_.create_partitions(frame.create_partitions_request(), turn);
  } else if (frame.has_describe_groups_request()) {
    *response.mutable_describe_groups_response() = admin_.describe(frame.describe_groups_request());
  } else if (frame.has_list_groups_request()) {
    *response.mutable_list_groups_response() = admin_.list(frame.list_groups_request());
  } else if (frame.has_delete_groups_request()) {
    *response.mutable_delete_groups_response() =
        admin_.remove(frame.delete_groups_request(), caller, turn);
  } else {
    *response.mutable_offset_delete_response() =
        admin_.delete_offsets(frame.offset_delete_request(), caller, turn);
  }
  return response;
}

void BrokerCore::dispatch(const wire::Frame& frame, const Caller& caller, Turn& turn) {
  wire::Frame response;
  switch (frame.payload_case()) {
    case wire::Frame::kProduceRequest:
      return leader_.produce(frame.produce_request(), caller, turn);
    case wire::Frame::kFetchRequest:
      return fetches_.fetch(frame.fetch_request(), caller, turn);
    case wire::Frame::kOffsetCommitRequest:
      return groups_.commit(frame.offset_commit_request(), caller, turn);
    case wire::Frame::kOffsetFetchRequest:
      return groups_.fetch_offsets(frame.offset_fetch_request(), caller, turn);
    case wire::Frame::kJoinGroupRequest:
      return groups_.join(frame.join_group_request(), caller, turn);
    case wire::Frame::kHeartbeatRequest:
      return groups_.heartbeat(frame.heartbeat_request(), caller, turn);
    case wire::Frame::kLeaveGroupRequest:
      return groups_.leave(frame.leave_group_request(), caller, turn);
    case wire::Frame::kSyncGroupRequest:
      return groups_.sync(frame.sync_group_request(), caller, turn);
    case wire::Frame::kListOffsetsRequest:
      *response.mutable_list_offsets_response() =
          leader_.list_offsets(frame.list_offsets_request());
      break;
    case wire::Frame::kMetadataRequest:
      *response.mutable_metadata_response() = cluster_.metadata(frame.metadata_request(), turn);
      break;
    case wire::Frame::kFindCoordinatorRequest:
      *response.mutable_find_coordinator_response() =
          cluster_.find_coordinator(frame.find_coordinator_request());
      break;
    case wire::Frame::kCreateTopicsRequest:
      *response.mutable_create_topics_response() =
          cluster_.create_topics(frame.create_topics_request(), turn);
      break;
    case wire::Frame::kDeleteTopicsRequest:
    case wire::Frame::kCreatePartitionsRequest:
    case wire::Frame::kDescribeGroupsRequest:
    case wire::Frame::kListGroupsRequest:
    case wire::Frame::kDeleteGroupsRequest:
    case wire::Frame::kOffsetDeleteRequest:
      response = administer(frame, caller, turn);
      break;
    case wire::Frame::kDescribeGroupsResponse:
    case wire::Frame::kListGroupsResponse:
    case wire::Frame::kDeleteTopicsResponse:
    case wire::Frame::kCreatePartitionsResponse:
    case wire::Frame::kDeleteGroupsResponse:
    case wire::Frame::kOffsetDeleteResponse:
    case wire::Frame::kProduceResponse:
    case wire::Frame::kFetchResponse:
    case wire::Frame::kListOffsetsResponse:
    case wire::Frame::kMetadataResponse:
    case wire::Frame::kOffsetCommitResponse:
    case wire::Frame::kOffsetFetchResponse:
    case wire::Frame::kFindCoordinatorResponse:
    case wire::Frame::kJoinGroupResponse:
    case wire::Frame::kHeartbeatResponse:
    case wire::Frame::kLeaveGroupResponse:
    case wire::Frame::kSyncGroupResponse:
    case wire::Frame::kCreateTopicsResponse:
    case wire::Frame::PAYLOAD_NOT_SET:
      return;  // not a request: whoever sent it expects nothing
  }
  turn.respond(caller.request, std::move(response));
}

}  // namespace fencepost::broker
