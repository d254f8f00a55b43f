// What a broker may forget: records that are too old or too many, and commits that later ones have
// replaced. A restart finds the same, whether or not storage has been cleaned meanwhile.
#include <gtest/gtest.h>

#include "broker/core/compaction.h"
#include "broker/core/record_batches.h"
#include "common/events.h"
#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

BrokerConfig config_with(std::int64_t retention_ms, std::int64_t retention_bytes) {
  BrokerConfig config = test_config();
  config.log_retention_ms = retention_ms;
  config.log_retention_bytes = retention_bytes;
  config.log_retention_check_ms = 10'000;
  return config;
}

class LogRetentionTest : public testing::Test {
 protected:
  // A record in o0, of now.
  void produce(BrokerWorld& world) {
    wire::Frame frame;
    auto* const request = frame.mutable_produce_request();
    request->set_acks(-1);
    auto* const topic = request->add_topic_data();
    topic->set_name("orders");
    auto* const data = topic->add_partition_data();
    data->set_index(0);
    wire::Record record;
    record.set_value("o0.x");
    *data->mutable_records() = make_batch({record}, world.now() * 1000);
    const auto answer = world.answer(world.send("P1", std::move(frame)));
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->produce_response().responses(0).partition_responses(0).error_code(), 0);
  }
  static const PartitionLog& log(BrokerWorld& world) {
    return **world.core().topics().find("orders", 0);
  }
};

TEST_F(LogRetentionTest, OldRecordsGoAtTheNextCheck) {
  BrokerWorld world(config_with(20'000, -1));
  for (int i = 0; i < 50; ++i) {
    produce(world);
    world.pass(1);
  }
  EXPECT_EQ(log(world).end(), Offset(50));
  EXPECT_EQ(log(world).start(), Offset(30));  // by the check at tick 50
  EXPECT_FALSE(world.events_named(events::kLogDeleted).empty());
}

TEST_F(LogRetentionTest, NothingGoesWithoutALimit) {
  BrokerWorld world(config_with(-1, -1));
  for (int i = 0; i < 50; ++i) {
    produce(world);
    world.pass(1);
  }
  EXPECT_EQ(log(world).start(), Offset(0));
  EXPECT_FALSE(world.core().next_deadline().has_value());
}

TEST_F(LogRetentionTest, ALogKeepsAtLeastTheBytesThatItShould) {
  BrokerWorld world(config_with(-1, 200));
  for (int i = 0; i < 50; ++i) produce(world);
  world.pass(11);
  EXPECT_GE(log(world).bytes(), 200);
  EXPECT_LT(log(world).bytes(), 300);
  EXPECT_EQ(log(world).end(), Offset(50));
}

TEST_F(LogRetentionTest, ARestartFindsTheSameStartAndEnd) {
  for (const bool removed : {false, true}) {
    BrokerWorld world(config_with(5'000, -1));
    for (int i = 0; i < 30; ++i) {
      produce(world);
      world.pass(1);
    }
    const Offset start = log(world).start();
    EXPECT_GT(start, Offset(0));
    if (removed) world.remove_obsolete();
    world.restart();
    EXPECT_EQ(log(world).start(), start);
    EXPECT_EQ(log(world).end(), Offset(30));
    world.pass(20);  // now all are too old
    EXPECT_EQ(log(world).start(), Offset(30));
    if (removed) world.remove_obsolete();
    world.restart();
    EXPECT_EQ(log(world).start(), Offset(30));
    EXPECT_EQ(log(world).end(), Offset(30));
    produce(world);
    EXPECT_EQ(log(world).end(), Offset(31));
  }
}

TEST(OffsetsLog, IsAsLargeAsItsKeysAndNotAsItsHistory) {
  GroupWorld world;
  const std::vector<TestMember> members = world.stable_group({"C1"});
  std::size_t rows = 0;
  for (int offset = 1; offset <= 200; ++offset) {
    world.commit(members[0], 1, "orders", 0, offset);
    world.remove_obsolete();
    if (offset == 1) rows = world.rows().size();
  }
  EXPECT_EQ(world.rows().size(), rows);
  world.restart();
  EXPECT_EQ(world.committed("orders", 0), 200);
  EXPECT_EQ(world.state(), "S");
}

TEST(CompactionTest, ABatchGoesWithTheLastOfItsKeys) {
  const auto batch = [](std::int64_t base, std::initializer_list<const char*> keys) {
    wire::RecordBatch made;
    made.set_base_offset(base);
    for (const char* key : keys) made.add_records()->set_key(key);
    return made;
  };
  Compaction compaction;
  EXPECT_TRUE(compaction.appended(batch(0, {"a", "b", "a"})).empty());
  EXPECT_TRUE(compaction.appended(batch(3, {"a"})).empty());
  EXPECT_EQ(compaction.appended(batch(4, {"a", "b"})), (std::vector{Offset(3), Offset(0)}));
}

}  // namespace
}  // namespace fencepost::broker
