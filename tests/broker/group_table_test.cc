// Every cell of the coordinator's table (broker/core/group_table.h) is what the machine answers,
// and docs/groups.md shows the table as it is.
#include "broker/core/group_table.h"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <ostream>
#include <sstream>

#include "tests/broker/broker_world.h"

namespace fencepost::broker {

std::ostream& operator<<(std::ostream& out, const GroupTableRow& row) {
  return out << name_of(row.api) << " of " << words_of(row.identity) << ", " << words_of(row.terms);
}

namespace {

std::string subscription_to(const std::string& topic) {
  wire::ConsumerProtocolSubscription subscription;
  subscription.add_topics(topic);
  return subscription.SerializeAsString();
}

class GroupTable : public testing::TestWithParam<GroupTableRow> {
 protected:
  static constexpr std::string_view kInstance = "i3";

  JoinTerms terms(bool is_static = false) const {
    JoinTerms terms;
    terms.metadata = subscription_to("orders");
    // Who deletes offsets has no protocol type: there it is the group that has another one.
    if (GetParam().api == GroupApi::kOffsetDelete && GetParam().terms == Terms::kOtherType) {
      terms.type = "connect";
    }
    if (is_static) terms.instance = kInstance;
    return terms;
  }

  // Everyone's first join, parked until the initial delay has passed.
  void arrange_initial() {
    leader_ = world_->reserve("C1", terms());
    follower_ = world_->reserve("C2", terms());
    world_->join(leader_, terms());
    world_->join(follower_, terms());
    world_->join({"C3", ""}, terms(true));
    static_ = {"C3", world_->group()->static_ids.at(std::string(kInstance)).value()};
  }

  void arrange_completing() {
    arrange_initial();
    world_->pass(6);  // the initial delay, and once more since others came in it
    ASSERT_EQ(state(), 'C');
  }

  void arrange_stable() {
    arrange_completing();
    world_->sync(leader_, 1, {{leader_.id, "a"}, {follower_.id, "b"}, {static_.id, "c"}});
    world_->sync(follower_, 1);
    world_->sync(static_, 1, {}, std::string(kInstance));
  }

  void arrange(char column) {
    BrokerConfig config = test_config();
    config.initial_delay_ms = 3000;
    config.retention_check_ms = 1'000'000;
    world_ = std::make_unique<GroupWorld>(config);
    if (column == 'A') return;
    if (column == 'I') {
      arrange_initial();
    } else if (column == 'C') {
      arrange_completing();
    } else {
      arrange_stable();
    }
    if (GetParam().identity == Identity::kReserved) reserved_ = world_->reserve("C4", terms());
    if (column == 'P') {
      world_->join(leader_, terms());
      world_->join(static_, terms(true));
    }
    if (column == 'E') {
      world_->leave({leader_, follower_, static_});
      // An id that was handed out keeps the join phase of nobody open, until its timer.
      world_->settle();
    }
    if (column == 'D') {
      Turn turn{Tick(world_->now()), {}, {}};
      world_->core().groups().unload("billing", turn);
    }
    ASSERT_EQ(state(), column);
  }

  // As in the table; 'I' is PreparingRebalance that was entered from Empty.
  char state() {
    const char letter = world_->state()[0];
    const bool initial = letter == 'P' && world_->group()->status.previous() == GroupState::kEmpty;
    return initial ? 'I' : letter;
  }

  struct Who {
    TestMember member;
    std::optional<std::string> instance = std::nullopt;
  };
  Who who() const {
    switch (GetParam().identity) {
      case Identity::kNobody:
        return {{"C9", ""}};
      case Identity::kLeader:
        return {leader_};
      case Identity::kFollower:
        return {follower_};
      case Identity::kStatic:
        return {static_, std::string(kInstance)};
      case Identity::kReserved:
        return {reserved_};
      case Identity::kStranger:
        return {{"C9", "C9-unknown"}};
      case Identity::kInstanceAlone:
        return {{"C3", ""}, std::string(kInstance)};
      case Identity::kFenced:
        return {follower_, std::string(kInstance)};
      case Identity::kNewInstance:
        return {{"C9", ""}, "i9"};
      case Identity::kNoInstance:
        return {follower_, "i9"};
    }
    return {};
  }

  std::int32_t generation() {
    const std::int32_t current = world_->group() == nullptr ? 1 : world_->generation();
    if (GetParam().terms == Terms::kWrongGeneration) return current + 1;
    return GetParam().terms == Terms::kNoGeneration ? -1 : current;
  }

  std::string group_id() const { return GetParam().terms == Terms::kNoGroup ? "" : "billing"; }

