// Sentences of causes, link by link and as a whole.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <fstream>
#include <iterator>
#include <set>

#include "common/events.h"
#include "lab/why/expected.h"
#include "lab/why/why.h"
#include "tests/lab/run_builder.h"
#include "tests/scratch.h"

namespace fencepost::lab::why {
namespace {

// The issue's own example: C2 is stopped at tick 35 with two invoices that are not committed.
RunBuilder stopped_member() {
  RunBuilder run;
  run.joins("B1", "broker").joins("P1", "producer").joins("C1", "consumer").joins("C2", "consumer");
  run.at(1).appended("P1", "payments-2", 0, "p2.0,p2.1,p2.2,p2.3,p2.4");
  run.at(5).prepares("Empty", "member C1 joined").forms(3, {{"C1", ""}, {"C2", "payments-2"}});
  run.at(7).assigned("C2", 3, "payments-2").fetches("C2", "payments-2", 0);
  run.at(20).invoices("C2", "p2.0").invoices("C2", "p2.1").invoices("C2", "p2.2");
  run.commits("C2", "payments-2", 3);
  run.at(34).invoices("C2", "p2.3").invoices("C2", "p2.4");
  run.at(35).stopped("C2").heartbeats("C2");
  run.at(41).event("B1", events::kMemberRemoved,
                   {{"group", "billing"},
                    {"member", "C2"},
                    {"client", "C2"},
                    {"reason", "session of member C2 expired"}});
  run.prepares("Stable", "session of member C2 expired");
  run.at(44).forms(4, {{"C1", "payments-2"}});
  run.at(45).assigned("C1", 4, "payments-2");
  run.at(59).fetches("C1", "payments-2", 3);
  run.at(60).invoices("C1", "p2.3").invoices("C1", "p2.4").ends();
  return run;
}

class Why : public testing::Test {
 protected:
  History read(const RunBuilder& run) {
    const std::string path = (scratch_.path() / "capture.bin").string();
    run.write(path);
    return read_history(path, Expectations{}, Reading::kWithEvidence);
  }
  wire::Plan plan_with(const std::string& process, const std::string& property,
                       const std::string& value) {
    wire::Plan plan;
    wire::ProcessSpec& spec = *plan.add_processes();
    spec.set_name(process);
    spec.set_role("consumer");
    wire::Property& set = *spec.add_properties();
    set.set_name(property);
    set.set_value(value);
    return plan;
  }

  test::Scratch scratch_;
};

std::string joined(const std::vector<std::string>& sentences) {
  return fmt::format("{}", fmt::join(sentences, " "));
}

TEST_F(Why, TellsTheChainOfARebalanceWithValuesCostAndWhatWasWrittenAgain) {
  const History history = read(stopped_member());
  const wire::Plan plan = plan_with("C2", "session.timeout.ms", "6000");
  const std::vector<Explanation> found = Explainer(history, &plan).rebalances();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(joined(found[1].sentences),
            "Rebalance to generation 4 began at tick 41: C2's session timed out, last heard at "
            "tick 35, session.timeout.ms=6000 is 6 ticks; C2 had been stopped (SIGSTOP) at tick "
            "35. It cost 18 partition ticks. inv(p2.3) and inv(p2.4) were written again by C1, "
            "since the committed offset of p2 was 3.");
  EXPECT_TRUE(found[1].explained());
  EXPECT_EQ(found[1].wasted, false);
}

TEST_F(Why, SaysNoValueThatItDoesNotKnow) {
  const History history = read(stopped_member());
  const std::vector<Explanation> found = Explainer(history).rebalances();
  EXPECT_TRUE(joined(found[1].sentences)
                  .starts_with("Rebalance to generation 4 began at tick 41: C2's session timed "
                               "out, last heard at tick 35; C2 had been stopped"));
}

TEST_F(Why, SaysNoValueThatIsNotTheDeadline) {
  const History history = read(stopped_member());
  const wire::Plan plan = plan_with("C2", "session.timeout.ms", "45000");
  const std::vector<Explanation> found = Explainer(history, &plan).rebalances();
  EXPECT_EQ(joined(found[1].sentences).find("45000"), std::string::npos);
}

TEST_F(Why, ExplainsARecordThatStandsTwice) {
  const History history = read(stopped_member());
  const std::vector<Explanation> found = Explainer(history).duplicates();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].subject, "p2.3");
  EXPECT_EQ(as_expected(found[0].causes.front()),
            "{commit.behind: p2, tick: 59}, {not.committed: C2, tick: 34}, {session.timeout: C2, "
            "tick: 41}, {stopped: C2, tick: 35}");
}

