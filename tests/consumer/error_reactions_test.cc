// What a member does about each error (group-protocol 3.5), row by row: what it asks next, whether
// it keeps its id, whether its partitions are revoked or lost, or whether the application ends.
#include <gtest/gtest.h>

#include "tests/common/error_replies.h"
#include "tests/consumer/consumer_world.h"

namespace fencepost::consumer {
namespace {

enum class Then {
  kSameIdAtOnce,      // JoinGroup with its id in the tick of the answer
  kSameIdLater,       // the same after retry.backoff.ms
  kNewIdAtOnce,       // JoinGroup without an id in the tick of the answer
  kFindsCoordinator,  // FindCoordinator first, then with its id
  kFatal,             // the error is thrown and the application ends
};

struct JoinRow {
  const char* name;
  ErrorCode error;  // kNetworkException stands for a broken connection
  Then then;
};

void check_rejoin(ConsumerWorld& world, Api api, const JoinRow& row) {
  // The second JoinGroup and the SyncGroup are the first requests that a member can be refused for.
  world.run_to(api == Api::kJoinGroupRequest ? 3 : 5);
  if (row.error == ErrorCode::kNetworkException) {
    world.next(api, disconnected());
  } else {
    world.next(api, refuse(row.error));
  }
  const std::int64_t answered = api == Api::kJoinGroupRequest ? 6 : 8;
  world.run_to(40);
  if (row.then == Then::kFatal) {
    EXPECT_EQ(world.exit_code(), 1);
    const auto errors = world.events_named(events::kClientError);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].value("error"), name_of(row.error));
    return;
  }
  EXPECT_TRUE(world.states().ends_with("STABLE")) << world.states();
  const auto joins = world.requests_of(Api::kJoinGroupRequest);
  constexpr std::size_t kIndex = 2;  // after the one without an id and the one with it
  ASSERT_GT(joins.size(), kIndex);
  const bool new_id = row.then == Then::kNewIdAtOnce;
  EXPECT_EQ(joins[kIndex].frame.join_group_request().member_id(), new_id ? "" : "member-1");
  const std::size_t lookups = world.requests_of(Api::kFindCoordinatorRequest).size();
  EXPECT_EQ(lookups, row.then == Then::kFindsCoordinator ? 2U : 1U);
  if (row.then == Then::kSameIdAtOnce || new_id) {
    EXPECT_EQ(joins[kIndex].tick, answered);
  } else {
    EXPECT_GT(joins[kIndex].tick, answered);
  }
}

class JoinErrors : public testing::TestWithParam<JoinRow> {};

TEST_P(JoinErrors, AreReactedToAsKafkaDoes) {
  ConsumerWorld world;
  check_rejoin(world, Api::kJoinGroupRequest, GetParam());
}

constexpr auto kName = [](const auto& tested) { return std::string(tested.param.name); };

INSTANTIATE_TEST_SUITE_P(
    Table, JoinErrors,
    testing::Values(JoinRow{"Loading", ErrorCode::kCoordinatorLoadInProgress, Then::kSameIdLater},
                    JoinRow{"NotAvailable", ErrorCode::kCoordinatorNotAvailable,
                            Then::kFindsCoordinator},
                    JoinRow{"NotCoordinator", ErrorCode::kNotCoordinator, Then::kFindsCoordinator},
                    JoinRow{"Disconnected", ErrorCode::kNetworkException, Then::kFindsCoordinator},
                    JoinRow{"TimedOut", ErrorCode::kRequestTimedOut, Then::kFatal},
                    JoinRow{"UnknownMember", ErrorCode::kUnknownMemberId, Then::kNewIdAtOnce},
                    JoinRow{"Rebalancing", ErrorCode::kRebalanceInProgress, Then::kSameIdAtOnce},
                    JoinRow{"Fenced", ErrorCode::kFencedInstanceId, Then::kFatal},
                    JoinRow{"Inconsistent", ErrorCode::kInconsistentGroupProtocol, Then::kFatal},
                    JoinRow{"InvalidGroup", ErrorCode::kInvalidGroupId, Then::kFatal},
                    JoinRow{"InvalidSession", ErrorCode::kInvalidSessionTimeout, Then::kFatal},
                    JoinRow{"Unauthorized", ErrorCode::kGroupAuthorizationFailed, Then::kFatal},
                    JoinRow{"Full", ErrorCode::kGroupMaxSizeReached, Then::kFatal}),
    kName);

class SyncErrors : public testing::TestWithParam<JoinRow> {};

