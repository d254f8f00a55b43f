#include "lab/history.h"

#include <gtest/gtest.h>

#include "common/events.h"
#include "lab/checkers/delivery.h"
#include "lab/checkers/groups.h"
#include "lab/checkers/offsets.h"
#include "lab/expectations.h"
#include "tests/lab/run_builder.h"

namespace fencepost::lab {
namespace {

using Outcome = Verdict::Outcome;

// C1 alone with o0 and o1, fetching both.
RunBuilder one_member() {
  RunBuilder run;
  run.joins("B1", "broker").joins("P1", "producer").joins("C1", "consumer");
  run.at(2).prepares("Empty", "member C1 joined").forms(1, {{"C1", "orders-0,orders-1"}});
  run.at(3).assigned("C1", 1, "orders-0,orders-1");
  run.at(4).fetches("C1", "orders-0", 0).fetches("C1", "orders-1", 0);
  return run;
}

// Then C2 joins, and takes o1.
RunBuilder two_members() {
  RunBuilder run = one_member();
  run.at(9).joins("C2", "consumer");
  run.at(10).prepares("Stable", "member C2 joined");
  run.at(11).revoked("C1", 1, "orders-0,orders-1");
  run.at(12).forms(2, {{"C1", "orders-0"}, {"C2", "orders-1"}});
  run.at(13).assigned("C1", 2, "orders-0").assigned("C2", 2, "orders-1");
  run.at(14).fetches("C1", "orders-0", 5);
  run.at(16).fetches("C2", "orders-1", 7);
  return run;
}

TEST(History, ARebalanceGoesFromPreparingToStable) {
  const History history = two_members().history();
  ASSERT_EQ(history.rebalances.size(), 2U);
  const Rebalance& second = history.rebalances[1];
  EXPECT_EQ(second.begun.tick, Tick(10));
  ASSERT_TRUE(second.settled.has_value());
  EXPECT_EQ(second.settled->tick, Tick(12));
  EXPECT_EQ(second.reasons, std::vector<std::string>{"member C2 joined"});
  const TopicPartition o1{"orders", PartitionId(1)};
  EXPECT_EQ(second.before.at(o1), "C1");
  EXPECT_EQ(second.after.at(o1), "C2");
}

TEST(History, APartitionIsPausedFromItsRevocationToTheFirstFetch) {
  const History history = two_members().history();
  EXPECT_TRUE(history.rebalances[0].pauses.empty());
  const Rebalance& second = history.rebalances[1];
  ASSERT_EQ(second.pauses.size(), 2U);
  EXPECT_EQ(second.pauses[0].from, Tick(11));
  EXPECT_EQ(second.pauses[0].until, Tick(14));
  EXPECT_EQ(second.pauses[1].until, Tick(16));
  EXPECT_EQ(second.pauses[1].owner_before, "C1");
  EXPECT_EQ(second.pauses[1].owner_after, "C2");
  EXPECT_EQ(pause_ticks(second, history.last_tick), 8);
}

TEST(History, APartitionOfADeadOwnerIsPausedFromItsLastTick) {
  RunBuilder run = two_members();
  run.at(20).killed("C2");
  run.at(26).removed("C2").prepares("Stable", "session of member C2 expired");
  run.at(27).revoked("C1", 2, "orders-0").forms(3, {{"C1", "orders-0,orders-1"}});
  run.at(28).assigned("C1", 3, "orders-0,orders-1");
  run.at(29).fetches("C1", "orders-0", 5).fetches("C1", "orders-1", 7);
  const History history = run.history();
  ASSERT_EQ(history.rebalances.size(), 3U);
  const Rebalance& third = history.rebalances[2];
  ASSERT_EQ(third.pauses.size(), 2U);
  EXPECT_EQ(third.pauses[1].from, Tick(19));
  EXPECT_EQ(third.pauses[1].until, Tick(29));
  EXPECT_EQ(third.pauses[1].why, "died");
  EXPECT_EQ(third.before.at({"orders", PartitionId(1)}), "C2");
}

TEST(History, AZombiesFetchDoesNotEndAPause) {
  RunBuilder run = two_members();
  run.at(20).removed("C2").prepares("Stable", "session of member C2 expired");
  run.at(21).fetches("C2", "orders-1", 9);
  run.at(22).revoked("C1", 2, "orders-0").forms(3, {{"C1", "orders-0,orders-1"}});
  run.at(23).assigned("C1", 3, "orders-0,orders-1");
  run.at(25).fetches("C1", "orders-1", 7);
  const History history = run.history();
  const Rebalance& third = history.rebalances[2];
  ASSERT_EQ(third.pauses.size(), 2U);
  EXPECT_EQ(third.pauses[1].from, Tick(20));
  EXPECT_EQ(third.pauses[1].until, Tick(25));
  EXPECT_FALSE(third.pauses[0].until.has_value());
}

TEST(History, ACooperativeHandOverIsOneRebalanceOfTwoGenerations) {
  RunBuilder run = one_member();
  run.at(10).prepares("Stable", "member C2 joined");
  run.at(11).forms(2, {{"C1", "orders-0"}, {"C2", ""}}, "cooperative-sticky");
  run.at(12).revoked("C1", 2, "orders-1").prepares("Stable", "member C1 rejoins");
  run.at(14).forms(3, {{"C1", "orders-0"}, {"C2", "orders-1"}}, "cooperative-sticky");
  run.at(15).assigned("C2", 3, "orders-1");
  run.at(16).fetches("C2", "orders-1", 3);
  const History history = run.history();
  ASSERT_EQ(history.rebalances.size(), 2U);
  EXPECT_EQ(history.rebalances[1].generations.size(), 2U);
  EXPECT_EQ(history.rebalances[1].pauses.size(), 1U);
  EXPECT_EQ(settled_rebalances(history, "billing").size(), 2U);
  EXPECT_EQ(stable_generations(history, "billing").size(), 3U);
}

TEST(History, NobodyOwnsAnythingBeforeAnEmptyGroupIsJoinedAgain) {
  RunBuilder run = one_member();
  run.at(9).revoked("C1", 1, "orders-0,orders-1").removed("C1").empties("member C1 left");
  run.at(20).prepares("Empty", "member C2 joined").forms(3, {{"C2", "orders-0,orders-1"}});
  run.at(21).assigned("C2", 3, "orders-0,orders-1").fetches("C2", "orders-0", 2);
  const History history = run.history();
  ASSERT_EQ(history.rebalances.size(), 3U);
  EXPECT_EQ(history.rebalances[1].before.size(), 2U);
  EXPECT_TRUE(history.rebalances[1].after.empty());
  EXPECT_TRUE(history.rebalances[2].before.empty());
  EXPECT_EQ(settled_rebalances(history, "billing").size(), 2U);
}

TEST(History, AStaticMemberIsNamedByItsProcess) {
  const std::string id = "till-1-01234567-89ab-4def-8123-0123456789ab";
  RunBuilder run;
  run.joins("B1", "broker").joins("C1", "consumer");
  run.at(2).prepares("Empty", "member " + id + " joined").forms(1, {{id, "orders-0"}});
  run.answered("C1", id);
  const History history = run.history();
  EXPECT_EQ(history.generations[0].members, std::vector<std::string>{"C1"});
  EXPECT_TRUE(history.generations[0].assignment.contains("C1"));
  EXPECT_EQ(history.rebalances[0].after.at({"orders", PartitionId(0)}), "C1");
  EXPECT_EQ(history.rebalances[0].reasons[0], "member C1 joined");
}

// The leader's event has client ids only, and here both are "till".
TEST(History, MembersWithOneClientIdAreToldApart) {
  const std::string one = "till-01234567-89ab-4def-8123-0123456789ab";
  const std::string two = "till-01234567-89ab-4def-8123-0123456789ac";
  const auto moves = [](RunBuilder& run, const std::string& to, const std::string& members) {
    run.event("B1", events::kGroupState,
              {{"group", "billing"}, {"to", to}, {"generation", "1"}, {"members", members}});
  };
  RunBuilder run;
  run.joins("B1", "broker").joins("C1", "consumer").joins("C2", "consumer");
  run.at(2).prepares("Empty", "member till joined");
  moves(run, "CompletingRebalance", one + "," + two);
  run.answered("C1", one).answered("C2", two);
  run.event("C1", events::kAssignmentComputed,
            {{"group", "billing"},
             {"generation", "1"},
             {"assignor", "range"},
             {"assignment", "till=orders-0;till=orders-1"}});
  run.syncs("C1", 1, {{one, "orders-0"}, {two, "orders-1"}});
  moves(run, "Stable", one + "," + two);
  const History history = run.history();
  EXPECT_EQ(history.generations[0].members, (std::vector<std::string>{"C1", "C2"}));
  EXPECT_EQ(history.rebalances[0].after.at({"orders", PartitionId(0)}), "C1");
  EXPECT_EQ(history.rebalances[0].after.at({"orders", PartitionId(1)}), "C2");
}

TEST(History, ErrorsAreCountedByWhoWasRefusedWhat) {
  RunBuilder run = one_member();
  run.at(7)
      .refused("C1", ErrorCode::kUnknownMemberId)
      .at(8)
      .refused("C1", ErrorCode::kUnknownMemberId);
  const History history = run.history();
  ASSERT_EQ(history.errors.size(), 1U);
  EXPECT_EQ(history.errors.begin()->first.error, "UNKNOWN_MEMBER_ID");
  EXPECT_EQ(history.errors.begin()->first.api, "Heartbeat");
  EXPECT_EQ(history.errors.begin()->second.count, 2);
}

// ---- checkers ----

TEST(GroupsChecker, HandOverAfterRevocationIsValid) {
  EXPECT_EQ(check_groups(two_members().history()).outcome, Outcome::kValid);
}

TEST(GroupsChecker, AZombieThatHearsOfItsAssignmentTooLateOwnsNothing) {
  RunBuilder run = two_members();
  run.at(20).prepares("Stable", "member C2 rejoins");
  run.at(21).revoked("C1", 2, "orders-0").revoked("C2", 2, "orders-1");
  run.at(22).forms(3, {{"C1", "orders-0"}, {"C2", "orders-1"}});
  run.at(23).assigned("C1", 3, "orders-0");
  run.at(30).removed("C2").prepares("Stable", "session of member C2 expired");
  run.at(31).revoked("C1", 3, "orders-0").forms(4, {{"C1", "orders-0,orders-1"}});
  run.at(32).assigned("C1", 4, "orders-0,orders-1");
  run.at(33).assigned("C2", 3, "orders-1");  // SIGCONT
  run.at(35).lost("C2", 3, "orders-1");
  const History history = run.history();
  EXPECT_EQ(check_groups(history).outcome, Verdict::Outcome::kValid);
  EXPECT_EQ(history.rebalances.back().after.at({"orders", PartitionId(1)}), "C1");
}

TEST(GroupsChecker, TwoOwnersInOneGenerationAreFound) {
  RunBuilder run = two_members();
  run.at(17).assigned("C2", 2, "orders-0");
  const Verdict verdict = check_groups(run.history());
  EXPECT_EQ(verdict.outcome, Outcome::kInvalid);
  ASSERT_EQ(verdict.details.size(), 1U);
  EXPECT_NE(verdict.details[0].find("two owners in one generation"), std::string::npos);
}

TEST(GroupsChecker, HandOverBeforeRevocationIsFound) {
  RunBuilder run = two_members();
  run.at(17).prepares("Stable", "x").forms(3, {{"C1", "orders-0,orders-1"}});
  run.at(18).assigned("C1", 3, "orders-1");
  EXPECT_EQ(check_groups(run.history()).outcome, Outcome::kInvalid);
}

TEST(GroupsChecker, AZombieBesideItsSuccessorIsValid) {
  RunBuilder run = two_members();
  run.at(17).removed("C2").prepares("Stable", "x").forms(3, {{"C1", "orders-0,orders-1"}});
  run.at(18).assigned("C1", 3, "orders-1").at(20).lost("C2", 2, "orders-1");
  EXPECT_EQ(check_groups(run.history()).outcome, Outcome::kValid);
}

TEST(GroupsChecker, AGenerationUsedTwiceIsFound) {
  RunBuilder run = two_members();
  run.at(17).prepares("Stable", "x").forms(2, {{"C1", "orders-0"}});
  EXPECT_EQ(check_groups(run.history()).outcome, Outcome::kInvalid);
}

TEST(OffsetsChecker, AnOffsetThatNobodyCommittedIsFound) {
  RunBuilder run = one_member();
  run.at(5).commits("C1", "orders-0", 3);
  EXPECT_EQ(check_offsets(run.history()).outcome, Outcome::kValid);
  run.at(6).stores("C1", "orders-0", 6);
  EXPECT_EQ(check_offsets(run.history()).outcome, Outcome::kInvalid);
}

TEST(OffsetsChecker, AForgottenOffsetIsFound) {
  RunBuilder run = one_member();
  run.at(5).told("C1", "orders-0", -1).commits("C1", "orders-0", 3).told("C1", "orders-0", 3);
  EXPECT_EQ(check_offsets(run.history()).outcome, Outcome::kValid);
  run.at(6).told("C1", "orders-0", 2);
  EXPECT_EQ(check_offsets(run.history()).outcome, Outcome::kInvalid);
}

TEST(DeliveryChecker, SaysWhatStandsTwiceIsLostOrPending) {
  RunBuilder run = one_member();
  run.at(5).appended("P1", "orders-0", 0, "o0.0,o0.1,o0.2").appended("P1", "orders-1", 0, "o1.0");
  run.at(6).invoices("C1", "o0.0").invoices("C1", "o0.0").invoices("C1", "o0.1");
  run.at(7).commits("C1", "orders-0", 3).ends();
  const History history = run.history();
  const std::vector<Delivery> found = deliveries(history);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].records, 4);
  EXPECT_EQ(found[0].once, 1);
  EXPECT_EQ(found[0].duplicates, (std::map<std::string, std::int64_t>{{"o0.0", 2}}));
  EXPECT_EQ(found[0].lost, std::vector<std::string>{"o0.2"});
  EXPECT_EQ(found[0].pending, std::vector<std::string>{"o1.0"});
  EXPECT_EQ(check_delivery(history).outcome, Outcome::kValid);
}

TEST(DeliveryChecker, AnInventedInvoiceIsFound) {
  RunBuilder run = one_member();
  run.at(6).invoices("C1", "o0.0");
  EXPECT_EQ(check_delivery(run.history()).outcome, Outcome::kInvalid);
}

TEST(DeliveryChecker, NamesAreSortedByOffset) {
  std::vector<std::string> names{"o2.10", "p0.1", "o2.9"};
  sort_records(names);
  EXPECT_EQ(names, (std::vector<std::string>{"o2.9", "o2.10", "p0.1"}));
}

}  // namespace
}  // namespace fencepost::lab
