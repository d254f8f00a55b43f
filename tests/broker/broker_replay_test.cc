// A restart at any point is a replay of what was stored: random requests, sensible and malicious,
// with restarts in between. Nothing crashes, nothing is answered twice, and what was answered is
// kept.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/random.h"
#include "tests/broker/broker_world.h"

namespace fencepost::broker {
namespace {

// What a restart must find again.
struct HardState {
  std::map<GroupId, CommittedOffsets> offsets;
  std::map<std::string, std::int64_t> ends;  // log end by partition
  friend bool operator==(const HardState&, const HardState&) = default;
};

HardState hard_state(BrokerCore& core) {
  HardState state{core.groups().offsets().all(), {}};
  for (const std::string& topic : core.topics().names()) {
    for (std::int32_t index = 0; index < core.topics().partition_count(topic); ++index) {
      state.ends[topic + "-" + std::to_string(index)] =
          (*core.topics().find(topic, index))->end().value();
    }
  }
  return state;
}

// Of a Stable group: all but the time, which the record has from just before the group was Stable.
std::string durable_part(const Group& group) {
  wire::GroupMetadataValue value = group.to_record();
  value.clear_current_state_timestamp();
  return value.SerializeAsString();
}

// Chooses requests out of a small universe, so that ids and generations are often right.
class RandomClients {
 public:
  explicit RandomClients(std::uint64_t seed) : random_(seed, "clients", Incarnation(1), "fuzz") {}

  void act(GroupWorld& world) {
    switch (random_.below(14)) {
      case 0:
      case 1:
      case 2:
        join(world);
        break;
      case 3:
      case 4:
        sync(world);
        break;
      case 5:
        world.heartbeat(member(), generation(world));
        break;
      case 6:
        world.leave({member()});
        break;
      case 7:
      case 8:
        world.commit(member(), generation(world), chance(8) ? "nowhere" : "orders", number(5),
                     number(20));
        break;
      case 9:
        produce(world);
        break;
      case 10:
        fetch(world);
        break;
      case 11:
        admin_groups(world);
        break;
      case 12:
        if (chance(4)) admin_topics(world);
        break;
      case 13:
        world.pass(static_cast<std::int64_t>(random_.below(chance(10) ? 200 : 4)));
        break;
    }
  }
  bool chance(std::uint64_t in) { return random_.below(in) == 0; }

 private:
  // Mostly small, sometimes the worst.
  std::int32_t number(std::uint64_t below) {
    constexpr std::int32_t kWorst[] = {-1, INT32_MIN, INT32_MAX, 1'000'000, -2};
    if (chance(15)) return kWorst[random_.below(std::size(kWorst))];
    return static_cast<std::int32_t>(random_.below(below));
  }
  TestMember member() {
    if (known_.empty() || chance(8)) return {"C1", chance(2) ? "" : "C1-unknown"};
    return known_[random_.below(known_.size())];
  }
  std::int32_t generation(GroupWorld& world) {
    if (world.group() == nullptr || chance(8)) return number(4);
    return world.generation();
  }

