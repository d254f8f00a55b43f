// Connections and link faults: the fate of each frame.
#include "clock/core/network.h"

#include <gtest/gtest.h>

namespace fencepost::test {
namespace {

using clock::Fate;
using clock::Network;
using clock::ParticipantId;

constexpr Incarnation kFirst{1};
constexpr Incarnation kSecond{2};

wire::Frame request(const std::string& from, const std::string& to, std::int32_t correlation_id) {
  wire::Frame frame;
  frame.mutable_header()->set_source(from);
  frame.mutable_header()->set_source_incarnation(1);
  frame.mutable_header()->set_destination(to);
  frame.mutable_header()->set_correlation_id(correlation_id);
  frame.mutable_heartbeat_request();
  return frame;
}

wire::Frame response(const std::string& from, const std::string& to, std::int32_t correlation_id) {
  wire::Frame frame = request(from, to, correlation_id);
  frame.mutable_header()->set_destination_incarnation(1);
  frame.mutable_heartbeat_response();
  return frame;
}

wire::Action fault(wire::Action::Kind kind, std::int64_t ticks = 0) {
  wire::Action action;
  action.set_kind(kind);
  action.set_ticks(ticks);
  return action;
}

class Links : public testing::Test {
 protected:
  Links() {
    network_.joined({"A", kFirst});
    network_.joined({"B", kFirst});
  }
  Fate ask(std::int64_t tick) {
    return network_.route(request("A", "B", ++correlation_), Tick(tick));
  }
  Network network_{7};
  std::int32_t correlation_ = 0;
};

TEST_F(Links, DeliverInOneTick) { EXPECT_EQ(ask(3).arrival, Tick(4)); }

TEST_F(Links, KeepTheOrderOfAConnectionBehindADelayedFrame) {
  wire::Action delay = fault(wire::Action::DELAY, 5);
  delay.mutable_link()->set_times(1);
  network_.add_fault(delay, 0);
  EXPECT_EQ(ask(0).arrival, Tick(6));
  EXPECT_EQ(ask(1).arrival, Tick(6));
  EXPECT_EQ(ask(9).arrival, Tick(10));
}

TEST_F(Links, ReorderLetsLaterFramesOvertake) {
  wire::Action reorder = fault(wire::Action::REORDER, 5);
  reorder.mutable_link()->set_times(1);
  network_.add_fault(reorder, 0);
  EXPECT_EQ(ask(0).arrival, Tick(6));
  EXPECT_EQ(ask(1).arrival, Tick(2));
}

TEST_F(Links, TheFirstMatchingFaultWins) {
  wire::Action elsewhere = fault(wire::Action::DROP);
  elsewhere.mutable_link()->add_to("Z");
  network_.add_fault(elsewhere, 0);
  network_.add_fault(fault(wire::Action::DELAY, 2), 0);
  network_.add_fault(fault(wire::Action::DROP), 0);
  EXPECT_EQ(ask(0).kind, wire::Packet::ARRIVES);
  EXPECT_EQ(ask(0).arrival, Tick(3));
}

TEST_F(Links, ADropTakesAsManyFramesAsItSays) {
  wire::Action drop = fault(wire::Action::DROP);
  drop.mutable_link()->set_times(2);
  network_.add_fault(drop, 0);
  EXPECT_EQ(ask(0).kind, wire::Packet::DROPPED);
  EXPECT_EQ(ask(0).kind, wire::Packet::DROPPED);
  EXPECT_EQ(ask(0).kind, wire::Packet::ARRIVES);
}

TEST_F(Links, ADropMayConcernOnlyTheAnswersOfOneApi) {
  wire::Action drop = fault(wire::Action::DROP);
  drop.mutable_link()->add_api("Heartbeat");
  drop.mutable_link()->set_response(true);
  network_.add_fault(drop, 0);
  EXPECT_EQ(ask(0).kind, wire::Packet::ARRIVES);
  EXPECT_EQ(network_.route(response("B", "A", 1), Tick(1)).kind, wire::Packet::DROPPED);
}

TEST_F(Links, SayWhichRuleLostOrDelayedAFrame) {
  EXPECT_EQ(ask(0).rule, std::nullopt);
  wire::Action drop = fault(wire::Action::DROP);
  drop.mutable_link()->set_times(1);
  network_.add_fault(drop, 4);
  network_.add_fault(fault(wire::Action::DELAY, 2), 7);
  EXPECT_EQ(ask(0).rule, 4);
  EXPECT_EQ(ask(0).rule, 7);
}

TEST_F(Links, APartitionSeparatesSidesUntilItIsHealed) {
  wire::Action partition = fault(wire::Action::PARTITION);
  partition.add_sides()->add_processes("A");
  partition.add_sides()->add_processes("B");
  network_.joined({"C", kFirst});
  network_.add_fault(partition, 0);
  EXPECT_EQ(ask(0).kind, wire::Packet::PARTITIONED);
  EXPECT_EQ(network_.route(request("A", "C", 9), Tick(0)).kind, wire::Packet::ARRIVES);
  network_.heal();
  EXPECT_EQ(ask(1).kind, wire::Packet::ARRIVES);
}

TEST_F(Links, ADrawnFaultRepeatsWithItsSeedOnly) {
  const auto pattern = [](std::uint64_t seed) {
    Network network(seed);
    network.joined({"B", kFirst});
    wire::Action drop = fault(wire::Action::DROP);
    drop.mutable_link()->set_percent(50);
    network.add_fault(drop, 0);
    std::string fates;
    for (int i = 0; i < 64; ++i) {
      fates +=
          network.route(request("A", "B", i), Tick(0)).kind == wire::Packet::DROPPED ? 'x' : '.';
    }
    return fates;
  };
  EXPECT_EQ(pattern(1), pattern(1));
  EXPECT_NE(pattern(1), pattern(2));
}

TEST_F(Links, ADeathNamesTheRequestsThatStayUnanswered) {
  ask(0);
  ask(0);
  network_.route(response("B", "A", 1), Tick(1));
  const std::vector<clock::Parting> partings = network_.died({"B", kFirst}, Tick(2));
  ASSERT_EQ(partings.size(), 1u);
  EXPECT_EQ(partings[0].to, "A");
  ASSERT_EQ(partings[0].news.disconnected->correlation_ids_size(), 1);
  EXPECT_EQ(partings[0].news.disconnected->correlation_ids(0), 2);
  EXPECT_EQ(partings[0].news.arrival, Tick(3));
}

TEST_F(Links, TheRequestAfterADeathBindsToTheIncarnationThenActive) {
  ask(0);
  network_.died({"B", kFirst}, Tick(1));
  EXPECT_EQ(ask(1).kind, wire::Packet::REFUSED);
  network_.joined({"B", kSecond});
  EXPECT_EQ(ask(2).kind, wire::Packet::ARRIVES);
  wire::Frame late = response("B", "A", 1);
  late.mutable_header()->set_source_incarnation(1);
  EXPECT_EQ(network_.route(late, Tick(3)).kind, wire::Packet::CLOSED);
}

}  // namespace
}  // namespace fencepost::test
