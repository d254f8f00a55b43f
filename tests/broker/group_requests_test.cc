// Every request in every state of a group (group-protocol 1.5 and 2): the error code, or that the
// request is parked, and the state that the group is in afterwards.
#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <string>

#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

enum class Request { kJoin, kSync, kHeartbeat, kLeave, kCommit, kCommitUnknownTopic };
enum class Who {
  kNobody,  // member id ""
  kLeader,
  kFollower,
  kStranger,  // an id that was never given
  kPending,   // an id that was handed out, before its join
};
enum class With {
  kRight,  // the group's generation, the same protocols
  kWrongGeneration,
  kNoGeneration,
  kOtherMetadata,
  kOtherProtocol,  // one that no other member lists
  kOtherType,
  kNoProtocols,
  kShortSession,
  kNoGroup,  // group id ""
};

// The cells say "code state": a number or "-" for parked, then the first letter of the state; A for
// absent.
struct RequestCase {
  const char* name;
  Request request;
  Who who;
  With with;
  std::array<const char*, 6> cells;  // absent, Empty, Preparing, Completing, Stable, Dead
};

std::ostream& operator<<(std::ostream& out, const RequestCase& row) { return out << row.name; }

constexpr std::array kStates = {"A", "E", "P", "C", "S", "D"};

