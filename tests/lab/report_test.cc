// Expectations, the story, the packet list and diff, over captures built by hand.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "common/events.h"
#include "lab/diff.h"
#include "lab/expectations.h"
#include "lab/packets/packet_list.h"
#include "lab/scenario.h"
#include "lab/story.h"
#include "lab/wording.h"
#include "tests/lab/run_builder.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

using Outcome = Verdict::Outcome;

RunBuilder small_run() {
  RunBuilder run;
  run.joins("B1", "broker").joins("P1", "producer").joins("C1", "consumer");
  run.at(2).prepares("Empty", "member C1 joined").forms(1, {{"C1", "orders-0,orders-1"}});
  run.at(3).assigned("C1", 1, "orders-0,orders-1");
  run.at(4).fetches("C1", "orders-0", 0);
  run.at(5).appended("P1", "orders-0", 0, "o0.0,o0.1");
  run.at(6).invoices("C1", "o0.0").invoices("C1", "o0.0");
  run.at(7).commits("C1", "orders-0", 2).refused("C1", ErrorCode::kRebalanceInProgress);
  run.at(9).killed("C1");
  return run;
}

// C1 has done o0.0 and o0.1, commits 1, and dies.
RunBuilder small_run_until_crash() {
  RunBuilder run;
  run.joins("B1", "broker").joins("P1", "producer").joins("C1", "consumer");
  run.at(2).prepares("Empty", "member C1 joined").forms(1, {{"C1", "orders-0,orders-1"}});
  run.at(3).assigned("C1", 1, "orders-0,orders-1");
  run.at(4).fetches("C1", "orders-0", 0);
  run.at(5).appended("P1", "orders-0", 0, "o0.0,o0.1,o0.2");
  run.at(6).invoices("C1", "o0.0").at(7).commits("C1", "orders-0", 1).at(8).invoices("C1", "o0.1");
  run.at(9).killed("C1");
  return run;
}

struct ExpectCase {
  const char* name;
  const char* expect;
  Outcome outcome;
};

class Expected : public testing::TestWithParam<ExpectCase> {};

TEST_P(Expected, IsJudgedByTheHistory) {
  const std::string text =
      "topics: {orders: 3, payments: 3, invoices: 1}\nuntil: 9\n"
      "processes: {B1: {role: broker}, P1: {role: producer},\n"
      "  C1: {role: consumer, group.id: billing}, A1: {role: consumer, assign: invoices}}\n"
      "expect: {" +
      std::string(GetParam().expect) + "}\n";
  const LoadedScenario loaded = parse_scenario(text, "test.yaml");
  for (const Mistake& mistake : loaded.mistakes) ADD_FAILURE() << to_string(mistake);
  ASSERT_TRUE(loaded.scenario.has_value());
  const Expectations& expected = loaded.scenario->expectations;
  const History history = small_run().ends().history(expected.watches);
  const std::vector<Verdict> verdicts = judge(expected, history);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].outcome, GetParam().outcome) << verdicts[0].detail;
}