TEST_F(Why, JudgesAChainAndSaysWhatWasFoundInstead) {
  const History history = read(stopped_member());
  WhyJudge judge(history, nullptr);
  ExpectWhy expected;
  expected.what = "rebalance";
  expected.number = 2;
  expected.because = {{.kind = "session.timeout", .word = "C2", .tick = Tick(41)},
                      {.kind = "stopped", .word = "C2", .tick = Tick(35)}};
  EXPECT_EQ(judge.differs(expected, "billing"), "");
  expected.because[1].kind = "killed";
  EXPECT_EQ(judge.differs(expected, "billing"),
            "found at tick 41: because: [{session.timeout: C2, tick: 41}, {stopped: C2, tick: "
            "35}]");
  expected.number = 7;
  EXPECT_TRUE(judge.differs(expected, "billing").starts_with("not found"));
}

// ---- links ----

std::string outside_brackets(std::string_view form) {
  std::string text;
  int depth = 0;
  for (const char character : form) {
    if (character == '[') ++depth;
    if (depth == 0) text += character;
    if (character == ']') --depth;
  }
  return text;
}

struct ClauseCase {
  std::string name;
  Link link;
  std::string clause;
};

class Clauses : public testing::TestWithParam<ClauseCase> {};

TEST_P(Clauses, ReadLikeThis) { EXPECT_EQ(clause(GetParam().link), GetParam().clause); }

const Moment kAt{Tick(40), 7};

INSTANTIATE_TEST_SUITE_P(
    Links, Clauses,
    testing::Values(
        ClauseCase{"joined",
                   {.kind = Kind::kJoined, .when = kAt, .process = "C1"},
                   "C1 joined for the first time"},
        ClauseCase{"session_without_anything",
                   {.kind = Kind::kSessionTimeout, .when = kAt, .process = "C1"},
                   "C1's session timed out"},
        ClauseCase{"session_by_default",
                   {.kind = Kind::kSessionTimeout,
                    .when = kAt,
                    .process = "C1",
                    .detail = "heard",
                    .since = Tick(3),
                    .setting = Setting{"session.timeout.ms", "45000", true, TickSpan(45)}},
                   "C1's session timed out, last heard at tick 3, session.timeout.ms=45000 (the "
                   "default) is 45 ticks"},
        ClauseCase{"poll",
                   {.kind = Kind::kMaxPollInterval,
                    .when = kAt,
                    .process = "C2",
                    .since = Tick(28),
                    .setting = Setting{"max.poll.interval.ms", "12000", false, TickSpan(12)}},
                   "C2 left by itself at tick 40: its last poll was at tick 28, "
                   "max.poll.interval.ms=12000 is 12 ticks"},
        ClauseCase{"killed_by_a_person",
                   {.kind = Kind::kKilled, .when = kAt, .process = "C1", .by = "a person"},
                   "C1 had been killed (kill -9) at tick 40 by a person"},
        ClauseCase{"killed_by_a_rule",
                   {.kind = Kind::kKilled, .when = kAt, .process = "C1", .by = "rule {kill: C1}"},
                   "C1 had been killed (kill -9) at tick 40"},
        ClauseCase{"fenced",
                   {.kind = Kind::kInstanceTaken,
                    .when = kAt,
                    .process = "C1",
                    .subject = "billing-1",
                    .other = "C2"},
                   "C2 took C1's place at tick 40: both have group.instance.id=billing-1"},
        ClauseCase{"gave_up",
                   {.kind = Kind::kGaveUp, .when = kAt, .process = "C1", .subject = "o2"},
                   "C1 joined again, since it had given up o2 for others"},
        ClauseCase{"refused_commit",
                   {.kind = Kind::kNotCommitted,
                    .when = kAt,
                    .process = "C2",
                    .subject = "it",
                    .detail = "UNKNOWN_MEMBER_ID",
                    .since = Tick(66)},
                   "C2 had done it at tick 40 and not committed it: its OffsetCommit was refused "
                   "with UNKNOWN_MEMBER_ID at tick 66"},
        ClauseCase{"committed_before",
                   {.kind = Kind::kCommitAhead,
                    .when = kAt,
                    .process = "C2",
                    .subject = "p2",
                    .other = "C1",
                    .detail = "6",
                    .setting = Setting{"app.commit", "before", false, {}}},
                   "C2 had committed p2=6 at tick 40, before it was done (app.commit=before), and "
                   "C1 went on there"},
        ClauseCase{"partitions",
                   {.kind = Kind::kPartitionsAdded,
                    .when = kAt,
                    .subject = "orders",
                    .other = "X1",
                    .detail = "4"},
                   "orders had got 4 partitions at tick 40, by X1"},
        ClauseCase{"expired",
                   {.kind = Kind::kOffsetsExpired,
                    .when = kAt,
                    .subject = "o0",
                    .setting = Setting{"offsets.retention.minutes", "2", false, TickSpan(120)}},
                   "the committed offset of o0 had expired at tick 40, "
                   "offsets.retention.minutes=2 is 120 ticks"}),
    [](const auto& tested) { return tested.param.name; });

