#include <gtest/gtest.h>

#include "lab/run_scenario.h"
#include "lab/scenario.h"

namespace fencepost::lab {
namespace {

TEST(Notices, NameWhatIsIgnoredOncePerProcess) {
  const LoadedScenario loaded = parse_scenario(
      "topics: {orders: 1}\n"
      "processes:\n"
      "  B1: {role: broker}\n"
      "  P1: {role: producer, records: {orders: 1}, key.serializer: a, security.protocol: SSL}\n"
      "until: 5\n",
      "notices.yaml");
  for (const Mistake& mistake : loaded.mistakes) ADD_FAILURE() << to_string(mistake);
  ASSERT_TRUE(loaded.scenario.has_value());
  EXPECT_EQ(notices_of(loaded.scenario->plan),
            std::vector<std::string>{
                "P1: ignored, without a meaning here: key.serializer, security.protocol"});
}

}  // namespace
}  // namespace fencepost::lab