constexpr ExpectCase kCases[] = {
    {"DuplicateCount", "duplicates: 1", Outcome::kValid},
    {"DuplicateCountWrong", "duplicates: 2", Outcome::kInvalid},
    {"DuplicateNames", "duplicates: [o0.0]", Outcome::kValid},
    {"DuplicateNamesWrong", "duplicates: [o0.1]", Outcome::kInvalid},
    {"Lost", "lost: [o0.1]", Outcome::kValid},
    {"LostWrong", "lost: 0", Outcome::kInvalid},
    {"Pending", "pending: 0", Outcome::kValid},
    {"Generations", "generations: 1", Outcome::kValid},
    {"GenerationsWrong", "generations: 2", Outcome::kInvalid},
    {"Rebalances", "rebalances: 1", Outcome::kValid},
    {"Assignments", "assignments: [{C1: [o0, o1]}]", Outcome::kValid},
    {"AssignmentsWrong", "assignments: [{C1: [o0]}]", Outcome::kInvalid},
    {"AssignmentsTooFew", "assignments: [{C1: [o0, o1]}, {C1: [o0]}]", Outcome::kInvalid},
    {"Paused", "paused: [0]", Outcome::kValid},
    {"PausedWrong", "paused: [1]", Outcome::kInvalid},
    {"Error", "errors: {process: C1, error: REBALANCE_IN_PROGRESS, api: Heartbeat}",
     Outcome::kValid},
    {"ErrorByException", "errors: {process: C1, error: RebalanceInProgressException, count: 1}",
     Outcome::kValid},
    {"ErrorWrongApi", "errors: {process: C1, error: REBALANCE_IN_PROGRESS, api: JoinGroup}",
     Outcome::kInvalid},
    {"Order", "order: {C1: [JoinGroup, Fetch, OffsetCommit]}", Outcome::kValid},
    {"OrderWrong", "order: {C1: [Fetch, JoinGroup]}", Outcome::kInvalid},
    {"Events", "events: {process: P1, event: source.finished}", Outcome::kInvalid},
    {"EventsFound", "events: {process: B1, event: log.appended, records: o0.1, count: 1}",
     Outcome::kValid},
    {"EventsInTheirTicks",
     "events: {process: B1, event: log.appended, records: o0.1, count: 1, ticks: [4, 5]}",
     Outcome::kValid},
    {"EventsInOtherTicks",
     "events: {process: B1, event: log.appended, records: o0.1, count: 1, ticks: 6}",
     Outcome::kInvalid},
    {"EventsPacketInItsTick", "events: {api: Heartbeat, response: true, count: 1, ticks: 7}",
     Outcome::kValid},
    {"EventsPacket", "events: {api: Heartbeat, response: true, error: true}", Outcome::kValid},
    {"Committed", "committed: {o0: 2, o1: ~}", Outcome::kValid},
    {"CommittedWrong", "committed: {o0: 1}", Outcome::kInvalid},
    {"FetchFrom", "fetches.from: {process: C1, partition: o0, offset: 0}", Outcome::kValid},
    {"FetchFromWrong", "fetches.from: {process: C1, partition: o1, offset: 0}", Outcome::kInvalid},
    {"Reads", "reads: {A1: 0}", Outcome::kValid},
    {"Leaders", "leaders: C1", Outcome::kValid},
    {"Once", "invoices.once: true", Outcome::kInvalid},
    {"OtherGroup", "group: nobody, lost: 0", Outcome::kUnknown},
};

INSTANTIATE_TEST_SUITE_P(All, Expected, testing::ValuesIn(kCases),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Expectation, IsUnknownWhereTheCaptureWasCutShort) {
  Expectations expected;
  expected.list.push_back({"generations: 2", {}, ExpectNumber{.count = 2}});
  const std::vector<Verdict> verdicts = judge(expected, small_run().history());
  EXPECT_EQ(verdicts[0].outcome, Outcome::kUnknown);
}

TEST(Story, TellsWhatStoodTwiceAndWhatWasLost) {
  const History history = small_run().ends().history();
  const std::string story = tell_story(history, "About it.", {{}, check_all(history)});
  EXPECT_NE(story.find("twice    o0.0\n"), std::string::npos) << story;
  EXPECT_NE(story.find("lost     o0.1\n"), std::string::npos) << story;
  EXPECT_NE(story.find("C1 is killed (kill -9)"), std::string::npos) << story;
  EXPECT_NE(story.find("RebalanceInProgressException"), std::string::npos) << story;
}

wire::Plan plan_of(const std::string& timeline, const std::string& until) {
  const LoadedScenario loaded = parse_scenario(
      "topics: {orders: 3}\nuntil: " + until +
          "\nprocesses: {B1: {role: broker}, P1: {role: producer},\n"
          "  C1: {role: consumer, group.id: billing, subscribe: orders}}\ntimeline: [" +
          timeline + "]\n",
      "test.yaml");
  for (const Mistake& mistake : loaded.mistakes) ADD_FAILURE() << to_string(mistake);
  return loaded.scenario ? loaded.scenario->plan : wire::Plan();
}

TEST(Story, SaysWhatHadNoEffect) {
  const wire::Plan plan = plan_of(
      "{at: 10, kill: C1}, {at: 11, cont: P1}, {at: 11, start: P1}, {at: 12, kill: P1}", "20");
  RunBuilder run = small_run();  // rule 0 starts everybody; C1 is dead since tick 9
  run.at(10).fires(1, "{at: 10, kill: C1}");
  run.at(11).fires(2, "{at: 11, cont: P1}").fires(3, "{at: 11, start: P1}");
  run.at(12).fires(4, "{at: 12, kill: P1}").killed("P1").ends();
  const std::string story = tell_story(run.history(), "", {}, &plan);
  EXPECT_NE(story.find("rule {at: 10, kill: C1}\n    10      10000 ms       no effect: C1 is not "
                       "running\n"),
            std::string::npos)
      << story;
  EXPECT_NE(story.find("no effect: P1 is not stopped"), std::string::npos) << story;
  EXPECT_NE(story.find("no effect: P1 is running already"), std::string::npos) << story;
  EXPECT_EQ(story.find("no effect: P1 is not running"), std::string::npos) << story;
}

