#include "common/properties.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "common/properties_registry.h"

namespace fencepost {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

std::string set_error(Role role, std::string_view name, std::string_view value) {
  return error_of([&] {
    Properties properties(role);
    properties.set(name, value, "-X");
  });
}

struct Default {
  Role role;
  std::string_view name;
  std::string_view value;
};

TEST(PropertyDefaults, AreKafkas) {
  constexpr Default kDefaults[] = {
      {Role::kConsumer, "session.timeout.ms", "45000"},
      {Role::kConsumer, "heartbeat.interval.ms", "3000"},
      {Role::kConsumer, "max.poll.interval.ms", "300000"},
      {Role::kConsumer, "max.poll.records", "500"},
      {Role::kConsumer, "enable.auto.commit", "true"},
      {Role::kConsumer, "auto.commit.interval.ms", "5000"},
      {Role::kConsumer, "auto.offset.reset", "latest"},
      {Role::kConsumer, "isolation.level", "read_uncommitted"},
      {Role::kConsumer, "partition.assignment.strategy", "range,cooperative-sticky"},
      {Role::kConsumer, "request.timeout.ms", "30000"},
      {Role::kConsumer, "default.api.timeout.ms", "60000"},
      {Role::kConsumer, "metadata.max.age.ms", "300000"},
      {Role::kConsumer, "fetch.max.wait.ms", "500"},
      {Role::kConsumer, "internal.leave.group.on.close", "true"},
      {Role::kProducer, "acks", "all"},
      {Role::kProducer, "retries", "2147483647"},
      {Role::kProducer, "max.in.flight.requests.per.connection", "5"},
      {Role::kProducer, "delivery.timeout.ms", "120000"},
      {Role::kProducer, "retry.backoff.ms", "100"},
      {Role::kProducer, "retry.backoff.max.ms", "1000"},
      {Role::kProducer, "transaction.timeout.ms", "60000"},
      {Role::kBroker, "group.min.session.timeout.ms", "6000"},
      {Role::kBroker, "group.max.session.timeout.ms", "1800000"},
      {Role::kBroker, "group.initial.rebalance.delay.ms", "3000"},
      {Role::kBroker, "group.max.size", "2147483647"},
      {Role::kBroker, "offsets.retention.minutes", "10080"},
      {Role::kBroker, "offsets.topic.num.partitions", "50"},
      {Role::kBroker, "transaction.max.timeout.ms", "900000"},
  };
  for (const Default& tested : kDefaults) {
    EXPECT_EQ(Properties(tested.role).get(tested.name), tested.value) << tested.name;
  }
}

TEST(PropertyRegistry, IsSortedAndItsDefaultsAreLegal) {
  EXPECT_TRUE(std::ranges::is_sorted(all_properties(), {}, &PropertyInfo::name));
  for (const PropertyInfo& row : all_properties()) {
    for (const Role role : {Role::kBroker, Role::kConsumer, Role::kProducer, Role::kProbe}) {
      if (find_property(row.name, role) != &row || row.default_value.empty()) continue;
      Properties properties(role);
      EXPECT_NO_THROW(properties.set(row.name, row.default_value, "default")) << row.name;
      EXPECT_EQ(properties.get(row.name), row.default_value) << row.name;
    }
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    EXPECT_FALSE(is_meaningless_property(row.name)) << row.name;
  }
}

TEST(PropertyRegistry, GivesEachRoleOneRowOfAName) {
  for (const Role role : {Role::kBroker, Role::kConsumer, Role::kProducer, Role::kProbe}) {
    const std::vector<std::string_view> names = property_names(role);
    EXPECT_TRUE(std::ranges::is_sorted(names));
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << to_string(role);
    EXPECT_EQ(role_from_string(to_string(role)), role);
  }
  EXPECT_FALSE(role_from_string("Consumer"));
}

struct Spelling {
  std::string_view name;
  std::string_view given;
  std::string_view kept;
};

TEST(Properties, KeepAValueInOneSpelling) {
  constexpr Spelling kSpellings[] = {
      {"session.timeout.ms", " +6000 ", "6000"},
      {"session.timeout.ms", "06000", "6000"},
      {"enable.auto.commit", "TRUE", "true"},
      {"acks", "-1", "all"},
      {"group.id", " billing\t", "billing"},
      {"app.subscribe", "orders , payments", "orders,payments"},
      {"app.subscribe", "", ""},
      {"partition.assignment.strategy", "org.apache.kafka.clients.consumer.RangeAssignor", "range"},
      {"partition.assignment.strategy",
       "org.apache.kafka.clients.consumer.CooperativeStickyAssignor,sticky",
       "cooperative-sticky,sticky"},
      {"retries", "2147483647", "2147483647"},
  };
  for (const Spelling& tested : kSpellings) {
    Properties properties(Role::kConsumer);
    properties.set(tested.name, tested.given, "-X");
    EXPECT_EQ(properties.get(tested.name), tested.kept) << tested.given;
    EXPECT_TRUE(properties.has(tested.name));
  }
}

struct Refused {
  Role role;
  std::string_view name;
  std::string_view value;
  std::string_view message;
};

TEST(Properties, RefuseABadValueAndSayWhy) {
  constexpr Refused kRefused[] = {
      {Role::kConsumer, "session.timeout.ms", "abc", R"("abc" is not an integer)"},
      {Role::kConsumer, "session.timeout.ms", "", R"("" is not an integer)"},
      {Role::kConsumer, "session.timeout.ms", "6000ms", R"("6000ms" is not an integer)"},
      {Role::kConsumer, "session.timeout.ms", "6 000", R"("6 000" is not an integer)"},
      {Role::kConsumer, "session.timeout.ms", "6e3", R"("6e3" is not an integer)"},
      {Role::kConsumer, "session.timeout.ms", "0x10", R"("0x10" is not an integer)"},
      {Role::kConsumer, "session.timeout.ms", "+-5", R"("+-5" is not an integer)"},
      {Role::kConsumer, "session.timeout.ms", "++5", R"("++5" is not an integer)"},
      {Role::kConsumer, "session.timeout.ms", "-1", "-1 is too small; the smallest value is 1"},
      {Role::kConsumer, "session.timeout.ms", "2147483648",
       "2147483648 is too large; the largest value is 2147483647"},
      {Role::kConsumer, "retry.backoff.ms", "9223372036854775808",
       R"("9223372036854775808" is out of range)"},
      {Role::kConsumer, "enable.auto.commit", "yes", R"("yes" is not true or false)"},
      {Role::kConsumer, "auto.offset.reset", "earlest",
       R"("earlest" is not one of earliest, latest, none; did you mean "earliest"?)"},
      {Role::kConsumer, "partition.assignment.strategy", "com.example.MyAssignor",
       R"("com.example.MyAssignor" is not one of range, roundrobin, sticky, cooperative-sticky)"},
      {Role::kConsumer, "partition.assignment.strategy", "range,range",
       R"("range" is listed twice)"},
      {Role::kConsumer, "app.subscribe", "orders,,payments",
       R"("orders,,payments" has an empty item)"},
      {Role::kProducer, "acks", "2", R"("2" is not one of all, -1, 0, 1)"},
      {Role::kProducer, "session.timeout.ms", "6000",
       "a producer has no such property; it belongs to: consumer"},
      {Role::kConsumer, "app.topics", "orders:3",
       "a consumer has no such property; it belongs to: broker"},
  };
  for (const Refused& tested : kRefused) {
    const std::string expected =
        "-X: " + std::string(tested.name) + ": " + std::string(tested.message);
    const std::string actual = set_error(tested.role, tested.name, tested.value);
    if (tested.message.ends_with("cooperative-sticky")) {
      EXPECT_TRUE(actual.starts_with(expected)) << actual;
    } else {
      EXPECT_EQ(actual, expected);
    }
  }
}

TEST(Properties, AnUnknownNameIsComparedWithTheKnownOnes) {
  EXPECT_EQ(set_error(Role::kConsumer, "sesion.timeout.ms", "1"),
            R"(-X: unknown property "sesion.timeout.ms"; did you mean "session.timeout.ms"?)");
  EXPECT_EQ(set_error(Role::kConsumer, "session_timeout_ms", "1"),
            R"(-X: unknown property "session_timeout_ms"; did you mean "session.timeout.ms"?)");
  EXPECT_EQ(set_error(Role::kConsumer, "gruop.id", "1"),
            R"(-X: unknown property "gruop.id"; did you mean "group.id"?)");
  EXPECT_EQ(set_error(Role::kConsumer, "zzzzzzzz", "1"), R"(-X: unknown property "zzzzzzzz")");
  EXPECT_EQ(set_error(Role::kConsumer, std::string_view("a\0\n\x1b", 4), "1"),
            R"(-X: unknown property "a\x00\x0a\x1b")");
  EXPECT_LT(set_error(Role::kConsumer, std::string(1'000'000, 'x'), "1").size(), 120U);
}

TEST(Properties, WhatMeansNothingHereIsAcceptedAndRemembered) {
  Properties properties(Role::kConsumer);
  for (const char* name : {"value.deserializer", "ssl.truststore.location", "sasl.jaas.config",
                           "key.deserializer", "metric.reporters", "interceptor.classes",
                           "security.protocol", "client.rack", "value.deserializer"}) {
    properties.set(name, "whatever", "client.properties:1");
  }
  EXPECT_TRUE(std::ranges::is_sorted(properties.ignored()));
  EXPECT_EQ(properties.ignored().size(), 8U);
  EXPECT_EQ(properties.explicit_values().size(), 8U);
  EXPECT_EQ(properties.explicit_values().at("sasl.jaas.config"), "");
}

TEST(Properties, AnAssignmentIsCutAtItsFirstEqualsSign) {
  Properties properties(Role::kProducer);
  properties.set_assignment("app.schedule = 5:orders-0=3;20:orders-2=3", "-X");
  EXPECT_EQ(properties.get("app.schedule"), "5:orders-0=3;20:orders-2=3");
  EXPECT_EQ(error_of([&] { properties.set_assignment("acks", "-X"); }),
            R"(-X: "acks" is not of the form NAME=VALUE)");
  EXPECT_EQ(error_of([&] { properties.set_assignment(" =1", "-X"); }),
            R"(-X: " =1" has no name before '=')");
}

TEST(Properties, HoursBeyondCountingStillAddUp) {
  Properties properties(Role::kConsumer);
  properties.set("metadata.max.age.ms", "9223372036854775807", "-X");
  EXPECT_EQ(properties.get("metadata.max.age.ms"), "9223372036854775807");
  EXPECT_GT(properties.get_int("metadata.max.age.ms") + 1'000'000'000'000, 0);
}

TEST(Properties, AListIsEmptyOrSplitAtItsCommas) {
  Properties properties(Role::kConsumer);
  EXPECT_TRUE(properties.get_list("app.subscribe").empty());
  properties.set("app.subscribe", "orders,payments", "-X");
  EXPECT_EQ(properties.get_list("app.subscribe"), (std::vector<std::string>{"orders", "payments"}));
}

using Assignments = std::vector<std::string_view>;
struct Together {
  Role role;
  Assignments assignments;
  std::string_view error;
};

TEST(Properties, AreCheckedTogether) {
  const Together tested[] = {
      {Role::kConsumer, {"group.id=billing", "app.subscribe=orders"}, "no error"},
      {Role::kConsumer, {"app.assign=invoices-0"}, "no error"},
      {Role::kConsumer,
       {"session.timeout.ms=6000", "heartbeat.interval.ms=6000"},
       "heartbeat.interval.ms (6000) must be less than session.timeout.ms (6000)"},
      {Role::kConsumer, {"app.subscribe=orders"}, "app.subscribe needs a group.id"},
      {Role::kConsumer,
       {"group.id=g", "app.subscribe=orders", "app.assign=invoices"},
       "app.subscribe and app.assign exclude each other"},
      {Role::kConsumer, {"enable.auto.commit=true"}, "enable.auto.commit=true needs a group.id"},
      {Role::kConsumer,
       {"group.protocol=consumer"},
       "group.protocol: consumer (KIP-848) is not here yet; see docs/deviations.md"},
      {Role::kConsumer,
       {"partition.assignment.strategy="},
       "partition.assignment.strategy must name an assignor"},
      {Role::kConsumer, {"partition.assignment.strategy=sticky,cooperative-sticky"}, "no error"},
      {Role::kProducer,
       {"delivery.timeout.ms=5000"},
       "delivery.timeout.ms (5000) must be at least linger.ms + request.timeout.ms (30000)"},
      {Role::kProducer, {"request.timeout.ms=300000"}, "no error"},
      {Role::kProducer,
       {"enable.idempotence=true"},
       "enable.idempotence: only false works yet; see docs/deviations.md"},
      {Role::kProducer,
       {"app.records=orders:1", "app.schedule=1:orders-0=1"},
       "app.records and app.schedule exclude each other"},
  };
  for (const Together& row : tested) {
    Properties properties(row.role);
    properties.set("bootstrap.servers", "B1:19092", "-X");
    for (const std::string_view assignment : row.assignments) {
      properties.set_assignment(assignment, "-X");
    }
    EXPECT_EQ(error_of([&] { properties.validate(); }), row.error);
  }
}

TEST(Properties, AClientNeedsABrokerAndABrokerNeedsNothing) {
  EXPECT_EQ(error_of([] { Properties(Role::kConsumer).validate(); }),
            "bootstrap.servers is not set");
  EXPECT_EQ(error_of([] { Properties(Role::kBroker).validate(); }), "no error");
}

TEST(Nearest, PrefersTheFirstOfTheClosest) {
  constexpr std::string_view kVerbs[] = {"kill", "stop", "start", "cont"};
  EXPECT_EQ(nearest("kil", kVerbs), "kill");
  EXPECT_EQ(nearest("klil", kVerbs), "kill");
  EXPECT_EQ(nearest("stap", kVerbs), "stop");
  EXPECT_EQ(nearest("kill", kVerbs), "kill");
  EXPECT_FALSE(nearest("", kVerbs));
  EXPECT_FALSE(nearest("explode", kVerbs));
  EXPECT_FALSE(nearest(std::string(100'000, 'k'), kVerbs));
}

}  // namespace
}  // namespace fencepost
