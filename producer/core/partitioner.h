// Kafka's default partitioner for records with a key: murmur2 of the key, so that a key has the
// number that it has in a real cluster.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/ids.h"

namespace fencepost::producer {

// org.apache.kafka.common.utils.Utils.murmur2, as Java's signed int.
std::int32_t murmur2(std::string_view key);

// `partitions` > 0.
PartitionId partition_of_key(std::string_view key, std::int32_t partitions);

}  // namespace fencepost::producer
