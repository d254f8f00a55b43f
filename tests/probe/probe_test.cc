// A probe with a scripted broker.
#include <gtest/gtest.h>

#include "probe/probe_node.h"
#include "tests/common/client_world.h"

namespace fencepost::probe {
namespace {

class ProbeWorld : public ClientWorld {
 public:
  explicit ProbeWorld(const char* script)
      : ClientWorld(&make_probe, Role::kProbe, {{"app.requests", script}}) {}

  // The mismatch that it has reported, as "step field: expected/found"; empty: none.
  std::string mismatch() const {
    for (const Told& told : events_named(events::kProbeMismatch)) {
      return told.value("step") + " " + told.value("field") + ": " + told.value("expected") + "/" +
             told.value("found");
    }
    return "";
  }
  bool finished() const { return !events_named(events::kProbeFinished).empty(); }
};

Reply heartbeat(ErrorCode error, std::int64_t ticks = 2) {
  wire::Frame frame;
  frame.mutable_heartbeat_response()->set_error_code(to_wire(error));
  return {.frame = frame, .disconnected = false, .ticks = ticks};
}

constexpr Api kHeartbeat = wire::Frame::kHeartbeatRequest;

TEST(Probe, SendsOneRequestAfterTheOtherAndEnds) {
  ProbeWorld world(R"([{"request": "Heartbeat", "expect": {"error_code": "NONE"}},
                       {"request": "Heartbeat", "expect": {"error_code": 25}}])");
  world.next(kHeartbeat, heartbeat(ErrorCode::kNone));
  world.next(kHeartbeat, heartbeat(ErrorCode::kUnknownMemberId));
  world.run_to(10);
  EXPECT_EQ(world.exit_code(), 0);
  EXPECT_TRUE(world.finished());
  ASSERT_EQ(world.requests().size(), 2U);
  EXPECT_EQ(world.requests()[0].tick, 0);
  EXPECT_EQ(world.requests()[1].tick, 2);
}

TEST(Probe, EndsAtTheFirstAnswerThatIsNotAsExpected) {
  ProbeWorld world(R"([{"request": "Heartbeat", "expect": {"error_code": "NONE"}},
                       {"request": "Heartbeat"}])");
  world.next(kHeartbeat, heartbeat(ErrorCode::kIllegalGeneration));
  world.run_to(10);
  EXPECT_EQ(world.exit_code(), 1);
  EXPECT_EQ(world.mismatch(), "1 error_code: NONE/ILLEGAL_GENERATION");
  EXPECT_FALSE(world.finished());
  EXPECT_EQ(world.requests().size(), 1U);
}

TEST(Probe, KeepsWhatAnAnswerSaysForLaterRequests) {
  ProbeWorld world(R"([{"request": "JoinGroup", "save": {"me": "member_id"}},
                       {"request": "Heartbeat", "body": {"member_id": "${me}"}}])");
  wire::Frame joined;
  joined.mutable_join_group_response()->set_member_id("X1-77");
  world.next(wire::Frame::kJoinGroupRequest, {.frame = joined});
  world.next(kHeartbeat, heartbeat(ErrorCode::kNone));
  world.run_to(10);
  EXPECT_EQ(world.exit_code(), 0);
  EXPECT_EQ(world.requests().back().frame.heartbeat_request().member_id(), "X1-77");
}

TEST(Probe, HasSeveralRequestsOnTheirWay) {
  ProbeWorld world(R"([{"request": "Heartbeat", "as": "slow", "wait": false},
                       {"request": "Heartbeat", "expect": {"error_code": "NONE"}},
                       {"pending": "slow"},
                       {"answer": "slow", "expect": {"error_code": 27}}])");
  world.next(kHeartbeat, heartbeat(ErrorCode::kRebalanceInProgress, 8));
  world.next(kHeartbeat, heartbeat(ErrorCode::kNone));
  world.run_to(20);
  EXPECT_EQ(world.exit_code(), 0) << world.mismatch();
  EXPECT_EQ(world.requests()[1].tick, 0);
  EXPECT_EQ(world.events_named(events::kProbeFinished).front().tick, 8);
}

TEST(Probe, SaysWhenAnAnswerCameTooEarly) {
  ProbeWorld world(R"([{"request": "Heartbeat", "as": "a", "wait": false},
                       {"pending": "a", "after": 5}])");
  world.next(kHeartbeat, heartbeat(ErrorCode::kNone));
  world.run_to(20);
  EXPECT_EQ(world.exit_code(), 1);
  EXPECT_EQ(world.mismatch(), "2 : no answer yet/an answer");
}

TEST(Probe, SendsAtItsTicks) {
  ProbeWorld world(R"([{"request": "Heartbeat", "at": 7}, {"request": "Heartbeat", "after": 3}])");
  world.always(kHeartbeat, [](const wire::Frame&) { return heartbeat(ErrorCode::kNone); });
  world.run_to(30);
  ASSERT_EQ(world.requests().size(), 2U);
  EXPECT_EQ(world.requests()[0].tick, 7);
  EXPECT_EQ(world.requests()[1].tick, 12);
}

TEST(Probe, CanExpectThatThereIsNoAnswer) {
  ProbeWorld world(R"([{"request": "Heartbeat", "expect": "NETWORK_EXCEPTION"},
                       {"request": "Heartbeat", "timeout.ms": 4000, "expect": "REQUEST_TIMED_OUT"},
                       {"request": "Heartbeat", "expect": "REQUEST_TIMED_OUT"}])");
  world.next(kHeartbeat, disconnected());
  world.next(kHeartbeat, lost());
  world.next(kHeartbeat, heartbeat(ErrorCode::kNone));
  world.run_to(30);
  EXPECT_EQ(world.exit_code(), 1);
  EXPECT_EQ(world.mismatch(), "3 : no answer: REQUEST_TIMED_OUT/an answer");
  EXPECT_EQ(world.requests()[2].tick, 6);
}

TEST(Probe, ClosesAtOnce) {
  ProbeWorld world(R"([{"request": "Heartbeat", "at": 20}])");
  world.run_to(5);
  world.control(wire::Control::CLOSE);
  world.run_to(10);
  EXPECT_EQ(world.exit_code(), 0);
  EXPECT_FALSE(world.finished());
}

}  // namespace
}  // namespace fencepost::probe
