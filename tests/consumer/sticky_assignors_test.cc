// The sticky assignors: tables from the specification and the demos, and what must hold in any
// group.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/random.h"
#include "tests/consumer/group_checks.h"

namespace fencepost::consumer {
namespace {

// A group in words: members with their topics, and "orders-0,orders-1@3" for what one claims, of
// which generation.
class Group {
 public:
  Group& topic(const std::string& name, std::int32_t partitions) {
    input_.partition_counts[name] = partitions;
    return *this;
  }
  Group& member(const std::string& id, std::vector<std::string> topics, TopicPartitions owned = {},
                std::int32_t generation = -1) {
    MemberSubscription& member = input_.members.emplace_back();
    member.member_id = MemberId(id);
    member.topics = std::move(topics);
    member.owned = std::move(owned);
    member.generation = Generation(generation);
    return *this;
  }
  const AssignorInput& input() const { return input_; }

 private:
  AssignorInput input_;
};

TopicPartitions some(const std::string& topic, std::initializer_list<int> indexes) {
  TopicPartitions partitions;
  for (const int index : indexes) partitions.insert({topic, PartitionId(index)});
  return partitions;
}

TopicPartitions operator+(TopicPartitions left, const TopicPartitions& right) {
  left.insert(right.begin(), right.end());
  return left;
}

std::unique_ptr<Assignor> kafkas() { return make_assignor("cooperative-sticky"); }
std::unique_ptr<Assignor> simple() {
  return make_assignor("cooperative-sticky", StickyRule::kSimple);
}

const std::vector<std::string> kT{"t"};

TEST(StickyEqual, FreshGroupIsDealtInTurn) {
  Group group;
  group.topic("a", 2).topic("b", 3);
  group.member("m1", {"a", "b"}).member("m2", {"a", "b"});
  EXPECT_EQ(text_of(kafkas()->assign(group.input())), "m1: a-0,b-0,b-2; m2: a-1,b-1");
}

TEST(StickyEqual, EverybodyKeepsHisShareAndTheNewcomerWaits) {
  Group group;
  group.topic("t", 6).member("m1", kT, some("t", {0, 1, 2}), 1);
  group.member("m2", kT, some("t", {3, 4, 5}), 1).member("m3", kT);
  EXPECT_EQ(text_of(kafkas()->assign(group.input())), "m1: t-0,t-1; m2: t-3,t-4; m3: ");
  EXPECT_EQ(text_of(kafkas()->withheld(group.input())), "m1: ; m2: ; m3: t-2,t-5");
}

TEST(StickyEqual, OnlySoManyMembersKeepTheLargerShare) {
  Group group;
  group.topic("t", 5).member("m1", kT, some("t", {0, 1}), 1);
  group.member("m2", kT, some("t", {2, 3}), 1).member("m3", kT, some("t", {4}), 1);
  EXPECT_EQ(text_of(kafkas()->assign(group.input())), "m1: t-0,t-1; m2: t-2,t-3; m3: t-4");
  Group four;
  four.topic("t", 5).member("m1", kT, some("t", {0, 1}), 1);
  four.member("m2", kT, some("t", {2, 3}), 1).member("m3", kT, some("t", {4}), 1).member("m4", kT);
  EXPECT_EQ(text_of(kafkas()->assign(four.input())), "m1: t-0,t-1; m2: t-2; m3: t-4; m4: ");
  EXPECT_EQ(text_of(kafkas()->withheld(four.input())), "m1: ; m2: ; m3: ; m4: t-3");
}

TEST(Claims, HigherGenerationWins) {
  Group group;
  group.topic("t", 2).member("m1", kT, some("t", {0, 1}), 1).member("m2", kT, some("t", {0}), 2);
  EXPECT_EQ(text_of(kafkas()->assign(group.input())), "m1: t-1; m2: t-0");
}

TEST(Claims, OfEqualGenerationAreKeptByNobodyAndWithheld) {
  Group group;
  group.topic("t", 2).member("m1", kT, some("t", {0, 1}), 2).member("m2", kT, some("t", {0}), 2);
  EXPECT_EQ(text_of(kafkas()->assign(group.input())), "m1: t-1; m2: ");
  EXPECT_EQ(text_of(kafkas()->withheld(group.input())), "m1: ; m2: t-0");
}

TEST(Claims, OldClaimThatNobodyContestsIsHonoured) {
  Group group;
  group.topic("t", 2).member("m1", kT, some("t", {1}), 1).member("m2", kT, some("t", {0}), 7);
  EXPECT_EQ(text_of(kafkas()->assign(group.input())), "m1: t-1; m2: t-0");
}

TEST(Claims, GenerationMayStandInTheUserDataOfOlderClients) {
  Group group;
  group.topic("t", 2).member("m1", kT, some("t", {0, 1}), 1).member("m2", kT, some("t", {0}));
  AssignorInput input = group.input();
  input.members[1].user_data = std::string("\0\0\0\2", 4);
  EXPECT_EQ(text_of(kafkas()->assign(input)), "m1: t-1; m2: t-0");
}

TEST(StickyEager, ClaimsOnlyWhatItsUserDataSays) {
  const auto sticky = make_assignor("sticky");
  Group group;
  group.topic("t", 4).member("m1", kT, some("t", {0, 1, 2, 3}), 5).member("m2", kT);
  AssignorInput input = group.input();
  input.members[1].user_data = sticky->user_data(some("t", {0, 1}), Generation(3));
  EXPECT_EQ(text_of(sticky->assign(input)), "m1: t-2,t-3; m2: t-0,t-1");
  input.members[1].user_data = "no such thing";
  EXPECT_EQ(text_of(sticky->assign(input)), "m1: t-0,t-2; m2: t-1,t-3");
}

TEST(StickyUnequal, LeastLoadedSubscriberGetsWhatIsFree) {
  Group group;
  group.topic("t0", 1).topic("t1", 2).topic("t2", 3);
  group.member("C0", {"t0"}).member("C1", {"t0", "t1"}).member("C2", {"t0", "t1", "t2"});
  EXPECT_EQ(text_of(kafkas()->assign(group.input())),
            "C0: t0-0; C1: t1-0,t1-1; C2: t2-0,t2-1,t2-2");
}

TEST(StickyUnequal, DropsClaimsOnTopicsNoLongerSubscribed) {
  Group group;
  group.topic("a", 2).topic("b", 2);
  group.member("m1", {"b"}, some("a", {0, 1}) + some("b", {0, 1}), 1).member("m2", {"a", "b"});
  EXPECT_EQ(text_of(kafkas()->assign(group.input())), "m1: b-0,b-1; m2: ");
  EXPECT_EQ(text_of(kafkas()->withheld(group.input())), "m1: ; m2: a-0,a-1");
}

// Demo 3: six partitions, C1 to C4 come one after the other.
TEST(SimpleRule, GivesTheTableOfTheDemo) {
  const std::vector<std::string> both{"orders", "payments"};
  const auto rule = simple();
  Group group;
  group.topic("orders", 3).topic("payments", 3).member("C1", both);
  std::vector<std::string> steps;
  AssignorInput input = group.input();
  for (int members = 1; members <= 4; ++members) {
    if (members > 1) {
      MemberSubscription& next = input.members.emplace_back();
      next.member_id = MemberId("C" + std::to_string(members));
      next.topics = both;
    }
    for (int round = 0; round < 2; ++round) {
      const GroupAssignment now = rule->assign(input);
      for (MemberSubscription& member : input.members) {
        member.owned = now.at(member.member_id);
        member.generation = Generation(2 * members + round);
      }
      if (round == 1) steps.push_back(text_of(now));
    }
  }
  EXPECT_EQ(steps[1], "C1: orders-0,orders-1,orders-2; C2: payments-0,payments-1,payments-2");
  EXPECT_EQ(steps[2], "C1: orders-0,orders-1; C2: payments-0,payments-1; C3: orders-2,payments-2");
  EXPECT_EQ(steps[3],
            "C1: orders-0; C2: payments-0,payments-1; C3: orders-2,payments-2; C4: orders-1");
}

// ---- any group ----

struct Shape {
  std::uint64_t members_max;
  std::uint64_t partitions_max;  // of a topic
  bool equal;
};

AssignorInput random_group(Random& random, const Shape& shape) {
  AssignorInput input;
  for (std::uint64_t t = random.below(5) + 1; t > 0; --t) {
    input.partition_counts["t" + std::to_string(t)] =
        static_cast<std::int32_t>(random.below(shape.partitions_max + 1));
  }
  for (std::uint64_t m = random.below(shape.members_max) + 1; m > 0; --m) {
    MemberSubscription& member = input.members.emplace_back();
    member.member_id = MemberId("m" + std::to_string(m));
    member.generation = Generation(static_cast<std::int32_t>(random.below(4)) - 1);
    for (const auto& [topic, count] : input.partition_counts) {
      if (shape.equal || random.below(3) > 0) member.topics.push_back(topic);
      for (std::int32_t i = 0; i < count; ++i) {
        if (random.below(shape.members_max) == 0) member.owned.insert({topic, PartitionId(i)});
      }
    }
  }
  return input;
}

std::size_t spread(const GroupAssignment& assignment) {
  std::size_t most = 0;
  std::size_t least = SIZE_MAX;
  for (const auto& [id, partitions] : assignment) {
    most = std::max(most, partitions.size());
    least = std::min(least, partitions.size());
  }
  return most - least;
}

GroupAssignment together(const GroupAssignment& now, const GroupAssignment& withheld) {
  GroupAssignment all = now;
  for (const auto& [id, partitions] : withheld) {
    all[id].insert(partitions.begin(), partitions.end());
  }
  return all;
}

// Whose claims count, by partition (group-protocol 5.3).
std::map<TopicPartition, MemberId> settled(const AssignorInput& input) {
  std::map<TopicPartition, std::map<Generation, std::vector<MemberId>>> claims;
  for (const MemberSubscription& member : input.members) {
    for (const TopicPartition& where : member.owned) {
      claims[where][member.generation].push_back(member.member_id);
    }
  }
  std::map<TopicPartition, MemberId> result;
  for (const auto& [where, by_generation] : claims) {
    const std::vector<MemberId>& best = by_generation.rbegin()->second;
    if (best.size() == 1) result.emplace(where, best.front());
  }
  return result;
}

// How many settled claims a balanced assignment can honour at most, with equal subscriptions.
std::size_t keepable(const AssignorInput& input) {
  std::map<MemberId, std::size_t> claimed;
  for (const auto& [where, member] : settled(input)) ++claimed[member];
  std::size_t total = 0;
  for (const auto& [topic, count] : input.partition_counts) {
    total += static_cast<std::size_t>(count);
  }
  const std::size_t quota = total / input.members.size();
  std::size_t larger = total % input.members.size();
  std::size_t kept = 0;
  for (const auto& [member, count] : claimed) {
    kept += std::min(count, quota);
    if (count > quota && larger > 0) {
      ++kept;
      --larger;
    }
  }
  return kept;
}

std::size_t kept(const AssignorInput& input, const GroupAssignment& assignment) {
  std::size_t count = 0;
  for (const auto& [where, member] : settled(input)) {
    count += assignment.at(member).contains(where) ? 1U : 0U;
  }
  return count;
}

// Mostly small groups, where the corners are; every twentieth is large.
Shape shape_of(int run, bool equal) {
  return run % 20 == 0 ? Shape{.members_max = 200, .partitions_max = 500, .equal = equal}
                       : Shape{.members_max = 8, .partitions_max = 12, .equal = equal};
}

class AnyGroup : public testing::TestWithParam<StickyRule> {
 protected:
  std::unique_ptr<Assignor> assignor_ = make_assignor("cooperative-sticky", GetParam());
  Random random_{7, "test", Incarnation(1), "groups"};
};

TEST_P(AnyGroup, WithEqualSubscriptionsIsBalancedWithTheFewestMoves) {
  for (int run = 0; run < 400; ++run) {
    const AssignorInput input = random_group(random_, shape_of(run, true));
    const GroupAssignment all = together(assignor_->assign(input), assignor_->withheld(input));
    expect_complete(input, all, "run " + std::to_string(run));
    ASSERT_LE(spread(all), 1U) << "run " << run;
    ASSERT_EQ(kept(input, all), keepable(input)) << "run " << run;
  }
}

TEST_P(AnyGroup, WithUnequalSubscriptionsGivesEverythingToASubscriber) {
  for (int run = 0; run < 400; ++run) {
    const AssignorInput input = random_group(random_, shape_of(run, false));
    const GroupAssignment all = together(assignor_->assign(input), assignor_->withheld(input));
    expect_complete(input, all, "run " + std::to_string(run));
  }
}

// What is withheld is what somebody else has; when he has given it up, nothing is withheld.
TEST_P(AnyGroup, HandsOverInTwoRounds) {
  for (int run = 0; run < 300; ++run) {
    AssignorInput input =
        random_group(random_, {.members_max = 8, .partitions_max = 12, .equal = run % 2 == 0});
    for (int round = 0; round < 2; ++round) {
      const GroupAssignment now = assignor_->assign(input);
      for (MemberSubscription& member : input.members) {
        member.owned = now.at(member.member_id);
        member.generation = Generation(10 + round);
      }
    }
    for (const auto& [id, partitions] : assignor_->withheld(input)) {
      ASSERT_TRUE(partitions.empty()) << "run " << run << " " << id.value();
    }
    expect_complete(input, assignor_->assign(input), "run " + std::to_string(run));
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, AnyGroup, testing::Values(StickyRule::kKafka, StickyRule::kSimple),
                         [](const auto& tested) {
                           return tested.param == StickyRule::kKafka ? "Kafka" : "Simple";
                         });

TEST(AnyGroupOfSticky, EagerOneGivesEverythingAtOnce) {
  const auto sticky = make_assignor("sticky");
  Random random(7, "test", Incarnation(1), "eager");
  for (int run = 0; run < 200; ++run) {
    AssignorInput input =
        random_group(random, {.members_max = 8, .partitions_max = 12, .equal = run % 2 == 0});
    for (MemberSubscription& member : input.members) {
      member.user_data = sticky->user_data(member.owned, member.generation);
    }
    const GroupAssignment assignment = sticky->assign(input);
    expect_complete(input, assignment, "run " + std::to_string(run));
    if (run % 2 == 1) continue;
    ASSERT_EQ(kept(input, assignment), keepable(input)) << "run " << run;
  }
}

}  // namespace
}  // namespace fencepost::consumer
