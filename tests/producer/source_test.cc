// The source: what it writes when, and how it names it.
#include <gtest/gtest.h>

#include "producer/source_plan.h"
#include "tests/producer/producer_world.h"

namespace fencepost::producer {
namespace {

using Texts = std::vector<std::string>;

TEST(Source, NamesRecordsByPartitionAndOffset) {
  ProducerWorld world(Settings{{"app.records", "orders-2:3"}});
  world.run_to(30);
  EXPECT_EQ(world.broker().log("orders", 2), (Texts{"o2.0", "o2.1", "o2.2"}));
  EXPECT_EQ(world.events_named(events::kSourceFinished)[0].value("records"), "3");
}

TEST(Source, GoesOnNamingWhereItsPredecessorStopped) {
  ProducerWorld world(Settings{{"app.records", "orders-2:2"}});
  world.broker().write("orders", 2, {"o2.0", "o2.1", "o2.2"});
  world.run_to(30);
  EXPECT_EQ(world.broker().log("orders", 2), (Texts{"o2.0", "o2.1", "o2.2", "o2.3", "o2.4"}));
}

TEST(Source, TakesShortNames) {
  ProducerWorld world(
      Settings{{"app.records", "payments-0:1"}, {"app.short.names", "payments=pay"}});
  world.run_to(30);
  EXPECT_EQ(world.broker().log("payments", 0), (Texts{"pay0.0"}));
}

TEST(Source, WritesARoundEachInterval) {
  ProducerWorld world(Settings{{"app.records", "orders-0:3"}, {"app.interval.ms", "5000"}});
  world.run_to(40);
  const auto sent = world.requests_of(Api::kProduceRequest);
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[0].tick, ProducerWorld::kFirstRound);
  EXPECT_EQ(sent[1].tick, ProducerWorld::kFirstRound + 5);
  EXPECT_EQ(sent[2].tick, ProducerWorld::kFirstRound + 10);
}

TEST(Source, BeginsAtItsStart) {
  ProducerWorld world(Settings{{"app.records", "orders-0:1"}, {"app.start.ms", "9000"}});
  world.run_to(40);
  EXPECT_EQ(world.requests_of(Api::kProduceRequest)[0].tick, 9);
}

TEST(Source, FollowsASchedule) {
  ProducerWorld world(Settings{{"app.schedule", "8:orders-0=2,payments-1=1; 20:orders=1"}});
  world.run_to(40);
  const auto sent = world.requests_of(Api::kProduceRequest);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].tick, 8);
  EXPECT_EQ(ProducerWorld::contents(sent[0]), "orders-0=o0.0,o0.1 payments-1=p1.0");
  EXPECT_EQ(sent[1].tick, 20);
  EXPECT_EQ(ProducerWorld::contents(sent[1]), "orders-0=o0.2 orders-1=o1.0 orders-2=o2.0");
}

TEST(Source, IsIdleWhenItIsDoneAndEndsWhenClosed) {
  ProducerWorld world(Settings{{"app.records", "orders-0:1"}});
  world.run_to(30);
  EXPECT_TRUE(world.idle());
  EXPECT_FALSE(world.exit_code());
  world.control(wire::Control::CLOSE);
  world.pass(1);
  EXPECT_EQ(world.exit_code(), 0);
}

TEST(Source, ClosedInTheMiddleItFlushesWhatItSent) {
  ProducerWorld world(Settings{{"app.records", "orders-0:9"}, {"linger.ms", "60000"}});
  world.run_to(6);
  world.control(wire::Control::CLOSE);
  world.run_to(30);
  EXPECT_EQ(world.exit_code(), 0);
  EXPECT_EQ(world.broker().log("orders", 0), (Texts{"o0.0", "o0.1", "o0.2"}));
}

TEST(Source, ClosedBeforeItKnowsAnythingItEnds) {
  ProducerWorld world(Settings{{"app.records", "orders-0:9"}, {"max.block.ms", "5000"}});
  world.always(Api::kMetadataRequest, [](const wire::Frame&) { return disconnected(); });
  world.run_to(6);
  world.control(wire::Control::CLOSE);
  world.run_to(30);
  EXPECT_EQ(world.exit_code(), 0);
}

TEST(Source, KilledAtAnyTickNothingIsLeftBehind) {
  for (std::int64_t tick = 0; tick < 20; ++tick) {
    ProducerWorld world(Settings{{"app.records", "orders:3"}});
    world.run_to(tick);
    world.kill();  // the sanitizers judge
  }
}

struct BadPlan {
  const char* name;
  const char* property;
  const char* value;
};
class BadPlans : public testing::TestWithParam<BadPlan> {};

TEST_P(BadPlans, AreRefusedWithTheItem) {
  Properties properties(Role::kProducer);
  properties.set(GetParam().property, GetParam().value, "test");
  try {
    source_plan(properties, TickLength(1000));
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().property), std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Table, BadPlans,
                         testing::Values(BadPlan{"NoCount", "app.records", "orders-0"},
                                         BadPlan{"NoNumber", "app.records", "orders-0:x"},
                                         BadPlan{"Negative", "app.records", "orders-0:-1"},
                                         BadPlan{"NoTopic", "app.records", ":3"},
                                         BadPlan{"Overflow", "app.records",
                                                 "orders-0:99999999999999999999"},
                                         BadPlan{"NoTick", "app.schedule", "orders-0=3"},
                                         BadPlan{"NoSuchTick", "app.schedule", "x:orders-0=3"},
                                         BadPlan{"NoRecords", "app.schedule", "5:orders-0"},
                                         BadPlan{"NoName", "app.short.names", "orders="}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(SourcePlan, ATopicMayHaveADash) {
  Properties properties(Role::kProducer);
  properties.set("app.records", "late-orders:2,late-orders-1:3", "test");
  const SourcePlan plan = source_plan(properties, TickLength(1000));
  ASSERT_EQ(plan.totals.size(), 2U);
  EXPECT_EQ(plan.totals[0].topic, "late-orders");
  EXPECT_FALSE(plan.totals[0].partition);
  EXPECT_EQ(plan.totals[1].topic, "late-orders");
  EXPECT_EQ(plan.totals[1].partition, PartitionId(1));
}

}  // namespace
}  // namespace fencepost::producer
