#include "broker/core/coordinator_key.h"

#include <gtest/gtest.h>

#include "broker/core/topics.h"

namespace fencepost::broker {
namespace {

struct HashCase {
  const char* name;
  std::string_view text;
  std::int32_t hash;
};

// What Java's String.hashCode gives.
const HashCase kHashes[] = {
    {"Empty", "", 0},
    {"OneLetter", "a", 97},
    {"Billing", "billing", -109829509},
    {"SmallestInteger", "polygenelubricants", INT32_MIN},
    {"TwoBytes", "\xc3\xa4", 0xe4},
    {"ThreeBytes", "\xe2\x82\xac", 0x20ac},
    {"SurrogatePair", "\xf0\x9f\x98\x80", 31 * 0xd83d + 0xde00},
    {"LoneContinuation", "\x80", 0xfffd},
    {"Truncated", "\xe2", 0xfffd},
    {"Overlong", "\xc0\x80", 31 * 0xfffd + 0xfffd},
};

class JavaHash : public testing::TestWithParam<HashCase> {};

TEST_P(JavaHash, IsThatOfJava) { EXPECT_EQ(java_hash(GetParam().text), GetParam().hash); }

INSTANTIATE_TEST_SUITE_P(Strings, JavaHash, testing::ValuesIn(kHashes),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(CoordinatorKey, TheSmallestIntegerHashesToPartitionZero) {
  EXPECT_EQ(partition_of_key("polygenelubricants", 50), PartitionId(0));
}

TEST(CoordinatorKey, ANegativeHashCountsByItsAbsoluteValue) {
  EXPECT_EQ(partition_of_key("billing", 50), PartitionId(109829509 % 50));
}

TEST(CoordinatorKey, RecordsSayWhoseTheyAre) {
  const wire::Record record = offset_tombstone(GroupId("g"), {"orders", PartitionId(2)});
  EXPECT_FALSE(record.has_value());
  wire::OffsetsTopicKey key;
  ASSERT_TRUE(key.ParseFromString(record.key()));
  EXPECT_EQ(key.offset_commit().group(), "g");
  EXPECT_EQ(key.offset_commit().topic(), "orders");
  EXPECT_EQ(key.offset_commit().partition(), 2);
}

}  // namespace
}  // namespace fencepost::broker