  void join(GroupWorld& world) {
    JoinTerms terms;
    terms.metadata = chance(3) ? "other" : "m";
    terms.rebalance_ms = chance(10) ? number(40'000) : 20'000;
    terms.session_ms = chance(10) ? number(40'000) : 10'000;
    if (chance(6)) terms.protocols = {"sticky", "range"};
    if (chance(20)) terms.protocols = {"roundrobin"};
    if (chance(20)) terms.type = "connect";
    TestMember joining = member();
    if (chance(3)) joining = {"C" + std::to_string(random_.below(4)), ""};
    if (chance(5)) terms.instance = "i" + std::to_string(random_.below(3));
    const std::int32_t request = world.join(joining, terms);
    if (world.parked(request)) return;
    const wire::JoinGroupResponse answer = world.joined(request);
    if (answer.error_code() != to_wire(ErrorCode::kMemberIdRequired)) return;
    known_.push_back({joining.client, answer.member_id()});
    if (known_.size() > 5) known_.erase(known_.begin());
  }

  void sync(GroupWorld& world) {
    const TestMember syncing = member();
    std::map<std::string, std::string> assignments;
    for (const TestMember& other : known_) assignments[other.id] = "a";
    world.sync(syncing, generation(world), assignments);
  }

  void produce(GroupWorld& world) {
    wire::Frame frame;
    frame.mutable_produce_request()->set_acks(chance(10) ? number(3) : -1);
    auto* const data = frame.mutable_produce_request()->add_topic_data();
    data->set_name(chance(10) ? "__consumer_offsets" : "orders");
    auto* const partition = data->add_partition_data();
    partition->set_index(number(3));
    const std::uint64_t records = 1 + random_.below(3);
    for (std::uint64_t i = 0; i < records; ++i) {
      auto* const record = partition->mutable_records()->add_records();
      record->set_offset_delta(chance(20) ? number(9) : static_cast<std::int32_t>(i));
      record->set_value("x");
    }
    partition->mutable_records()->set_last_offset_delta(static_cast<std::int32_t>(records) - 1);
    world.send("P1", std::move(frame));
  }

  void fetch(GroupWorld& world) {
    wire::Frame frame;
    auto* const request = frame.mutable_fetch_request();
    request->set_max_wait_ms(number(5000));
    request->set_min_bytes(number(50));
    request->set_max_bytes(number(1000));
    for (std::uint64_t i = random_.below(3); i > 0; --i) {
      auto* const topic = request->add_topics();
      topic->set_topic("orders");
      auto* const partition = topic->add_partitions();
      partition->set_partition(number(3));
      partition->set_fetch_offset(number(10));
      partition->set_partition_max_bytes(number(1000));
    }
    world.send("C1", std::move(frame));
  }

  void admin_groups(GroupWorld& world) {
    wire::Frame frame;
    if (chance(3)) {
      frame.mutable_delete_groups_request()->add_groups_names("billing");
    } else if (chance(2)) {
      frame.mutable_describe_groups_request()->add_groups("billing");
    } else {
      auto* const request = frame.mutable_offset_delete_request();
      request->set_group_id("billing");
      request->add_topics()->set_name("orders");
      request->mutable_topics(0)->add_partitions()->set_partition_index(number(5));
    }
    world.send("A1", std::move(frame));
  }

  void admin_topics(GroupWorld& world) {
    wire::Frame frame;
    if (chance(4)) {
      frame.mutable_delete_topics_request()->add_topic_names("orders");
    } else if (chance(2)) {
      frame.mutable_create_topics_request()->add_topics()->set_name("orders");
      frame.mutable_create_topics_request()->mutable_topics(0)->set_num_partitions(number(4));
    } else {
      auto* const topic = frame.mutable_create_partitions_request()->add_topics();
      topic->set_name("orders");
      topic->set_count(number(8));
    }
    world.send("A1", std::move(frame));
  }

  Random random_;
  std::vector<TestMember> known_;
};

class BrokerReplay : public testing::TestWithParam<std::uint64_t> {};

TEST_P(BrokerReplay, FindsWhatWasAnswered) {
  BrokerConfig config = test_config();
  config.group_max_size = 3;
  config.retention_minutes = 2;
  config.retention_check_ms = 30'000;
  config.initial_delay_ms = GetParam() % 2 == 0 ? 0 : 3000;
  GroupWorld world(config);
  RandomClients clients(GetParam());
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    clients.act(world);
    const bool stable = world.group() != nullptr && world.group()->in(GroupState::kStable);
    if (!clients.chance(stable ? 10 : 100)) continue;
    const std::string group = stable ? durable_part(*world.group()) : "";
    const HardState kept = hard_state(world.core());
    if (clients.chance(2)) world.remove_obsolete();
    world.restart();
    ASSERT_EQ(hard_state(world.core()), kept);
    if (stable) {
      ASSERT_EQ(durable_part(*world.group()), group);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BrokerReplay, testing::Range<std::uint64_t>(1, 21));

TEST(BrokerReplay, AStableGroupIsStableAgainWithItsAssignments) {
  GroupWorld world;
  const auto members = world.stable_group({"C1", "C2"});
  const wire::GroupMetadataValue before = world.group()->to_record();
  world.pass(3);
  world.restart();
  EXPECT_EQ(world.group()->to_record().SerializeAsString(), before.SerializeAsString());
  EXPECT_EQ(world.synced(world.sync(members[1], 1)).assignment(), "of C2");
  world.pass(9);
  EXPECT_EQ(world.state(), "S") << "sessions begin anew";
  world.pass(1);
  EXPECT_EQ(world.state(), "E");
}

TEST(BrokerReplay, AnEmptyGroupGoesOnCountingGenerations) {
  GroupWorld world;
  world.leave(world.stable_group({"C1"}));
  ASSERT_EQ(world.generation(), 2);
  world.restart();
  EXPECT_EQ(world.state(), "E");
  world.stable_group({"C1"});
  EXPECT_EQ(world.generation(), 3);
}

TEST(BrokerReplay, ReservedIdsAndParkedRequestsAreGone) {
  GroupWorld world;
  const TestMember c1 = world.reserve("C1");
  world.restart();
  EXPECT_EQ(world.state(), "E") << "the group itself is in the log";
  EXPECT_EQ(world.error(world.join(c1)), ErrorCode::kUnknownMemberId);
}

TEST(BrokerReplay, AMembersNewIdNeverRepeatsOneOfAnEarlierLife) {
  GroupWorld world;
  const TestMember before = world.reserve("C1");
  world.restart();
  EXPECT_NE(world.reserve("C1").id, before.id);
}

TEST(BrokerReplay, AGroupThatIsTooLargeRebalancesAtOnce) {
  GroupWorld world;
  world.stable_group({"C1", "C2"});
  BrokerConfig config = test_config();
  config.group_max_size = 1;
  world.restart_with(config);
  EXPECT_EQ(world.state(), "P");
}

TEST(BrokerReplay, ALogIsTheSameForTheSameRequests) {
  std::string first;
  for (int run = 0; run < 2; ++run) {
    GroupWorld world;
    RandomClients clients(7);
    for (int i = 0; i < 1000; ++i) clients.act(world);
    std::string rows;
    for (const wire::StoredRow& row : world.rows()) rows += row.SerializeAsString();
    if (run == 0) first = rows;
    EXPECT_EQ(rows, first);
  }
}

}  // namespace
}  // namespace fencepost::broker
