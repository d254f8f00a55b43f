#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "common/properties.h"

namespace fencepost {
namespace {

Properties from(Role role, const std::vector<std::string_view>& variables) {
  Properties properties(role);
  properties.load_environment(variables);
  return properties;
}

std::string error_of(Role role, const std::vector<std::string_view>& variables) {
  try {
    from(role, variables);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PropertyVariables, AreUpperCaseWithDotsAsUnderscores) {
  const Properties properties = from(
      Role::kConsumer, {"KAFKA_SESSION_TIMEOUT_MS=20000", "KAFKA_APP_PROCESS_MS=2000",
                        "KAFKA_PARTITION_ASSIGNMENT_STRATEGY=roundrobin", "KAFKA_GROUP_ID=a=b"});
  EXPECT_EQ(properties.get_int("session.timeout.ms"), 20000);
  EXPECT_EQ(properties.get_int("app.process.ms"), 2000);
  EXPECT_EQ(properties.get("partition.assignment.strategy"), "roundrobin");
  EXPECT_EQ(properties.get("group.id"), "a=b");
}

TEST(PropertyVariables, WriteADashAsEitherOfKafkasImages) {
  for (const std::string_view variable :
       {"KAFKA_APP_COOPERATIVE__STICKY=simple", "KAFKA_APP_COOPERATIVE___STICKY=simple"}) {
    EXPECT_EQ(from(Role::kConsumer, {variable}).get("app.cooperative-sticky"), "simple");
  }
}

TEST(PropertyVariables, OthersAreNotLookedAt) {
  const Properties properties =
      from(Role::kConsumer, {"PATH=/usr/bin", "SESSION_TIMEOUT_MS=1", "kafka_group_id=x",
                             "FENCEPOST_KAFKA_GROUP_ID=x", "KAFKA", "=", ""});
  EXPECT_TRUE(properties.explicit_values().empty());
}

TEST(PropertyVariables, ThatAreEmptySetNothing) {
  const Properties properties =
      from(Role::kConsumer, {"KAFKA_SESSION_TIMEOUT_MS=", "KAFKA_NO_SUCH_THING=", "KAFKA_ACKS"});
  EXPECT_TRUE(properties.explicit_values().empty());
  EXPECT_TRUE(properties.ignored().empty());
}

TEST(PropertyVariables, OfAnotherRoleArePassedOver) {
  const std::vector<std::string_view> variables = {"KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS=1",
                                                   "KAFKA_SESSION_TIMEOUT_MS=20000",
                                                   "KAFKA_APP_INTERVAL_MS=3000"};
  using Values = std::map<std::string, std::string, std::less<>>;
  EXPECT_EQ(from(Role::kBroker, variables).explicit_values(),
            (Values{{"group.min.session.timeout.ms", "1"}}));
  EXPECT_EQ(from(Role::kConsumer, variables).explicit_values(),
            (Values{{"session.timeout.ms", "20000"}}));
  EXPECT_EQ(from(Role::kProducer, variables).explicit_values(),
            (Values{{"app.interval.ms", "3000"}}));
}

TEST(PropertyVariables, WithoutAMeaningHereAreRememberedAsIgnored) {
  const Properties properties =
      from(Role::kBroker, {"KAFKA_LOG_DIRS=/var/lib/kafka", "KAFKA_ADVERTISED_LISTENERS=x"});
  EXPECT_EQ(properties.ignored(), (std::vector<std::string>{"advertised.listeners", "log.dirs"}));
}

TEST(PropertyVariables, OverrideWhatWasSetBefore) {
  Properties properties(Role::kConsumer);
  properties.set("session.timeout.ms", "10000", "client.properties:1");
  const std::vector<std::string_view> variables = {"KAFKA_SESSION_TIMEOUT_MS=20000"};
  properties.load_environment(variables);
  EXPECT_EQ(properties.get_int("session.timeout.ms"), 20000);
  properties.set_assignment("session.timeout.ms=30000", "-X");
  EXPECT_EQ(properties.get_int("session.timeout.ms"), 30000);
}

struct Mistake {
  std::string_view variable;
  std::string_view message;
};

TEST(PropertyVariables, SayWhatIsWrongAndWhatWasMeant) {
  constexpr Mistake kMistakes[] = {
      {"KAFKA_SESION_TIMEOUT_MS=1",
       "KAFKA_SESION_TIMEOUT_MS: there is no property sesion.timeout.ms; did you mean "
       "KAFKA_SESSION_TIMEOUT_MS (session.timeout.ms)?"},
      {"KAFKA_AP_INTERVAL_MS=1",  // a producer's, but everybody sees the mistake
       "KAFKA_AP_INTERVAL_MS: there is no property ap.interval.ms; did you mean "
       "KAFKA_APP_INTERVAL_MS (app.interval.ms)?"},
      {"KAFKA_APP_COOPERATIVE___STICK=1",
       "KAFKA_APP_COOPERATIVE___STICK: there is no property app.cooperative-stick; did you mean "
       "KAFKA_APP_COOPERATIVE___STICKY (app.cooperative-sticky)?"},
      {"KAFKA_XYZZY=1", "KAFKA_XYZZY: there is no property xyzzy"},
      {"KAFKA_=1", "KAFKA_: there is no property "},
      {"KAFKA_SESSION_TIMEOUT_MS=soon",
       "KAFKA_SESSION_TIMEOUT_MS: session.timeout.ms: \"soon\" is not an integer"},
      {"KAFKA_AUTO_OFFSET_RESET=first",
       "KAFKA_AUTO_OFFSET_RESET: auto.offset.reset: \"first\" is not one of earliest, latest, "
       "none"},
  };
  for (const Mistake& mistake : kMistakes) {
    EXPECT_EQ(error_of(Role::kConsumer, {mistake.variable}), mistake.message);
  }
}

}  // namespace
}  // namespace fencepost
