// The broker as a node: steps, causes, rows, start and end.
#include "broker/core/broker_node.h"

#include <gtest/gtest.h>

#include "broker/core/broker_config.h"
#include "common/events.h"

namespace fencepost::broker {
namespace {

NodeContext context_with(const std::vector<std::pair<std::string, std::string>>& properties) {
  NodeContext context;
  context.name = "B1";
  context.incarnation = Incarnation(1);
  context.properties = Properties(Role::kBroker);
  for (const auto& [name, value] : properties) context.properties.set(name, value, "a test");
  return context;
}

Delivery from(const std::string& source, wire::Frame frame) {
  static std::uint64_t sequence = 0;
  wire::Header* const header = frame.mutable_header();
  header->set_source(source);
  header->set_source_incarnation(2);
  header->set_sequence(++sequence);
  header->set_correlation_id(17);
  header->set_client_id(source);
  return {Tick(0), std::make_shared<const wire::Frame>(std::move(frame))};
}

Delivery control(wire::Control::Kind kind) {
  wire::Control control;
  control.set_kind(kind);
  return {Tick(0), control};
}

wire::Frame produce(const std::string& value) {
  wire::Frame frame;
  auto* const data = frame.mutable_produce_request()->add_topic_data();
  data->set_name("orders");
  data->add_partition_data()->set_index(0);
  data->mutable_partition_data(0)->mutable_records()->add_records()->set_value(value);
  return frame;
}

wire::Frame fetch(std::int32_t max_wait_ms) {
  wire::Frame frame;
  frame.mutable_fetch_request()->set_max_wait_ms(max_wait_ms);
  auto* const topic = frame.mutable_fetch_request()->add_topics();
  topic->set_topic("orders");
  topic->add_partitions()->set_partition(0);
  topic->mutable_partitions(0)->set_fetch_offset(0);
  return frame;
}

wire::Frame join(const std::string& member) {
  wire::Frame frame;
  auto* const request = frame.mutable_join_group_request();
  request->set_group_id("billing");
  request->set_session_timeout_ms(10'000);
  request->set_member_id(member);
  request->set_protocol_type("consumer");
  request->add_protocols()->set_name("range");
  return frame;
}

const wire::Event* event_named(const StepResult& result, std::string_view name) {
  for (const wire::Emission& emission : result.emissions) {
    if (emission.has_event() && emission.event().name() == name) return &emission.event();
  }
  return nullptr;
}

class BrokerNodeTest : public testing::Test {
 protected:
  StepResult step(std::int64_t tick, std::vector<Delivery> inbox = {}) {
    StepResult result = node_->step(Tick(tick), inbox);
    for (const wire::StoredRow& row : result.rows) stored_.push_back(row);
    return result;
  }
  void restart() {
    NodeContext context = context_with(kProperties);
    context.incarnation = Incarnation(2);
    context.stored = stored_;
    node_ = make_broker(context);
  }

  const std::vector<std::pair<std::string, std::string>> kProperties = {
      {"app.topics", "orders:3,invoices:1"}, {"group.initial.rebalance.delay.ms", "0"}};
  std::unique_ptr<Node> node_ = make_broker(context_with(kProperties));
  std::vector<wire::StoredRow> stored_;
};

TEST_F(BrokerNodeTest, CreatesItsTopicsInItsFirstStep) {
  const StepResult result = step(3);
  const wire::Event* const loaded = event_named(result, events::kBrokerLoaded);
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(events::value_of(*loaded, "topics"), "3");
  EXPECT_EQ(events::value_of(*loaded, "records"), "0");
  EXPECT_EQ(result.rows.size(), 3U);
  EXPECT_EQ(result.rows[0].topic(), "__cluster_metadata");
  EXPECT_EQ(result.emissions[0].cause().kind(), wire::Cause::START);
  EXPECT_FALSE(result.next_wake.has_value());
  EXPECT_TRUE(step(4).emissions.empty());
}

TEST_F(BrokerNodeTest, AnswersTheIncarnationThatAskedAndNamesTheCause) {
  step(0);
  const StepResult result = step(5, {from("P1", produce("o0.0"))});
  ASSERT_EQ(result.emissions.size(), 2U);  // log.appended and the answer
  const wire::Emission& answer = result.emissions[1];
  EXPECT_EQ(answer.frame().header().destination(), "P1");
  EXPECT_EQ(answer.frame().header().destination_incarnation(), 2U);
  EXPECT_EQ(answer.frame().header().correlation_id(), 17);
  EXPECT_EQ(answer.cause().kind(), wire::Cause::FRAME);
  EXPECT_EQ(answer.cause().source(), "P1");
  EXPECT_EQ(answer.cause().tick(), 5);
  ASSERT_EQ(result.rows.size(), 1U);
  wire::RecordBatch batch;
  ASSERT_TRUE(batch.ParseFromString(result.rows[0].batch()));
  EXPECT_EQ(batch.records(0).value(), "o0.0");
}

TEST_F(BrokerNodeTest, DueTimersComeBeforeDeliveries) {
  step(0);
  EXPECT_EQ(step(1, {from("C1", fetch(2000))}).next_wake, Tick(3));
  const StepResult result = step(3, {from("P1", produce("o0.0"))});
  ASSERT_GE(result.emissions.size(), 1U);
  EXPECT_EQ(result.emissions[0].frame().fetch_response().responses(0).partitions(0).records_size(),
            0);
  EXPECT_EQ(result.emissions[0].cause().timer(), "fetch.max.wait.ms");
  EXPECT_EQ(result.emissions[0].cause().armed_tick(), 1);
}

TEST_F(BrokerNodeTest, ATimerSetForNowRunsAfterTheWholeInbox) {
  step(0);
  const StepResult ids = step(1, {from("C1", join("")), from("C2", join(""))});
  std::vector<std::string> members;
  for (const wire::Emission& emission : ids.emissions) {
    if (emission.has_frame()) {
      members.push_back(emission.frame().join_group_response().member_id());
    }
  }
  ASSERT_EQ(members.size(), 2U);
  const StepResult joined = step(2, {from("C1", join(members[0])), from("C2", join(members[1]))});
  int answers = 0;
  for (const wire::Emission& emission : joined.emissions) {
    if (!emission.has_frame()) continue;
    ++answers;
    EXPECT_EQ(emission.frame().join_group_response().generation_id(), 1);
    EXPECT_EQ(emission.cause().timer(), "group.initial.rebalance.delay.ms");
    EXPECT_EQ(emission.cause().source(), "C1");
  }
  EXPECT_EQ(answers, 2);
}

TEST_F(BrokerNodeTest, CloseEndsItAtOnceWithExitCodeZero) {
  step(0);
  const StepResult result = step(1, {control(wire::Control::CLOSE), from("P1", produce("o0.0"))});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.emissions.empty());
  EXPECT_TRUE(result.rows.empty());
}

TEST_F(BrokerNodeTest, OtherControlsAndDisconnectionsMeanNothing) {
  step(0);
  wire::Disconnected disconnected;
  disconnected.set_peer("C1");
  const StepResult result =
      step(1, {control(wire::Control::SLOW), Delivery{Tick(1), disconnected}});
  EXPECT_TRUE(result.emissions.empty());
  EXPECT_FALSE(result.exit_code.has_value());
}

TEST_F(BrokerNodeTest, WhatIsNoRequestIsIgnored) {
  step(0);
  wire::Frame response;
  response.mutable_join_group_response();
  const StepResult result = step(1, {from("C1", response), from("C1", wire::Frame())});
  EXPECT_TRUE(result.emissions.empty());
}

TEST_F(BrokerNodeTest, ARestartedBrokerHasItsRecords) {
  step(0);
  step(1, {from("P1", produce("o0.0"))});
  step(2, {from("P1", produce("o0.1"))});
  restart();
  const StepResult first = step(7, {from("C1", fetch(0))});
  EXPECT_TRUE(first.rows.empty());
  EXPECT_EQ(events::value_of(*event_named(first, events::kBrokerLoaded), "records"), "5");
  const auto& data = first.emissions.back().frame().fetch_response().responses(0).partitions(0);
  ASSERT_EQ(data.records_size(), 2);
  EXPECT_EQ(data.records(1).records(0).value(), "o0.1");
}

TEST(BrokerConfigTest, ReadsTheProperties) {
  const BrokerConfig config = config_from(context_with({{"app.topics", "orders:3, payments"},
                                                        {"app.cluster", "B3,B1"},
                                                        {"num.partitions", "2"},
                                                        {"group.max.size", "5"}}));
  EXPECT_EQ(config.topics, (std::vector<TopicSpec>{{"orders", 3}, {"payments", 2}}));
  EXPECT_EQ(config.index, 1U);
  EXPECT_EQ(config.group_max_size, 5);
  EXPECT_EQ(config.initial_delay_ms, 3000);
  EXPECT_EQ(config.offsets_partitions, 50);
}

TEST(BrokerConfigTest, ABrokerAloneIsItsOwnCluster) {
  EXPECT_EQ(config_from(context_with({})).cluster, std::vector<std::string>{"B1"});
}

class BadBrokerConfig : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BadBrokerConfig, IsRefusedByName) {
  const auto [name, value] = GetParam();
  try {
    config_from(context_with({{name, value}}));
    FAIL() << name << "=" << value;
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Properties, BadBrokerConfig,
    testing::Values(std::pair{"app.cluster", "B2,B3"}, std::pair{"app.topics", "orders:0"},
                    std::pair{"app.topics", "orders:x"}, std::pair{"app.topics", "orders:"},
                    std::pair{"app.topics", "orders:3x"},
                    std::pair{"app.topics", "orders:99999999999"}, std::pair{"app.topics", "a b:1"},
                    std::pair{"app.topics", ":1"}, std::pair{"app.topics", "a:1,a:2"},
                    std::pair{"app.topics", "a:9000,b:9000"},
                    std::pair{"num.partitions", "1000000"}));

}  // namespace
}  // namespace fencepost::broker