  void fill_join(wire::JoinGroupRequest& request) {
    const Terms with = GetParam().terms;
    request.set_group_id(group_id());
    request.set_session_timeout_ms(with == Terms::kShortSession ? 5999 : 10'000);
    request.set_rebalance_timeout_ms(30'000);
    request.set_member_id(who().member.id);
    if (who().instance) request.set_group_instance_id(*who().instance);
    request.set_protocol_type(with == Terms::kOtherType ? "connect" : "consumer");
    if (with == Terms::kNoProtocols) return;
    auto* const protocol = request.add_protocols();
    protocol->set_name(with == Terms::kOtherProtocol ? "roundrobin" : "range");
    protocol->set_metadata(subscription_to(with == Terms::kOtherMetadata ? "payments" : "orders"));
  }

  void fill_sync(wire::SyncGroupRequest& request) {
    const Terms with = GetParam().terms;
    request.set_group_id(group_id());
    request.set_generation_id(generation());
    request.set_member_id(who().member.id);
    if (who().instance) request.set_group_instance_id(*who().instance);
    if (with == Terms::kNoProtocols) return;
    request.set_protocol_type(with == Terms::kOtherType ? "connect" : "consumer");
    request.set_protocol_name(with == Terms::kOtherProtocol ? "roundrobin" : "range");
  }

  void fill_heartbeat(wire::HeartbeatRequest& request) {
    request.set_group_id(group_id());
    request.set_generation_id(generation());
    request.set_member_id(who().member.id);
    if (who().instance) request.set_group_instance_id(*who().instance);
  }

  void fill_leave(wire::LeaveGroupRequest& request) {
    request.set_group_id(group_id());
    request.add_members()->set_member_id(who().member.id);
    if (who().instance) request.mutable_members(0)->set_group_instance_id(*who().instance);
  }

  void fill_commit(wire::OffsetCommitRequest& request) {
    request.set_group_id(group_id());
    request.set_generation_id(generation());
    request.set_member_id(who().member.id);
    if (who().instance) request.set_group_instance_id(*who().instance);
    request.add_topics()->set_name("orders");
    auto* const partition = request.mutable_topics(0)->add_partitions();
    partition->set_partition_index(GetParam().terms == Terms::kUnknownTopic ? 3 : 0);
    partition->set_committed_offset(5);
    if (GetParam().terms == Terms::kLongMetadata) {
      partition->set_committed_metadata(std::string(4097, 'x'));
    }
  }

  void fill_offset_delete(wire::OffsetDeleteRequest& request) {
    request.set_group_id(group_id());
    const bool unsubscribed = GetParam().terms == Terms::kUnsubscribedTopic;
    request.add_topics()->set_name(unsubscribed ? "payments" : "orders");
    const std::int32_t partition = GetParam().terms == Terms::kUnknownTopic ? 3 : 0;
    request.mutable_topics(0)->add_partitions()->set_partition_index(partition);
  }

  wire::Frame request() {
    wire::Frame frame;
    switch (GetParam().api) {
      case GroupApi::kJoinGroup:
        fill_join(*frame.mutable_join_group_request());
        break;
      case GroupApi::kSyncGroup:
        fill_sync(*frame.mutable_sync_group_request());
        break;
      case GroupApi::kHeartbeat:
        fill_heartbeat(*frame.mutable_heartbeat_request());
        break;
      case GroupApi::kLeaveGroup:
        fill_leave(*frame.mutable_leave_group_request());
        break;
      case GroupApi::kOffsetCommit:
        fill_commit(*frame.mutable_offset_commit_request());
        break;
      case GroupApi::kOffsetFetch:
        frame.mutable_offset_fetch_request()->add_groups()->set_group_id("billing");
        break;
      case GroupApi::kDescribeGroups:
        frame.mutable_describe_groups_request()->add_groups("billing");
        break;
      case GroupApi::kDeleteGroups:
        frame.mutable_delete_groups_request()->add_groups_names("billing");
        break;
      case GroupApi::kOffsetDelete:
        fill_offset_delete(*frame.mutable_offset_delete_request());
        break;
    }
    return frame;
  }

  std::unique_ptr<GroupWorld> world_;
  TestMember leader_{"C1", "C1-gone"};
  TestMember follower_{"C2", "C2-gone"};
  TestMember static_{"C3", "i3-gone"};
  TestMember reserved_{"C4", "C4-gone"};
};

TEST_P(GroupTable, IsWhatTheMachineAnswers) {
  for (std::size_t column = 0; column < kGroupColumns.size(); ++column) {
    SCOPED_TRACE(kGroupColumns[column].name);
    arrange(kGroupColumns[column].letter);
    const std::int32_t sent = world_->send(who().member.client, request());
    const std::string answered =
        world_->parked(sent) ? "-" : std::to_string(to_wire(world_->error(sent)));
    const GroupTableCell cell = GetParam().cell(column);
    EXPECT_EQ(answered + state(), std::string(cell.code) + cell.state_after);
  }
}

std::string name_of_row(const GroupTableRow& row) {
  std::string name(name_of(row.api));
  for (const std::string_view words : {words_of(row.identity), words_of(row.terms)}) {
    bool begins = true;
    for (const char c : words) {
      const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
      if (letter) name += begins ? static_cast<char>(std::toupper(c)) : c;
      begins = !letter;
    }
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, GroupTable,
                         testing::ValuesIn(group_table().begin(), group_table().end()),
                         [](const auto& tested) { return name_of_row(tested.param); });

std::string groups_page() {
  std::ifstream in(FENCEPOST_SOURCE_DIR "/docs/groups.md");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(GroupTablePage, ShowsTheTableOfEveryRequestAsItIs) {
  const std::string page = groups_page();
  for (const GroupTableRow& row : group_table()) {
    const std::string table = group_table_markdown(row.api);
    ASSERT_NE(page.find(table), std::string::npos) << "docs/groups.md lacks this:\n" << table;
  }
}

TEST(GroupTablePage, ShowsTheMovesBetweenStatesAsTheyAre) {
  const std::string moves = group_moves_markdown();
  EXPECT_NE(groups_page().find(moves), std::string::npos) << "docs/groups.md lacks this:\n"
                                                          << moves;
}

TEST(GroupTableRows, NameEveryColumnOnceAndASingleStateAfterwards) {
  for (const GroupTableRow& row : group_table()) {
    for (std::size_t column = 0; column < kGroupColumns.size(); ++column) {
      const char after = row.cell(column).state_after;
      EXPECT_EQ(std::ranges::count(kGroupColumns, after, &GroupColumn::letter), 1) << row;
    }
  }
}

}  // namespace
}  // namespace fencepost::broker
