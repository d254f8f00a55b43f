#include "lab/numbered_names.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace fencepost::lab {
namespace {

// Anything that is added and taken out comes to what a plain set comes to.
TEST(NumberedNames, IsASetOfNames) {
  std::uint32_t state = 7;
  const auto below = [&state](std::uint32_t limit) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % limit;
  };
  NumberedNames names;
  std::set<std::string> plain;
  for (int round = 0; round < 20'000; ++round) {
    const std::string number = std::to_string(below(40));
    const std::string name = below(2) == 0 ? "o1." + number : "inv(o1." + number + ")";
    if (below(3) == 0) {
      EXPECT_EQ(names.erase(name), plain.erase(name) == 1);
    } else {
      EXPECT_EQ(names.insert(name), plain.insert(name).second);
    }
    ASSERT_EQ(names.contains(name), plain.contains(name)) << name;
    ASSERT_EQ(names.size(), static_cast<std::int64_t>(plain.size()));
  }
  const auto all = names.names();
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()), plain);
  EXPECT_EQ(all.size(), plain.size());
}

TEST(NumberedNames, KeepsNamesApartThatLookAlike) {
  NumberedNames names;
  for (const char* name : {"o1.7", "o1.07", "o1.", "o1", "", "7", "x", "o1.99999999999999999999"}) {
    EXPECT_FALSE(names.contains(name)) << name;
    EXPECT_TRUE(names.insert(name)) << name;
    EXPECT_FALSE(names.insert(name)) << name;
  }
  EXPECT_EQ(names.size(), 8);
  EXPECT_EQ(names.names().size(), 8U);
}

}  // namespace
}  // namespace fencepost::lab