TEST(Story, SaysWhatNeverHappened) {
  const wire::Plan plan =
      plan_of("{when: {event: record.processing, record: o0.9}, kill: C1}, {at: 3, stop: C1}",
              "{event: source.finished, process: P1, at most: 20}");
  RunBuilder run = small_run();
  run.at(1).fires(0, "{at: 0, start: [B1, P1, C1]}").at(10).ends();
  const std::string story = tell_story(run.history(), "", {}, &plan);
  EXPECT_NE(story.find("NEVER HAPPENED\n"
                       "  rule {when: {event: record.processing, record: o0.9}, kill: C1}\n"
                       "  rule {at: 3, stop: C1}\n"
                       "  until P1 source.finished\n"),
            std::string::npos)
      << story;
}

// C2 takes o0 over.
RunBuilder hand_over(std::int64_t start) {
  RunBuilder run = small_run_until_crash();
  run.at(10).joins("C2", "consumer").removed("C1").prepares("Stable", "session expired");
  run.at(12).forms(2, {{"C2", "orders-0,orders-1"}});
  run.at(13).assigned("C2", 2, "orders-0,orders-1");
  run.at(14).fetches("C2", "orders-0", start);
  return run;
}

TEST(Story, SaysFromWhereTheNextOwnerStartsAndWhatItDoesAgain) {
  RunBuilder run = hand_over(1);
  run.at(15).invoices("C2", "o0.1").invoices("C2", "o0.2").ends();
  const std::string story = tell_story(run.history(), "", {});
  EXPECT_NE(story.find("FROM WHERE\n               o0: C2 starts at 1, committed by C1 at tick 7; "
                       "o0.1 done again\n"),
            std::string::npos)
      << story;
}

TEST(Story, SaysWhatIsNeverProcessed) {
  RunBuilder run = small_run_until_crash();
  run.commits("C1", "orders-0", 3);
  run.at(10).joins("C2", "consumer").removed("C1").prepares("Stable", "session expired");
  run.at(12).forms(2, {{"C2", "orders-0"}}).at(13).assigned("C2", 2, "orders-0");
  run.at(14).fetches("C2", "orders-0", 3).ends();
  const std::string story = tell_story(run.history(), "", {});
  EXPECT_NE(story.find("o0: C2 starts at 3, committed by C1 at tick 9; o0.2 never processed"),
            std::string::npos)
      << story;
}

TEST(Story, SaysWhichPolicyDecidedWhereNothingWasCommitted) {
  RunBuilder run;
  run.joins("B1", "broker").joins("C1", "consumer");
  run.at(2).prepares("Empty", "member C1 joined").forms(1, {{"C1", "orders-0,orders-1"}});
  run.at(3).assigned("C1", 1, "orders-0,orders-1");
  run.at(4).resets("C1", "orders-0", 0, "earliest").resets("C1", "orders-1", 0, "earliest");
  run.fetches("C1", "orders-0", 0).fetches("C1", "orders-1", 0).ends();
  const std::string story = tell_story(run.history(), "", {});
  EXPECT_NE(story.find("o0 o1: C1 starts at 0, by auto.offset.reset=earliest: nothing was "
                       "committed\n"),
            std::string::npos)
      << story;
}

TEST(Story, AnEmptiedGroupHasALineOfItsOwn) {
  RunBuilder run = small_run_until_crash();
  run.at(12).removed("C1").empties("session expired");
  run.at(20).joins("C2", "consumer").prepares("Empty", "member C2 joined");
  run.forms(3, {{"C2", "orders-0"}}).assigned("C2", 3, "orders-0").ends();
  const std::string story = tell_story(run.history(), "", {});
  EXPECT_NE(story.find("  -   tick 12: the group is Empty"), std::string::npos) << story;
  EXPECT_NE(story.find("  #2  ticks 20 to 20"), std::string::npos) << story;
  EXPECT_NE(story.find("  in all 2 rebalances: paused 0 partition-ticks"), std::string::npos)
      << story;
}