TEST_P(SyncErrors, AreReactedToAsKafkaDoes) {
  ConsumerWorld world;
  check_rejoin(world, Api::kSyncGroupRequest, GetParam());
  EXPECT_TRUE(world.events_named(events::kPartitionsRevoked).empty()) << "nothing was owned";
}

INSTANTIATE_TEST_SUITE_P(
    Table, SyncErrors,
    testing::Values(
        JoinRow{"Loading", ErrorCode::kCoordinatorLoadInProgress, Then::kFatal},
        JoinRow{"NotAvailable", ErrorCode::kCoordinatorNotAvailable, Then::kFindsCoordinator},
        JoinRow{"NotCoordinator", ErrorCode::kNotCoordinator, Then::kFindsCoordinator},
        JoinRow{"Disconnected", ErrorCode::kNetworkException, Then::kFindsCoordinator},
        JoinRow{"TimedOut", ErrorCode::kRequestTimedOut, Then::kFatal},
        JoinRow{"IllegalGeneration", ErrorCode::kIllegalGeneration, Then::kSameIdAtOnce},
        JoinRow{"UnknownMember", ErrorCode::kUnknownMemberId, Then::kNewIdAtOnce},
        JoinRow{"Rebalancing", ErrorCode::kRebalanceInProgress, Then::kSameIdAtOnce},
        JoinRow{"Fenced", ErrorCode::kFencedInstanceId, Then::kFatal},
        JoinRow{"Inconsistent", ErrorCode::kInconsistentGroupProtocol, Then::kFatal},
        JoinRow{"InvalidGroup", ErrorCode::kInvalidGroupId, Then::kFatal},
        JoinRow{"InvalidSession", ErrorCode::kInvalidSessionTimeout, Then::kFatal},
        JoinRow{"Full", ErrorCode::kGroupMaxSizeReached, Then::kFatal},
        JoinRow{"Unauthorized", ErrorCode::kGroupAuthorizationFailed, Then::kFatal}),
    kName);

enum class Fate { kNothing, kRejoins, kLosesKeepsId, kLosesAll, kLooksUp, kEnds };

struct HeartbeatRow {
  const char* name;
  ErrorCode error;
  Fate fate;
};

class HeartbeatErrors : public testing::TestWithParam<HeartbeatRow> {};