TEST(Kinds, ReadWithoutGapsWhateverOfALinkIsKnown) {
  const std::string x = "x";
  for (const KindInfo& kind : all_kinds()) {
    Link bare{.kind = kind.kind, .when = kAt, .process = x, .subject = x, .other = x, .detail = x};
    Link full = bare;
    full.since = full.until = Tick(3);
    full.by = "rule {kill: C1}";
    full.setting = Setting{"session.timeout.ms", "6000", true, TickSpan(6)};
    Link least{.kind = kind.kind, .when = kAt};
    // What a kind cannot do without.
    for (const auto& [hole, field] :
         {std::pair{"{process}", &Link::process}, std::pair{"{subject}", &Link::subject},
          std::pair{"{other}", &Link::other}, std::pair{"{detail}", &Link::detail}}) {
      if (outside_brackets(kind.clause).find(hole) != std::string::npos) least.*field = x;
    }
    least.since = full.since;
    least.until = full.until;
    for (const Link& link : {bare, full, least}) {
      const std::string text = clause(link);
      EXPECT_EQ(text.find("  "), std::string::npos) << text;
      EXPECT_EQ(text.find(" ,"), std::string::npos) << text;
      EXPECT_EQ(text.find("()"), std::string::npos) << text;
      EXPECT_NE(text.back(), ' ') << text;
    }
  }
}

TEST(Kinds, HaveEachAWordOfItsOwnAndAClauseThatCanBeFilled) {
  std::set<std::string_view> names;
  for (const KindInfo& kind : all_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(
        clause({.kind = kind.kind, .process = "C1", .subject = "o0", .detail = "x"}).empty());
  }
}

TEST(WhyPage, HasTheTableOfKinds) {
  std::ifstream in(std::string(FENCEPOST_SOURCE_DIR) + "/docs/why.md");
  const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  for (const KindInfo& kind : all_kinds()) {
    const std::string row =
        fmt::format("| `{}` | {} | {} |\n", kind.name,
                    kind.subject == "process" ? "process" : "thing", kind.meaning);
    EXPECT_NE(page.find(row), std::string::npos) << "docs/why.md lacks the row\n" << row;
  }
}

}  // namespace
}  // namespace fencepost::lab::why