TEST(Story, KeepsErrorsApartFromWhatIsPartOfTheProtocol) {
  RunBuilder run = small_run();
  run.member_id_required("C1");
  const std::string story = tell_story(run.history(), "", {});
  EXPECT_NE(story.find("ERRORS\n  none\n  part of the protocol:\n"), std::string::npos) << story;
  EXPECT_NE(story.find("MEMBER_ID_REQUIRED"), std::string::npos) << story;
  run.refused("C1", ErrorCode::kUnknownMemberId);
  EXPECT_EQ(tell_story(run.history(), "", {}).find("ERRORS\n  none"), std::string::npos);
}

TEST(PacketList, HasWiresharksColumnsAndNotesBetween) {
  PacketList list({});
  std::string text;
  const RunBuilder run = small_run();
  for (const auto& [tick, record] : run.records()) text += list.text_of(tick, record);
  EXPECT_NE(text.find("     2      4      4.000  C1     B1          Fencepost"), std::string::npos)
      << text;
  EXPECT_NE(text.find("Fetch Request  offsets=[o0=0]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("*** is killed (kill -9)"), std::string::npos) << text;
}

TEST(Diff, NamesTheFirstDifferenceWithItsNeighbours) {
  const test::Scratch scratch;
  const std::filesystem::path& folder = scratch.path();
  const std::string left = (folder / "left.bin").string();
  const std::string right = (folder / "right.bin").string();
  small_run().write(left);
  small_run().write(right);
  EXPECT_EQ(first_difference(left, right), std::nullopt);
  small_run().at(10).fetches("C1", "orders-1", 4).write(left);
  small_run().at(10).fetches("C1", "orders-1", 5).write(right);
  const auto difference = first_difference(left, right);
  ASSERT_TRUE(difference.has_value());
  EXPECT_NE(difference->find("tick 10"), std::string::npos) << *difference;
  EXPECT_NE(difference->find("o1=4"), std::string::npos) << *difference;
  EXPECT_NE(difference->find("o1=5"), std::string::npos) << *difference;
  small_run().write(right);
  EXPECT_NE(first_difference(left, right)->find("end of the capture"), std::string::npos);
}

TEST(Diff, NamesOtherHeadersAndGoesOnBehindThem) {
  const test::Scratch scratch;
  const std::filesystem::path& folder = scratch.path();
  const std::string left = (folder / "left.bin").string();
  const std::string right = (folder / "right.bin").string();
  small_run().at(10).fetches("C1", "orders-1", 4).write(left);
  small_run().seeded(7).at(10).fetches("C1", "orders-1", 5).write(right);
  const std::string difference = first_difference(left, right).value_or("");
  EXPECT_TRUE(difference.starts_with("the runs are of different seeds: 1 and 7\n")) << difference;
  EXPECT_NE(difference.find("o1=5"), std::string::npos) << difference;
  EXPECT_EQ(difference.find("step {"), std::string::npos) << difference;
  small_run().seeded(7).write(right);
  small_run().write(left);
  EXPECT_EQ(first_difference(left, right),
            "the runs are of different seeds: 1 and 7\nall packets and events are the same\n");
}

TEST(Diff, AShorterCaptureIsComparedAsFarAsItGoes) {
  const test::Scratch scratch;
  const std::filesystem::path& folder = scratch.path();
  const std::string cut = (folder / "cut.bin").string();
  const std::string whole = (folder / "whole.bin").string();
  small_run().write(cut);
  small_run().at(10).fetches("C1", "orders-1", 4).ends().write(whole);
  EXPECT_EQ(compare_prefix(cut, whole).difference, std::nullopt);
  EXPECT_EQ(compare_prefix(cut, whole).records, small_run().records().size());
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) - 1);
  EXPECT_EQ(compare_prefix(cut, whole).records, small_run().records().size() - 1);
}

TEST(Wording, LeavesUuidsOut) {
  EXPECT_EQ(without_uuids("member C1-01234567-89ab-4def-8123-0123456789ab joined"),
            "member C1 joined");
  EXPECT_EQ(without_uuids("a-b-c"), "a-b-c");
}

TEST(Wording, WrapsWords) { EXPECT_EQ(wrapped({"aa", "bb", "cc"}, 2, 7), "aa bb\n  cc"); }

}  // namespace
}  // namespace fencepost::lab
