#include "common/random.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace fencepost {
namespace {

Random random_of(std::uint64_t seed, std::string_view name, std::uint32_t incarnation,
                 std::string_view purpose) {
  return Random(seed, name, Incarnation(incarnation), purpose);
}

std::vector<std::uint64_t> first_of(Random random) {
  std::vector<std::uint64_t> drawn;
  for (int i = 0; i < 8; ++i) drawn.push_back(random.next());
  return drawn;
}

// A change here changes the captures of all runs with randomness in them.
TEST(Random, GivesTheKnownAnswers) {
  Random random = random_of(1, "C1", 1, "member.id");
  EXPECT_EQ(random.next(), 1535489763465326682ULL);
  EXPECT_EQ(random.next(), 14652283280062977999ULL);
  EXPECT_EQ(random.uuid(), "a315b291-ade6-4f4e-8c41-a2f82e38ceea");
  EXPECT_EQ(random.below(1000), 694U);
}

TEST(Random, IsTheSameForTheSameKey) {
  EXPECT_EQ(first_of(random_of(7, "C1", 2, "x")), first_of(random_of(7, "C1", 2, "x")));
}

TEST(Random, DiffersWhereAnyPartOfTheKeyDiffers) {
  std::set<std::vector<std::uint64_t>> seen;
  std::size_t keys = 0;
  for (const std::uint64_t seed : {0ULL, 1ULL, 2ULL}) {
    for (const std::string_view name : {"", "C", "C1", "C1x"}) {
      for (const std::uint32_t incarnation : {1U, 2U}) {
        for (const std::string_view purpose : {"", "x", "1x", "member.id"}) {
          seen.insert(first_of(random_of(seed, name, incarnation, purpose)));
          ++keys;
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), keys);
}

TEST(Random, OnePurposeDoesNotShiftAnother) {
  Random link = random_of(1, "B1", 1, "link");
  Random member = random_of(1, "B1", 1, "member.id");
  const std::vector<std::uint64_t> alone = first_of(random_of(1, "B1", 1, "link"));
  for (const std::uint64_t expected : alone) {
    member.next();
    EXPECT_EQ(link.next(), expected);
  }
}

TEST(Random, StaysBelowItsBoundAndReachesAllOfIt) {
  Random random = random_of(3, "C1", 1, "below");
  std::array<int, 7> counts{};
  for (int i = 0; i < 7000; ++i) ++counts.at(random.below(counts.size()));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, MakesUuidsOfVersionFour) {
  Random random = random_of(1, "C1", 1, "uuid");
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string uuid = random.uuid();
    ASSERT_EQ(uuid.size(), 36U);
    EXPECT_EQ(uuid.find_first_not_of("0123456789abcdef-"), std::string::npos);
    EXPECT_EQ(uuid[14], '4');
    EXPECT_TRUE(std::string_view("89ab").find(uuid[19]) != std::string_view::npos) << uuid;
    EXPECT_TRUE(seen.insert(uuid).second);
  }
}

}  // namespace
}  // namespace fencepost