// In PreparingRebalance the leader has rejoined and the follower has not.
constexpr RequestCase kRequestCases[] = {
    {"JoinWithoutId",
     Request::kJoin,
     Who::kNobody,
     With::kRight,
     {"79 E", "79 E", "79 P", "79 C", "79 S", "15 D"}},
    {"JoinWithoutIdAndOtherType",
     Request::kJoin,
     Who::kNobody,
     With::kOtherType,
     {"79 E", "79 E", "23 P", "23 C", "23 S", "15 D"}},
    {"JoinWithoutIdAndOtherProtocol",
     Request::kJoin,
     Who::kNobody,
     With::kOtherProtocol,
     {"79 E", "79 E", "23 P", "23 C", "23 S", "15 D"}},
    {"JoinWithoutIdAndNoProtocols",
     Request::kJoin,
     Who::kNobody,
     With::kNoProtocols,
     {"23 E", "23 E", "23 P", "23 C", "23 S", "15 D"}},
    {"JoinWithShortSession",
     Request::kJoin,
     Who::kNobody,
     With::kShortSession,
     {"26 A", "26 E", "26 P", "26 C", "26 S", "26 D"}},
    {"JoinWithoutGroup",
     Request::kJoin,
     Who::kNobody,
     With::kNoGroup,
     {"24 A", "24 E", "24 P", "24 C", "24 S", "24 D"}},
    {"JoinOfPending",
     Request::kJoin,
     Who::kPending,
     With::kRight,
     {"25 A", "- P", "- P", "- P", "- P", "15 D"}},
    {"JoinOfPendingWithOtherProtocol",
     Request::kJoin,
     Who::kPending,
     With::kOtherProtocol,
     {"25 A", "- P", "23 P", "23 C", "23 S", "15 D"}},
    {"JoinOfStranger",
     Request::kJoin,
     Who::kStranger,
     With::kRight,
     {"25 A", "25 E", "25 P", "25 C", "25 S", "15 D"}},
    {"JoinOfFollower",
     Request::kJoin,
     Who::kFollower,
     With::kRight,
     {"25 A", "25 E", "0 C", "0 C", "0 S", "15 D"}},
    {"JoinOfFollowerWithOtherMetadata",
     Request::kJoin,
     Who::kFollower,
     With::kOtherMetadata,
     {"25 A", "25 E", "0 C", "- P", "- P", "15 D"}},
    {"JoinOfFollowerWithOtherProtocol",
     Request::kJoin,
     Who::kFollower,
     With::kOtherProtocol,
     {"25 A", "25 E", "23 P", "23 C", "23 S", "15 D"}},
    {"JoinOfLeader",
     Request::kJoin,
     Who::kLeader,
     With::kRight,
     {"25 A", "25 E", "- P", "0 C", "- P", "15 D"}},
    {"JoinOfLeaderWithOtherMetadata",
     Request::kJoin,
     Who::kLeader,
     With::kOtherMetadata,
     {"25 A", "25 E", "- P", "- P", "- P", "15 D"}},

    {"SyncOfFollower",
     Request::kSync,
     Who::kFollower,
     With::kRight,
     {"25 A", "25 E", "27 P", "- C", "0 S", "15 D"}},
    {"SyncOfLeader",
     Request::kSync,
     Who::kLeader,
     With::kRight,
     {"25 A", "25 E", "27 P", "0 S", "0 S", "15 D"}},
    {"SyncOfStranger",
     Request::kSync,
     Who::kStranger,
     With::kRight,
     {"25 A", "25 E", "25 P", "25 C", "25 S", "15 D"}},
    {"SyncOfPending",
     Request::kSync,
     Who::kPending,
     With::kRight,
     {"25 A", "25 E", "25 P", "25 C", "25 S", "15 D"}},
    {"SyncWithWrongGeneration",
     Request::kSync,
     Who::kFollower,
     With::kWrongGeneration,
     {"25 A", "25 E", "22 P", "22 C", "22 S", "15 D"}},
    {"SyncWithOtherProtocol",
     Request::kSync,
     Who::kFollower,
     With::kOtherProtocol,
     {"25 A", "25 E", "23 P", "23 C", "23 S", "15 D"}},
    {"SyncWithOtherType",
     Request::kSync,
     Who::kFollower,
     With::kOtherType,
     {"25 A", "25 E", "23 P", "23 C", "23 S", "15 D"}},
    {"SyncWithoutProtocol",
     Request::kSync,
     Who::kFollower,
     With::kNoProtocols,
     {"23 A", "23 E", "23 P", "23 C", "23 S", "23 D"}},
    {"SyncWithoutGroup",
     Request::kSync,
     Who::kFollower,
     With::kNoGroup,
     {"24 A", "24 E", "24 P", "24 C", "24 S", "24 D"}},

    {"HeartbeatOfFollower",
     Request::kHeartbeat,
     Who::kFollower,
     With::kRight,
     {"25 A", "25 E", "27 P", "0 C", "0 S", "15 D"}},
    {"HeartbeatOfLeader",
     Request::kHeartbeat,
     Who::kLeader,
     With::kRight,
     {"25 A", "25 E", "27 P", "0 C", "0 S", "15 D"}},
    {"HeartbeatOfStranger",
     Request::kHeartbeat,
     Who::kStranger,
     With::kRight,
     {"25 A", "25 E", "25 P", "25 C", "25 S", "15 D"}},
    {"HeartbeatOfPending",
     Request::kHeartbeat,
     Who::kPending,
     With::kRight,
     {"25 A", "25 E", "25 P", "25 C", "25 S", "15 D"}},
    {"HeartbeatWithWrongGeneration",
     Request::kHeartbeat,
     Who::kFollower,
     With::kWrongGeneration,
     {"25 A", "25 E", "22 P", "22 C", "22 S", "15 D"}},
    {"HeartbeatOfStrangerWithWrongGeneration",
     Request::kHeartbeat,
     Who::kStranger,
     With::kWrongGeneration,
     {"25 A", "25 E", "25 P", "25 C", "25 S", "15 D"}},
    {"HeartbeatWithoutGroup",
     Request::kHeartbeat,
     Who::kFollower,
     With::kNoGroup,
     {"24 A", "24 E", "24 P", "24 C", "24 S", "24 D"}},

    {"LeaveOfFollower",
     Request::kLeave,
     Who::kFollower,
     With::kRight,
     {"25 A", "25 E", "0 C", "0 P", "0 P", "15 D"}},
    {"LeaveOfLeader",
     Request::kLeave,
     Who::kLeader,
     With::kRight,
     {"25 A", "25 E", "0 P", "0 P", "0 P", "15 D"}},
    {"LeaveOfStranger",
     Request::kLeave,
     Who::kStranger,
     With::kRight,
     {"25 A", "25 E", "25 P", "25 C", "25 S", "15 D"}},
    {"LeaveOfPending",
     Request::kLeave,
     Who::kPending,
     With::kRight,
     {"25 A", "0 E", "0 P", "0 P", "0 P", "15 D"}},
    {"LeaveOfNobody",
     Request::kLeave,
     Who::kNobody,
     With::kRight,
     {"25 A", "25 E", "25 P", "25 C", "25 S", "15 D"}},
    {"LeaveWithoutGroup",
     Request::kLeave,
     Who::kFollower,
     With::kNoGroup,
     {"24 A", "24 E", "24 P", "24 C", "24 S", "24 D"}},

    {"CommitOfFollower",
     Request::kCommit,
     Who::kFollower,
     With::kRight,
     {"69 A", "25 E", "0 P", "27 C", "0 S", "15 D"}},
    {"CommitWithWrongGeneration",
     Request::kCommit,
     Who::kFollower,
     With::kWrongGeneration,
     {"69 A", "25 E", "22 P", "22 C", "22 S", "15 D"}},
    {"CommitOfStranger",
     Request::kCommit,
     Who::kStranger,
     With::kRight,
     {"69 A", "25 E", "25 P", "25 C", "25 S", "15 D"}},
    {"CommitOfPending",
     Request::kCommit,
     Who::kPending,
     With::kRight,
     {"69 A", "25 E", "25 P", "25 C", "25 S", "15 D"}},
    {"CommitWithoutIdentity",
     Request::kCommit,
     Who::kNobody,
     With::kNoGeneration,
     {"0 E", "0 E", "25 P", "25 C", "25 S", "15 D"}},
    {"CommitWithoutGeneration",
     Request::kCommit,
     Who::kFollower,
     With::kNoGeneration,
     {"0 E", "0 E", "22 P", "22 C", "22 S", "15 D"}},
    {"CommitOfNobodyWithGeneration",
     Request::kCommit,
     Who::kNobody,
     With::kRight,
     {"69 A", "25 E", "25 P", "25 C", "25 S", "15 D"}},
    {"CommitForUnknownTopic",
     Request::kCommitUnknownTopic,
     Who::kFollower,
     With::kRight,
     {"3 A", "3 E", "3 P", "3 C", "3 S", "3 D"}},
};