TEST_P(HeartbeatErrors, AreReactedToAsKafkaDoes) {
  const HeartbeatRow& row = GetParam();
  ConsumerWorld world;
  world.settle();
  const bool broken = row.error == ErrorCode::kNetworkException;
  world.next(Api::kHeartbeatRequest,
             broken ? [](const wire::Frame&) { return disconnected(); } : refuse(row.error));
  world.run_to(40);
  const auto joins = world.requests_of(Api::kJoinGroupRequest);
  const bool lost = row.fate == Fate::kLosesKeepsId || row.fate == Fate::kLosesAll;
  EXPECT_EQ(world.events_named(events::kPartitionsLost).size(), lost ? 1U : 0U);
  EXPECT_EQ(world.events_named(events::kPartitionsRevoked).size(),
            row.fate == Fate::kRejoins ? 1U : 0U);
  EXPECT_EQ(world.requests_of(Api::kFindCoordinatorRequest).size(),
            row.fate == Fate::kLooksUp ? 2U : 1U);
  EXPECT_EQ(world.exit_code().has_value(), row.fate == Fate::kEnds);
  if (row.fate == Fate::kRejoins || lost) {
    ASSERT_GE(joins.size(), 3U);
    EXPECT_EQ(joins[2].frame.join_group_request().member_id(),
              row.fate == Fate::kLosesAll ? "" : "member-1");
    EXPECT_TRUE(world.states().ends_with("STABLE")) << world.states();
  } else if (row.fate != Fate::kEnds) {
    EXPECT_EQ(joins.size(), 2U);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, HeartbeatErrors,
    testing::Values(
        HeartbeatRow{"Loading", ErrorCode::kCoordinatorLoadInProgress, Fate::kNothing},
        HeartbeatRow{"NotAvailable", ErrorCode::kCoordinatorNotAvailable, Fate::kLooksUp},
        HeartbeatRow{"NotCoordinator", ErrorCode::kNotCoordinator, Fate::kLooksUp},
        HeartbeatRow{"Disconnected", ErrorCode::kNetworkException, Fate::kLooksUp},
        HeartbeatRow{"TimedOut", ErrorCode::kRequestTimedOut, Fate::kNothing},
        HeartbeatRow{"IllegalGeneration", ErrorCode::kIllegalGeneration, Fate::kLosesKeepsId},
        HeartbeatRow{"UnknownMember", ErrorCode::kUnknownMemberId, Fate::kLosesAll},
        HeartbeatRow{"Rebalancing", ErrorCode::kRebalanceInProgress, Fate::kRejoins},
        HeartbeatRow{"Fenced", ErrorCode::kFencedInstanceId, Fate::kEnds},
        HeartbeatRow{"Inconsistent", ErrorCode::kInconsistentGroupProtocol, Fate::kNothing},
        HeartbeatRow{"InvalidGroup", ErrorCode::kInvalidGroupId, Fate::kNothing},
        HeartbeatRow{"InvalidSession", ErrorCode::kInvalidSessionTimeout, Fate::kNothing},
        HeartbeatRow{"Full", ErrorCode::kGroupMaxSizeReached, Fate::kNothing},
        HeartbeatRow{"Unauthorized", ErrorCode::kGroupAuthorizationFailed, Fate::kNothing}),
    kName);

enum class Commit { kRepeated, kRepeatedElsewhere, kLosesKeepsId, kLosesAll, kRejoins, kEnds };

struct CommitRow {
  const char* name;
  ErrorCode error;
  Commit commit;
  const char* exception;
};

class CommitErrors : public testing::TestWithParam<CommitRow> {};

TEST_P(CommitErrors, AreReactedToAsKafkaDoes) {
  const CommitRow& row = GetParam();
  ConsumerWorld world(Settings{{"max.poll.interval.ms", "20000"}});
  world.broker().write("orders", 0, {"o0.0"});
  const bool broken = row.error == ErrorCode::kNetworkException;
  world.next(Api::kOffsetCommitRequest,
             broken ? [](const wire::Frame&) { return disconnected(); } : refuse(row.error));
  world.run_to(60);
  const auto failed = world.events_named(events::kCommitFailed);
  const bool repeated = row.commit == Commit::kRepeated || row.commit == Commit::kRepeatedElsewhere;
  EXPECT_EQ(failed.size(), repeated ? 0U : 1U);
  for (const auto& told : failed) EXPECT_EQ(told.value("exception"), row.exception);
  EXPECT_EQ(world.requests_of(Api::kFindCoordinatorRequest).size(),
            row.commit == Commit::kRepeatedElsewhere ? 2U : 1U);
  EXPECT_EQ(world.exit_code().has_value(), row.commit == Commit::kEnds);
  if (row.commit == Commit::kEnds) return;
  EXPECT_EQ((world.broker().committed[{"orders", 0}]), 1) << "in the end it is committed";
  const bool lost = row.commit == Commit::kLosesAll || row.commit == Commit::kLosesKeepsId;
  EXPECT_EQ(world.events_named(events::kPartitionsLost).size(), lost ? 1U : 0U);
  EXPECT_EQ(world.events_named(events::kRecordProcessed).size(), repeated ? 1U : 2U)
      << "what is not committed is processed again";
  const auto joins = world.requests_of(Api::kJoinGroupRequest);
  if (repeated) {
    EXPECT_EQ(joins.size(), 2U);
  } else {
    ASSERT_GE(joins.size(), 3U);
    EXPECT_EQ(joins[2].frame.join_group_request().member_id(),
              row.commit == Commit::kLosesAll ? "" : "member-1");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, CommitErrors,
    testing::Values(
        CommitRow{"Loading", ErrorCode::kCoordinatorLoadInProgress, Commit::kRepeated, ""},
        CommitRow{"UnknownPartition", ErrorCode::kUnknownTopicOrPartition, Commit::kRepeated, ""},
        CommitRow{"NotAvailable", ErrorCode::kCoordinatorNotAvailable, Commit::kRepeatedElsewhere,
                  ""},
        CommitRow{"NotCoordinator", ErrorCode::kNotCoordinator, Commit::kRepeatedElsewhere, ""},
        CommitRow{"TimedOut", ErrorCode::kRequestTimedOut, Commit::kRepeatedElsewhere, ""},
        CommitRow{"Disconnected", ErrorCode::kNetworkException, Commit::kRepeatedElsewhere, ""},
        CommitRow{"IllegalGeneration", ErrorCode::kIllegalGeneration, Commit::kLosesKeepsId,
                  "CommitFailedException"},
        CommitRow{"UnknownMember", ErrorCode::kUnknownMemberId, Commit::kLosesAll,
                  "CommitFailedException"},
        CommitRow{"Rebalancing", ErrorCode::kRebalanceInProgress, Commit::kRejoins,
                  "RebalanceInProgressException"},
        CommitRow{"Fenced", ErrorCode::kFencedInstanceId, Commit::kEnds,
                  "FencedInstanceIdException"},
        CommitRow{"TooLarge", ErrorCode::kOffsetMetadataTooLarge, Commit::kEnds,
                  "OffsetMetadataTooLarge"},
        CommitRow{"InvalidSize", ErrorCode::kInvalidCommitOffsetSize, Commit::kEnds,
                  "InvalidCommitOffsetSizeException"},
        CommitRow{"Unauthorized", ErrorCode::kGroupAuthorizationFailed, Commit::kEnds,
                  "GroupAuthorizationException"},
        CommitRow{"Inconsistent", ErrorCode::kInconsistentGroupProtocol, Commit::kEnds,
                  "KafkaException"},
        CommitRow{"InvalidGroup", ErrorCode::kInvalidGroupId, Commit::kEnds, "KafkaException"},
        CommitRow{"NoSuchGroup", ErrorCode::kGroupIdNotFound, Commit::kEnds, "KafkaException"}),
    kName);

struct FetchRow {
  const char* name;
  ErrorCode error;
  Then then;  // kSameIdLater: asked again; kFindsCoordinator; kFatal
};

class OffsetFetchErrors : public testing::TestWithParam<FetchRow> {};

TEST_P(OffsetFetchErrors, AreReactedToAsKafkaDoes) {
  const FetchRow& row = GetParam();
  ConsumerWorld world;
  world.broker().committed[{"orders", 0}] = 1;
  world.broker().write("orders", 0, {"o0.0", "o0.1"});
  const bool broken = row.error == ErrorCode::kNetworkException;
  world.next(Api::kOffsetFetchRequest,
             broken ? [](const wire::Frame&) { return disconnected(); } : refuse(row.error));
  world.run_to(40);
  EXPECT_EQ(world.exit_code().has_value(), row.then == Then::kFatal);
  EXPECT_EQ(world.requests_of(Api::kFindCoordinatorRequest).size(),
            row.then == Then::kFindsCoordinator ? 2U : 1U);
  if (row.then == Then::kFatal) return;
  const auto processed = world.events_named(events::kRecordProcessed);
  ASSERT_EQ(processed.size(), 1U);
  EXPECT_EQ(processed[0].value("record"), "o0.1");
}

INSTANTIATE_TEST_SUITE_P(
    Table, OffsetFetchErrors,
    testing::Values(FetchRow{"Loading", ErrorCode::kCoordinatorLoadInProgress, Then::kSameIdLater},
                    FetchRow{"TimedOut", ErrorCode::kRequestTimedOut, Then::kSameIdLater},
                    FetchRow{"Unstable", ErrorCode::kUnstableOffsetCommit, Then::kSameIdLater},
                    FetchRow{"NotAvailable", ErrorCode::kCoordinatorNotAvailable,
                             Then::kFindsCoordinator},
                    FetchRow{"NotCoordinator", ErrorCode::kNotCoordinator, Then::kFindsCoordinator},
                    FetchRow{"Disconnected", ErrorCode::kNetworkException, Then::kFindsCoordinator},
                    FetchRow{"Inconsistent", ErrorCode::kInconsistentGroupProtocol, Then::kFatal},
                    FetchRow{"InvalidGroup", ErrorCode::kInvalidGroupId, Then::kFatal},
                    FetchRow{"UnknownPartition", ErrorCode::kUnknownTopicOrPartition, Then::kFatal},
                    FetchRow{"Unauthorized", ErrorCode::kGroupAuthorizationFailed, Then::kFatal}),
    kName);

TEST(FindCoordinatorErrors, AreRepeatedAfterAPause) {
  ConsumerWorld world;
  world.next(Api::kFindCoordinatorRequest, refuse(ErrorCode::kCoordinatorNotAvailable));
  world.next(Api::kFindCoordinatorRequest, disconnected());
  world.run_to(40);
  const auto lookups = world.requests_of(Api::kFindCoordinatorRequest);
  ASSERT_EQ(lookups.size(), 3U);
  EXPECT_EQ(lookups[1].tick - lookups[0].tick, 3) << "two for the answer, one for the backoff";
  EXPECT_TRUE(world.states().ends_with("STABLE"));
}

TEST(FindCoordinatorErrors, WithoutAnyBrokerTheClientGoesOnAskingAtLeisure) {
  ConsumerWorld world;
  world.always(Api::kMetadataRequest, [](const wire::Frame&) { return disconnected(); });
  world.run_to(30);
  const std::size_t asked = world.requests_of(Api::kMetadataRequest).size();
  EXPECT_GE(asked, 8U);
  EXPECT_LE(asked, 11U);
}

}  // namespace
}  // namespace fencepost::consumer
