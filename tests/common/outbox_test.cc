#include "common/outbox.h"

#include <gtest/gtest.h>

#include "common/events.h"

namespace fencepost {
namespace {

wire::Cause cause_of(wire::Cause::Kind kind, std::int64_t tick) {
  wire::Cause cause;
  cause.set_kind(kind);
  cause.set_tick(tick);
  return cause;
}

wire::Frame heartbeat() {
  wire::Frame frame;
  frame.mutable_heartbeat_request()->set_group_id("billing");
  return frame;
}

class OutboxOfC1 : public ::testing::Test {
 protected:
  Outbox outbox_{"C1", Incarnation(3)};
};

TEST_F(OutboxOfC1, ARequestIsAddressedToAName) {
  const std::int32_t id = outbox_.request("B1", "client-1", heartbeat());
  const std::vector<wire::Emission> emitted = outbox_.take();
  ASSERT_EQ(emitted.size(), 1U);
  const wire::Header& header = emitted[0].frame().header();
  EXPECT_EQ(header.source(), "C1");
  EXPECT_EQ(header.source_incarnation(), 3U);
  EXPECT_EQ(header.destination(), "B1");
  EXPECT_FALSE(header.has_destination_incarnation());
  EXPECT_EQ(header.correlation_id(), id);
  EXPECT_EQ(header.client_id(), "client-1");
  EXPECT_EQ(emitted[0].frame().heartbeat_request().group_id(), "billing");
}

TEST_F(OutboxOfC1, AnAnswerGoesToOneLifeOfItsAskerAndKeepsTheCorrelationId) {
  outbox_.respond({"C2", Incarnation(5), 42}, wire::Frame());
  const wire::Header header = outbox_.take().at(0).frame().header();
  EXPECT_EQ(header.destination(), "C2");
  EXPECT_EQ(header.destination_incarnation(), 5U);
  EXPECT_EQ(header.correlation_id(), 42);
}

TEST_F(OutboxOfC1, SequencesCountFramesAndCorrelationIdsCountRequests) {
  EXPECT_EQ(outbox_.request("B1", "C1", heartbeat()), 1);
  outbox_.report(events::make(events::kClientClosed, {}));
  outbox_.respond({"C2", Incarnation(1), 9}, wire::Frame());
  EXPECT_EQ(outbox_.request("B1", "C1", heartbeat()), 2);
  const std::vector<wire::Emission> emitted = outbox_.take();
  ASSERT_EQ(emitted.size(), 4U);
  EXPECT_EQ(emitted[0].frame().header().sequence(), 1U);
  EXPECT_TRUE(emitted[1].has_event());
  EXPECT_EQ(emitted[2].frame().header().sequence(), 2U);
  EXPECT_EQ(emitted[3].frame().header().sequence(), 3U);
}

TEST_F(OutboxOfC1, EverythingCarriesTheCauseThatWasSetWhenItWasEmitted) {
  outbox_.set_cause(cause_of(wire::Cause::START, 0));
  outbox_.request("B1", "C1", heartbeat());
  outbox_.set_cause(cause_of(wire::Cause::FRAME, 7));
  outbox_.report(events::make(events::kClientClosed, {}));
  const std::vector<wire::Emission> emitted = outbox_.take();
  EXPECT_EQ(emitted.at(0).cause().kind(), wire::Cause::START);
  EXPECT_EQ(emitted.at(1).cause().kind(), wire::Cause::FRAME);
  EXPECT_EQ(emitted.at(1).cause().tick(), 7);
}

TEST_F(OutboxOfC1, TakingEmptiesItAndSequencesGoOn) {
  outbox_.request("B1", "C1", heartbeat());
  EXPECT_EQ(outbox_.take().size(), 1U);
  EXPECT_TRUE(outbox_.take().empty());
  outbox_.request("B1", "C1", heartbeat());
  EXPECT_EQ(outbox_.take().at(0).frame().header().sequence(), 2U);
}

TEST_F(OutboxOfC1, ARequestsIdentityIsItsSourceItsLifeAndItsCorrelationId) {
  outbox_.request("B1", "C1", heartbeat());
  const RequestId id = request_id_of(outbox_.take().at(0).frame());
  EXPECT_EQ(id, (RequestId{"C1", Incarnation(3), 1}));
}

}  // namespace
}  // namespace fencepost