class GroupRequests : public testing::TestWithParam<RequestCase> {
 protected:
  // Brings the group into a state, with a leader C1 and a follower C2.
  void arrange(const std::string& state, bool with_pending) {
    if (state == "A") {
      members_ = {{"C1", "C1-gone"}, {"C2", "C2-gone"}};
      return;
    }
    members_ =
        state == "C" ? world_.completing_group({"C1", "C2"}) : world_.stable_group({"C1", "C2"});
    if (with_pending) pending_ = world_.reserve("C3");
    if (state == "P") world_.join(members_[0]);
    if (state == "E") {
      world_.leave(members_);
      world_.settle();  // with an id reserved, the join phase of nobody ends by its timer
    }
    if (state == "D") {
      Turn turn{Tick(world_.now()), {}, {}};
      world_.core().groups().unload("billing", turn);
    }
    ASSERT_EQ(world_.state(), state);
  }

  TestMember who(Who who) const {
    switch (who) {
      case Who::kNobody:
        return {"C9", ""};
      case Who::kLeader:
        return members_[0];
      case Who::kFollower:
        return members_[1];
      case Who::kStranger:
        return {"C9", "C9-unknown"};
      case Who::kPending:
        return pending_;
    }
    return {};
  }

  std::int32_t send(const RequestCase& row) {
    const TestMember member = who(row.who);
    wire::Frame frame;
    const std::int32_t current = world_.group() == nullptr ? 1 : world_.generation();
    std::int32_t generation = current;
    if (row.with == With::kWrongGeneration) generation = current - 1;
    if (row.with == With::kNoGeneration) generation = -1;
    switch (row.request) {
      case Request::kJoin:
        return send_join(member, row.with);
      case Request::kSync:
        return send_sync(member, generation, row.with);
      case Request::kHeartbeat:
        frame.mutable_heartbeat_request()->set_group_id(group_id(row.with));
        frame.mutable_heartbeat_request()->set_member_id(member.id);
        frame.mutable_heartbeat_request()->set_generation_id(generation);
        return world_.send(member.client, frame);
      case Request::kLeave:
        frame.mutable_leave_group_request()->set_group_id(group_id(row.with));
        frame.mutable_leave_group_request()->add_members()->set_member_id(member.id);
        return world_.send(member.client, frame);
      case Request::kCommit:
        return world_.commit(member, generation, "orders", 0, 5);
      case Request::kCommitUnknownTopic:
        return world_.commit(member, generation, "orders", 3, 5);
    }
    return 0;
  }

  std::int32_t send_join(const TestMember& member, With with) {
    JoinTerms terms;
    if (with == With::kOtherMetadata) terms.metadata = "other";
    if (with == With::kOtherProtocol) terms.protocols = {"roundrobin"};
    if (with == With::kOtherType) terms.type = "connect";
    if (with == With::kNoProtocols) terms.protocols.clear();
    if (with == With::kShortSession) terms.session_ms = 5999;
    terms.group = group_id(with);
    return world_.join(member, terms);
  }

  std::int32_t send_sync(const TestMember& member, std::int32_t generation, With with) {
    wire::Frame frame;
    auto* const request = frame.mutable_sync_group_request();
    request->set_group_id(group_id(with));
    request->set_member_id(member.id);
    request->set_generation_id(generation);
    if (with != With::kNoProtocols) {
      request->set_protocol_type(with == With::kOtherType ? "connect" : "consumer");
      request->set_protocol_name(with == With::kOtherProtocol ? "roundrobin" : "range");
    }
    return world_.send(member.client, frame);
  }

  static std::string group_id(With with) { return with == With::kNoGroup ? "" : "billing"; }

  void check(const std::string& state, const std::string& cell) {
    SCOPED_TRACE("in state " + state);
    const RequestCase& row = GetParam();
    world_ = GroupWorld();
    arrange(state, row.who == Who::kPending && state != "A");
    const std::int32_t request = send(row);
    const std::string outcome =
        world_.parked(request) ? "-" : std::to_string(to_wire(world_.error(request)));
    EXPECT_EQ(outcome + " " + world_.state(), cell);
  }

  GroupWorld world_;
  std::vector<TestMember> members_;
  TestMember pending_{"C3", "C3-unknown"};
};

TEST_P(GroupRequests, AreAnsweredAsTheTableSays) {
  for (std::size_t i = 0; i < kStates.size(); ++i) check(kStates[i], GetParam().cells[i]);
}

INSTANTIATE_TEST_SUITE_P(EveryState, GroupRequests, testing::ValuesIn(kRequestCases),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace fencepost::broker
