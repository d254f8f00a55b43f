// Random trouble on every request, then none: whatever happened, the client recovers by itself, no
// record is lost, and every one is committed. The seed of a run that fails is in its message.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "common/random.h"
#include "tests/common/error_replies.h"
#include "tests/consumer/consumer_world.h"

namespace fencepost::consumer {
namespace {

constexpr std::int64_t kTroubleEnds = 150;
constexpr std::int64_t kCalm = 400;

// The errors of an API after which a client goes on.
std::vector<ErrorCode> survivable(Api api) {
  switch (api) {
    case Api::kJoinGroupRequest:
      return {ErrorCode::kUnknownMemberId, ErrorCode::kRebalanceInProgress,
              ErrorCode::kNotCoordinator, ErrorCode::kCoordinatorLoadInProgress};
    case Api::kSyncGroupRequest:
      return {ErrorCode::kUnknownMemberId, ErrorCode::kIllegalGeneration,
              ErrorCode::kRebalanceInProgress, ErrorCode::kNotCoordinator};
    case Api::kHeartbeatRequest:
      return {ErrorCode::kUnknownMemberId, ErrorCode::kIllegalGeneration,
              ErrorCode::kRebalanceInProgress, ErrorCode::kCoordinatorNotAvailable};
    case Api::kOffsetCommitRequest:
      return {ErrorCode::kUnknownMemberId, ErrorCode::kIllegalGeneration,
              ErrorCode::kRebalanceInProgress, ErrorCode::kNotCoordinator};
    case Api::kOffsetFetchRequest:
      return {ErrorCode::kUnstableOffsetCommit, ErrorCode::kNotCoordinator};
    case Api::kFindCoordinatorRequest:
      return {ErrorCode::kCoordinatorNotAvailable};
    case Api::kProduceRequest:
    case Api::kFetchRequest:
      return {ErrorCode::kNotLeaderOrFollower};
    default:
      return {};
  }
}

constexpr std::array kApis = std::to_array<Api>(
    {Api::kMetadataRequest, Api::kFindCoordinatorRequest, Api::kJoinGroupRequest,
     Api::kSyncGroupRequest, Api::kHeartbeatRequest, Api::kOffsetCommitRequest,
     Api::kOffsetFetchRequest, Api::kListOffsetsRequest, Api::kFetchRequest, Api::kProduceRequest});

Reply trouble(ClientWorld& world, Random& random, const wire::Frame& request) {
  const std::vector<ErrorCode> errors = survivable(request.payload_case());
  switch (random.below(8)) {
    case 0:
      return disconnected();
    case 1:
      return lost();
    case 2: {
      world.broker().answer(request);  // done, and nobody hears of it
      return lost();
    }
    case 3: {
      Reply late = world.broker().answer(request);
      late.ticks += static_cast<std::int64_t>(random.below(6));
      return late;
    }
    case 4: {
      if (errors.empty()) return world.broker().answer(request);
      Reply reply;
      reply.frame = refusal(request, errors[random.below(errors.size())]);
      return reply;
    }
    default:
      return world.broker().answer(request);
  }
}

class Storm : public testing::TestWithParam<bool> {};

TEST_P(Storm, PassesAndNothingIsLost) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const bool automatic = GetParam();
    ConsumerWorld world(Settings{{"request.timeout.ms", "5000"},
                                 {"app.producer.request.timeout.ms", "3000"},
                                 {"max.poll.interval.ms", "20000"},
                                 {"enable.auto.commit", automatic ? "true" : "false"},
                                 {"app.commit", automatic ? "none" : "after"}});
    const std::vector<std::string> records{"o0.0", "o0.1", "o0.2", "o0.3", "o0.4"};
    world.broker().write("orders", 0, records);
    Random random(seed, "storm", Incarnation(1), "trouble");
    for (const Api api : kApis) {
      world.always(api,
                   [&](const wire::Frame& request) { return trouble(world, random, request); });
    }
    world.run_to(kTroubleEnds);
    for (const Api api : kApis) world.always(api, {});
    world.broker().write("orders", 0, {"o0.5"});
    world.run_to(kTroubleEnds + kCalm);
    for (const auto& told : world.events_named(events::kClientError)) {
      ADD_FAILURE() << told.value("exception") << " in tick " << told.tick;
    }
    ASSERT_FALSE(world.exit_code());
    EXPECT_TRUE(world.states().ends_with("STABLE")) << world.states();
    EXPECT_EQ((world.broker().committed[{"orders", 0}]), 6);
    const std::vector<std::string> invoices = world.broker().log("invoices", 0);
    const std::set<std::string> different(invoices.begin(), invoices.end());
    EXPECT_EQ(different.size(), 6U);
    EXPECT_LT(world.requests().size(), 4U * (kTroubleEnds + kCalm)) << "it never spins";
  }
}

INSTANTIATE_TEST_SUITE_P(Commits, Storm, testing::Bool(), [](const auto& tested) {
  return tested.param ? std::string("Automatic") : std::string("AfterProcessing");
});

TEST(StormAtAnyTick, AMemberKilledInItLeavesNothingBehind) {
  for (std::int64_t tick = 1; tick < 120; tick += 4) {
    ConsumerWorld world(Settings{{"request.timeout.ms", "5000"}, {"enable.auto.commit", "true"}});
    world.broker().write("orders", 0, {"o0.0", "o0.1"});
    Random random(static_cast<std::uint64_t>(tick), "storm", Incarnation(1), "trouble");
    for (const Api api : kApis) {
      world.always(api,
                   [&](const wire::Frame& request) { return trouble(world, random, request); });
    }
    world.run_to(tick);
    world.kill();  // the sanitizers judge
  }
}

}  // namespace
}  // namespace fencepost::consumer
