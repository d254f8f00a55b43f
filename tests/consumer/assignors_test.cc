// Assignors: tables from the spec and the demos, and properties over many groups.
#include "consumer/core/assignors/assignor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/random.h"
#include "tests/consumer/group_checks.h"

namespace fencepost::consumer {
namespace {

using Counts = std::map<std::string, std::int32_t>;
using Subscriptions = std::map<std::string, std::vector<std::string>>;

AssignorInput input_of(const Counts& counts, const Subscriptions& subscriptions) {
  AssignorInput input;
  input.partition_counts = counts;
  for (const auto& [id, topics] : subscriptions) {
    MemberSubscription member;
    member.member_id = MemberId(id);
    member.topics = topics;
    input.members.push_back(member);
  }
  return input;
}

struct Row {
  const char* name;
  const char* assignor;
  Counts counts;
  Subscriptions subscriptions;
  const char* expected;
};

class Assignors : public testing::TestWithParam<Row> {};

TEST_P(Assignors, GiveWhatKafkasGive) {
  const Row& row = GetParam();
  const auto assignor = make_assignor(row.assignor);
  ASSERT_TRUE(assignor);
  EXPECT_EQ(text_of(assignor->assign(input_of(row.counts, row.subscriptions))), row.expected);
}

const std::vector<std::string> kBoth{"orders", "payments"};
const Counts kDemo{{"orders", 3}, {"payments", 3}};
const Counts kSix{{"t", 6}};

INSTANTIATE_TEST_SUITE_P(
    Table, Assignors,
    testing::Values(
        Row{"DemoAlone",
            "range",
            kDemo,
            {{"C1", kBoth}},
            "C1: orders-0,orders-1,orders-2,payments-0,payments-1,payments-2"},
        Row{"DemoFourTwo",
            "range",
            kDemo,
            {{"C1", kBoth}, {"C2", kBoth}},
            "C1: orders-0,orders-1,payments-0,payments-1; C2: orders-2,payments-2"},
        Row{"DemoThree",
            "range",
            kDemo,
            {{"C1", kBoth}, {"C2", kBoth}, {"C3", kBoth}},
            "C1: orders-0,payments-0; C2: orders-1,payments-1; C3: orders-2,payments-2"},
        Row{"DemoIdleFourth",
            "range",
            kDemo,
            {{"C1", kBoth}, {"C2", kBoth}, {"C3", kBoth}, {"C4", kBoth}},
            "C1: orders-0,payments-0; C2: orders-1,payments-1; C3: orders-2,payments-2; C4: "},
        Row{"TwoOfSix",
            "range",
            kSix,
            {{"c1", {"t"}}, {"c2", {"t"}}},
            "c1: t-0,t-1,t-2; c2: t-3,t-4,t-5"},
        Row{"SevenOfSix",
            "range",
            kSix,
            {{"c1", {"t"}},
             {"c2", {"t"}},
             {"c3", {"t"}},
             {"c4", {"t"}},
             {"c5", {"t"}},
             {"c6", {"t"}},
             {"c7", {"t"}}},
            "c1: t-0; c2: t-1; c3: t-2; c4: t-3; c5: t-4; c6: t-5; c7: "},
        Row{"TenComesBeforeTwo",
            "range",
            {{"t", 3}},
            {{"c2", {"t"}}, {"c10", {"t"}}},
            "c10: t-0,t-1; c2: t-2"},
        Row{"TopicsAreIndependent",
            "range",
            {{"a", 1}, {"b", 1}},
            {{"c1", {"a", "b"}}, {"c2", {"a", "b"}}},
            "c1: a-0,b-0; c2: "},
        Row{"MissingMetadata", "range", {{"a", 2}}, {{"c1", {"a", "b"}}}, "c1: a-0,a-1"},
        Row{"NobodySubscribes", "range", {{"a", 2}}, {{"c1", {"b"}}}, "c1: "},
        Row{"UnequalWheel",
            "roundrobin",
            {{"t0", 1}, {"t1", 2}, {"t2", 3}},
            {{"C0", {"t0"}}, {"C1", {"t0", "t1"}}, {"C2", {"t0", "t1", "t2"}}},
            "C0: t0-0; C1: t1-0; C2: t1-1,t2-0,t2-1,t2-2"},
        Row{"WheelGoesOnOverTopics",
            "roundrobin",
            kDemo,
            {{"C1", kBoth}, {"C2", kBoth}},
            "C1: orders-0,orders-2,payments-1; C2: orders-1,payments-0,payments-2"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(MemberOrder, PutsStaticMembersFirstByInstanceId) {
  std::vector<MemberSubscription> members(3);
  members[0].member_id = MemberId("a");
  members[1].member_id = MemberId("b");
  members[1].instance_id = "z";
  members[2].member_id = MemberId("c");
  members[2].instance_id = "y";
  EXPECT_EQ(member_order(members), (std::vector<std::size_t>{2, 1, 0}));
}

// A random group: up to 4 topics, each subscribed to or not. Mostly small, where the corners are;
// every twentieth has up to 200 members and 2,000 partitions.
AssignorInput random_group(Random& random, int run) {
  const bool large = run % 20 == 0;
  Counts counts;
  for (std::uint64_t t = random.below(4) + 1; t > 0; --t) {
    counts["t" + std::to_string(t)] = static_cast<std::int32_t>(random.below(large ? 501 : 8));
  }
  Subscriptions subscriptions;
  for (std::uint64_t m = random.below(large ? 200 : 8) + 1; m > 0; --m) {
    std::vector<std::string>& topics = subscriptions["m" + std::to_string(m)];
    for (const auto& [topic, count] : counts) {
      if (random.below(3) > 0) topics.push_back(topic);
    }
  }
  return input_of(counts, subscriptions);
}

class RandomGroups : public testing::TestWithParam<const char*> {};

TEST_P(RandomGroups, EachPartitionGoesToExactlyOneOfItsSubscribers) {
  const auto assignor = make_assignor(GetParam());
  Random random(1, "test", Incarnation(1), GetParam());
  for (int run = 0; run < 500; ++run) {
    const AssignorInput input = random_group(random, run);
    expect_complete(input, assignor->assign(input), "run " + std::to_string(run));
  }
}

INSTANTIATE_TEST_SUITE_P(All, RandomGroups, testing::Values("range", "roundrobin"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace fencepost::consumer
