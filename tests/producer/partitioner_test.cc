// Known answers of Kafka's own test of its hash.
#include "producer/core/partitioner.h"

#include <gtest/gtest.h>

#include <array>

namespace fencepost::producer {
namespace {

struct Known {
  std::string_view key;
  std::int32_t hash;
};

constexpr std::array kKnown = std::to_array<Known>({
    {"21", -973932308},
    {"foobar", -790332482},
    {"a-little-bit-long-string", -985981536},
    {"a-little-bit-longer-string", -1486304829},
    {"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971},
    {"abc", 479470107},
});

TEST(Partitioner, HashesAsKafkaDoes) {
  for (const Known& known : kKnown) EXPECT_EQ(murmur2(known.key), known.hash) << known.key;
}

TEST(Partitioner, NeverLeavesTheTopic) {
  for (const Known& known : kKnown) {
    for (std::int32_t partitions = 1; partitions < 9; ++partitions) {
      const std::int32_t partition = partition_of_key(known.key, partitions).value();
      EXPECT_GE(partition, 0);
      EXPECT_LT(partition, partitions);
    }
  }
}

}  // namespace
}  // namespace fencepost::producer
