// Which partition of __consumer_offsets a group belongs to, and the records in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "broker/core/broker_config.h"
#include "common/ids.h"
#include "proto/log.pb.h"
#include "proto/offsets.pb.h"

namespace fencepost::broker {

// Java's String.hashCode of UTF-8 text: over UTF-16 units, with overflow. Malformed bytes count as
// U+FFFD, as Java decodes them.
std::int32_t java_hash(std::string_view utf8);

// Kafka's abs(hash) mod `partitions`, where abs(-2^31) is 0.
PartitionId partition_of_key(std::string_view key, std::int32_t partitions);

// Of __consumer_offsets.
TopicPartition offsets_partition_of(std::string_view group, const BrokerConfig& config);

// -- records --
wire::RecordBatch group_metadata_batch(const GroupId& group, const wire::GroupMetadataValue& value,
                                       std::int64_t now_ms);
wire::Record group_tombstone(const GroupId& group);
wire::Record offset_record(const GroupId& group, const TopicPartition& where,
                           const wire::OffsetCommitValue& value);
wire::Record offset_tombstone(const GroupId& group, const TopicPartition& where);

}  // namespace fencepost::broker
