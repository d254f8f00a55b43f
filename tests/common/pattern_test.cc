#include "common/pattern.h"

#include <gtest/gtest.h>

#include "common/properties.h"

namespace fencepost {
namespace {

TEST(PatternTest, MatchesWholeNames) {
  const Pattern pattern("orders(-[a-z]+)?");
  EXPECT_EQ(pattern.matches("orders"), true);
  EXPECT_EQ(pattern.matches("orders-eu"), true);
  EXPECT_EQ(pattern.matches("orders-"), false);
  EXPECT_EQ(pattern.matches("my-orders"), false);
}

TEST(PatternTest, RefusesWhatIsNoRegularExpression) {
  for (const char* text : {"([", "(", "*a", "[z-a]", "a{2,1}"}) {
    EXPECT_THROW(Pattern{text}, ConfigError) << text;
  }
}

TEST(PatternTest, GivesUpWhereItWouldTakeForEver) {
  const Pattern pattern("(a|a|b?)*c");
  EXPECT_EQ(pattern.matches(std::string(249, 'a')), std::nullopt);
  EXPECT_EQ(pattern.matches("aac"), true);
}

}  // namespace
}  // namespace fencepost
