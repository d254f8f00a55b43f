#include "producer/core/partitioner.h"

#include "common/check.h"

namespace fencepost::producer {

std::int32_t murmur2(std::string_view key) {
  constexpr std::uint32_t kSeed = 0x9747b28c;
  constexpr std::uint32_t kMultiplier = 0x5bd1e995;
  constexpr int kShift = 24;
  const auto byte = [key](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(key[i]));
  };
  std::uint32_t hash = kSeed ^ static_cast<std::uint32_t>(key.size());
  std::size_t at = 0;
  for (; at + 4 <= key.size(); at += 4) {
    std::uint32_t word =
        byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24);
    word *= kMultiplier;
    word ^= word >> kShift;
    word *= kMultiplier;
    hash = (hash * kMultiplier) ^ word;
  }
  const std::size_t rest = key.size() - at;
  if (rest >= 3) hash ^= byte(at + 2) << 16;
  if (rest >= 2) hash ^= byte(at + 1) << 8;
  if (rest >= 1) hash = (hash ^ byte(at)) * kMultiplier;
  hash ^= hash >> 13;
  hash *= kMultiplier;
  hash ^= hash >> 15;
  return static_cast<std::int32_t>(hash);
}

PartitionId partition_of_key(std::string_view key, std::int32_t partitions) {
  CHECK(partitions > 0);
  return PartitionId((murmur2(key) & 0x7fffffff) % partitions);
}

}  // namespace fencepost::producer
