#include "lab/scenario.h"

#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/events.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

constexpr const char* kGood = R"(name: small
about: A member joins.
tick.ms: 500
seed: 7
topics: {orders: 3, payments: {partitions: 2, short: pay}, invoices: 1}
defaults:
  consumer: {session.timeout.ms: 6000}
processes:
  B1: {role: broker}
  P1: {role: producer, schedule: {5: {o0: 2, payments: 1}}, interval.ms: 250}
  C1: {role: consumer, group.id: billing, subscribe: [orders, payments], output: invoices}
  C2: {role: consumer, group.id: billing, subscribe: orders, session.timeout.ms: 9000}
  A1: {role: consumer, assign: [o1, invoices]}
timeline:
  - {at: 10, start: C2}
  - {when: {process: C2, event: record.processing, record: o2.3}, kill: C2, every: true}
  - {when: {process: C1, api: OffsetCommit, response: false, nth: 2}, drop: {from: C1, times: 1}}
  - {at: 20, partition: C1}
  - {at: 21, heal: true, restart: [C2]}
until: {event: log.appended, partition: o2, at most: 60}
expect:
  duplicates: [o2.3]
  lost: 0
  assignments: [{C1: [o0, orders-1], C2: []}]
  errors: {process: C2, error: UNKNOWN_MEMBER_ID}
  order: {C1: [JoinGroup, SyncGroup]}
  committed: {o2: 6, o1: ~}
)";

wire::Plan plan_of(const std::string& text) {
  const LoadedScenario loaded = parse_scenario(text, "test.yaml");
  for (const Mistake& mistake : loaded.mistakes) ADD_FAILURE() << to_string(mistake);
  return loaded.scenario ? loaded.scenario->plan : wire::Plan();
}

std::string property(const wire::Plan& plan, const std::string& process, const std::string& name) {
  for (const wire::ProcessSpec& spec : plan.processes()) {
    if (spec.name() != process) continue;
    for (const wire::Property& one : spec.properties()) {
      if (one.name() == name) return one.value();
    }
  }
  return "";
}

TEST(Scenario, HeadingAndTopicsAreTaken) {
  const wire::Plan plan = plan_of(kGood);
  EXPECT_EQ(plan.name(), "small");
  EXPECT_EQ(plan.tick_ms(), 500);
  EXPECT_EQ(plan.seed(), 7U);
  ASSERT_EQ(plan.topics_size(), 3);
  EXPECT_EQ(plan.topics(0).short_name(), "o");
  EXPECT_EQ(plan.topics(1).short_name(), "pay");
  EXPECT_EQ(plan.until().tick(), 60);
  EXPECT_EQ(plan.until().when().where_size(), 2);
}

TEST(Scenario, ProcessesGetDefaultsAndWhatTheyMustKnow) {
  const wire::Plan plan = plan_of(kGood);
  EXPECT_EQ(property(plan, "C1", "session.timeout.ms"), "6000");
  EXPECT_EQ(property(plan, "C2", "session.timeout.ms"), "9000");
  EXPECT_EQ(property(plan, "C1", "bootstrap.servers"), "B1:19092");
  EXPECT_EQ(property(plan, "B1", "app.topics"), "orders:3,payments:2,invoices:1");
  EXPECT_EQ(property(plan, "B1", "app.cluster"), "B1");
  EXPECT_EQ(property(plan, "P1", "app.short.names"), "orders=o,payments=pay,invoices=i");
}

TEST(Scenario, ShortFormsBecomeProperties) {
  const wire::Plan plan = plan_of(kGood);
  EXPECT_EQ(property(plan, "C1", "app.subscribe"), "orders,payments");
  EXPECT_EQ(property(plan, "A1", "app.assign"), "orders-1,invoices");
  EXPECT_EQ(property(plan, "P1", "app.interval.ms"), "250");
  EXPECT_EQ(property(plan, "P1", "app.schedule"), "5:orders-0=2,payments-0=1,payments-1=1");
}

TEST(Scenario, WhatNoRuleStartsIsStartedAtTickZero) {
  const wire::Plan plan = plan_of(kGood);
  ASSERT_EQ(plan.rules_size(), 6);
  EXPECT_EQ(plan.rules(0).at_tick(), 0);
  EXPECT_EQ(plan.rules(0).text(), "{at: 0, start: [B1, P1, C1, A1]}");
}

TEST(Scenario, RulesAreCompiled) {
  const wire::Plan plan = plan_of(kGood);
  EXPECT_TRUE(plan.rules(2).every());
  EXPECT_EQ(plan.rules(2).when().where(0).key(), "record");
  EXPECT_EQ(plan.rules(3).when().nth(), 2);
  EXPECT_EQ(plan.rules(3).actions(0).link().times(), 1);
  ASSERT_EQ(plan.rules(4).actions(0).sides_size(), 2);
  EXPECT_EQ(plan.rules(4).actions(0).sides(1).processes_size(), 4);
  EXPECT_EQ(plan.rules(5).actions_size(), 2);
}

TEST(Scenario, ExpectationsKeepWhatTheScenarioWrote) {
  const LoadedScenario loaded = parse_scenario(kGood, "test.yaml");
  ASSERT_TRUE(loaded.scenario.has_value());
  const Expectations& expected = loaded.scenario->expectations;
  ASSERT_EQ(expected.list.size(), 6U);
  EXPECT_EQ(expected.list[0].text, "duplicates: [o2.3]");
  EXPECT_EQ(expected.list[1].text, "lost: 0");
}

// ---- mistakes ----

struct BadCase {
  const char* name;
  const char* text;
  const char* expected;  // part of one line of what is said
};

class ScenarioMistake : public testing::TestWithParam<BadCase> {};

// A scenario that is fine up to what is appended to it.
constexpr const char* kBase =
    "topics: {orders: 3}\n"
    "processes: {B1: {role: broker}, C1: {role: consumer, group.id: g, subscribe: orders}}\n";

TEST_P(ScenarioMistake, IsNamedWithItsPlace) {
  const std::string text = GetParam().text;
  const bool whole = text.starts_with("!");
  const LoadedScenario loaded = parse_scenario(whole ? text.substr(1) : kBase + text, "bad.yaml");
  EXPECT_FALSE(loaded.scenario.has_value());
  ASSERT_FALSE(loaded.mistakes.empty());
  std::string all;
  for (const Mistake& mistake : loaded.mistakes) {
    const std::string line = to_string(mistake);
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    EXPECT_TRUE(line.starts_with("bad.yaml:")) << line;
    all += line + "\n";
  }
  EXPECT_NE(all.find(GetParam().expected), std::string::npos) << all;
}

constexpr BadCase kBadCases[] = {
    {"Empty", "!", "bad.yaml:1:1: the file is empty"},
    {"OnlyComment", "!# nothing\n", "the file is empty"},
    {"NotAMap", "![1, 2]\n", "a scenario must be a map"},
    {"Syntax", "!name: [a, b\n", "YAML: "},
    {"TabIndent", "!processes:\n\tB1: {}\n", "YAML: "},
    {"Anchor", "!name: &a x\n", "anchors"},
    {"Alias", "!a: *b\n", "bad.yaml:1:"},
    {"Tag", "!name: !!binary abc\n", "tags"},
    {"SecondDocument", "!name: a\n---\nname: b\n", "a second document"},
    {"ListAsKey", "![a]: b\n", "a key must be one word"},
    {"NoProcesses", "!name: x\nuntil: 3\n", "there are no processes"},
    {"UnknownKey", "until: 9\ntimelime: []\n",
     "bad.yaml:4:1: unknown key of a scenario \"timelime\"; did you mean \"timeline\"?"},
    {"DuplicateKey", "until: 9\nuntil: 10\n", "bad.yaml:4:1: \"until\" stands here twice"},
    {"NoUntil", "seed: 3\n", "until is missing"},
    {"UntilText", "until: soon\n", "until must be a whole number, not \"soon\""},
    {"UntilNegative", "until: -1\n", "until is -1"},
    {"UntilHuge", "until: 99999999999999999999\n", "until must be a whole number"},
    {"UntilEventOpen", "until: {event: log.appended}\n", "at most"},
    {"TickMsZero", "until: 9\ntick.ms: 0\n", "tick.ms is 0"},
    {"UnknownProcess", "until: 9\ntimeline: [{at: 1, kill: C9}]\n", "unknown process \"C9\""},
    {"StartUnknown", "until: 9\ntimeline: [{at: 1, start: [C1, C7]}]\n", "unknown process \"C7\""},
    {"NoAction", "until: 9\ntimeline: [{at: 1}]\n", "a rule without an action"},
    {"NoTrigger", "until: 9\ntimeline: [{kill: C1}]\n", "a rule needs `at: TICK` or `when"},
    {"TwoTriggers", "until: 9\ntimeline: [{at: 1, when: {event: log.appended}, kill: C1}]\n",
     "not both"},
    {"AtNegative", "until: 9\ntimeline: [{at: -3, kill: C1}]\n", "at is -3"},
    {"AtText", "until: 9\ntimeline: [{at: later, kill: C1}]\n", "at must be a whole number"},
    {"AtAfterEnd", "until: 9\ntimeline: [{at: 10, kill: C1}]\n", "after the end of the run"},
    {"UnknownAction", "until: 9\ntimeline: [{at: 1, kil: C1}]\n", "did you mean \"kill\"?"},
    {"UnknownEvent", "until: 9\ntimeline: [{when: {event: record.procesing}, kill: C1}]\n",
     "did you mean \"record.processing\"?"},
    {"UnknownAttribute",
     "until: 9\ntimeline: [{when: {event: record.processing, recrod: o1.1}, kill: C1}]\n",
     "did you mean \"record\"?"},
    {"UnknownApi", "until: 9\ntimeline: [{when: {api: OffsetComit}, kill: C1}]\n",
     "did you mean \"OffsetCommit\"?"},
    {"SlowWithoutTicks", "until: 9\ntimeline: [{at: 1, slow: {process: C1}}]\n", "slow needs"},
    {"DelayWithoutTicks", "until: 9\ntimeline: [{at: 1, delay: {from: C1}}]\n",
     "delay needs ticks"},
    {"OneSide", "until: 9\ntimeline: [{at: 1, partition: [[C1, B1]]}]\n", "at least two sides"},
    {"TwoSidesOneName", "until: 9\ntimeline: [{at: 1, partition: [[C1], [C1, B1]]}]\n",
     "stands on two sides"},
    {"TimelineMap", "until: 9\ntimeline: {at: 1}\n", "timeline must be a list"},
    {"UnknownRole", "!processes: {X: {role: brokr}}\nuntil: 3\n", "did you mean \"broker\"?"},
    {"NoRole", "!processes: {X: {group.id: g}}\nuntil: 3\n", "X has no role"},
    {"NoBroker", "!processes: {C1: {role: consumer, group.id: g}}\nuntil: 3\n", "needs a broker"},
    {"BadName", "!processes: {../x: {role: broker}}\nuntil: 3\n", "is no name of a process"},
    {"NameOfTheClock", "!processes: {clock: {role: broker}}\nuntil: 3\n",
     "\"clock\": the clock has this name"},
    {"UnknownProperty",
     "!processes: {B1: {role: broker}, C1: {role: consumer, sesion.timeout.ms: 3}}\nuntil: 3\n",
     "did you mean \"session.timeout.ms\"?"},
    {"BadPropertyValue",
     "!processes: {B1: {role: broker}, C1: {role: consumer, session.timeout.ms: abc}}\nuntil: 3\n",
     "session.timeout.ms"},
    {"UnknownTopic",
     "!topics: {orders: 1}\n"
     "processes: {B1: {role: broker}, C1: {role: consumer, group.id: g, subscribe: order}}\n"
     "until: 3\n",
     "unknown topic \"order\"; did you mean \"orders\"?"},
    {"NoPartitions", "!topics: {orders: 0}\nprocesses: {B1: {role: broker}}\nuntil: 3\n",
     "must be from 1 to"},
    {"UnknownPartition", "until: 9\nexpect: {committed: {o7: 3}}\n", "unknown partition \"o7\""},
    {"UnknownExpectation", "until: 9\nexpect: {duplicate: 3}\n", "did you mean \"duplicates\"?"},
    {"UnknownError", "until: 9\nexpect: {errors: {process: C1, error: UNKNOWN_MEMBER}}\n",
     "did you mean \"UNKNOWN_MEMBER_ID\"?"},
    {"TopicForPartitions", "until: 9\nexpect: {assignments: [{C1: [orders]}]}\n",
     "\"orders\" is a topic; name its partitions: o0, o1, o2"},
    {"PartitionsInOneWord", "until: 9\nexpect: {assignments: [{C1: \"o0,o2\"}]}\n",
     "write a list: [o0, o2]"},
    {"AssignInOneWord",
     "!topics: {orders: 3}\nuntil: 9\n"
     "processes: {B1: {role: broker}, A1: {role: consumer, assign: \"o0,o2\"}}\n",
     "write a list: [o0, o2]"},
    {"RecordOfNoTopic", "until: 9\nexpect: {duplicates: [q2.99]}\n", "unknown partition \"q2\""},
    {"NoRecord", "until: 9\nexpect: {lost: [o2]}\n", "\"o2\" names no record"},
    {"ErrorOfABroker", "until: 9\nexpect: {errors: {process: B1, error: NOT_COORDINATOR}}\n",
     "B1 is a broker, and is never refused anything: only a consumer or a producer or a "
     "probe or an admin does"},
    {"CallOfABroker",
     "until: 9\ntimeline: [{at: 1, call: {process: B1, method: subscribe, arguments: [orders]}}]\n",
     "B1 is a broker, and has no methods to call: only a consumer does"},
    {"SlowBroker", "until: 9\ntimeline: [{at: 1, slow: {process: B1, ticks: 5}}]\n",
     "B1 is a broker, and processes no records: only a consumer does"},
    {"FetchOfABroker",
     "until: 9\nexpect: {fetches.from: {process: B1, partition: o0, offset: 0}}\n",
     "B1 is a broker, and sends no Fetch"},
    {"EventOfAnotherRole",
     "until: 9\ntimeline: [{when: {process: C1, event: member.removed}, kill: C1}]\n",
     "C1 is a consumer, and never reports member.removed: only a broker does"},
    {"TicksBackwards",
     "until: 9\nexpect: {events: {process: C1, event: poll.returned, ticks: [7, 3]}}\n",
     "the first tick is after the last"},
    {"ThreeTicks",
     "until: 9\nexpect: {events: {process: C1, event: poll.returned, ticks: [1, 2, 3]}}\n",
     "ticks are one, or the first and the last"},
    {"IncludeElsewhere", "until: 9\ninclude: ../x.yaml\n", "in the same folder"},
};

INSTANTIATE_TEST_SUITE_P(All, ScenarioMistake, testing::ValuesIn(kBadCases),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(ScenarioMistakes, AreAllNamedInTheOrderOfTheFile) {
  const LoadedScenario loaded =
      parse_scenario(std::string(kBase) +
                         "until: 9\ntimeline: [{at: 1, kill: C9}, {at: 99, kill: C1}]\n"
                         "expect: {lots: 1}\n",
                     "bad.yaml");
  ASSERT_EQ(loaded.mistakes.size(), 3U);
  EXPECT_EQ(loaded.mistakes[0].place.line, 4);
  EXPECT_EQ(loaded.mistakes[2].place.line, 5);
}

TEST(ScenarioMistakes, AMisspeltUntilMakesNoTickTooLate) {
  const LoadedScenario loaded =
      parse_scenario(std::string(kBase) + "untl: 50\ntimeline: [{at: 20, kill: C1}]\n", "bad.yaml");
  ASSERT_EQ(loaded.mistakes.size(), 2U);
  for (const Mistake& mistake : loaded.mistakes) {
    EXPECT_NE(mistake.message.find("until"), std::string::npos) << mistake.message;
    EXPECT_EQ(mistake.message.find("after the end"), std::string::npos) << mistake.message;
  }
}

TEST(ScenarioMistakes, EveryEventHasAReporter) {
  for (const events::EventInfo& event : events::all_events()) {
    int mistakes = 0;
    for (const char* process : {"B1", "C1"}) {
      const LoadedScenario loaded =
          parse_scenario(fmt::format("{}until: 9\nexpect: {{events: {{process: {}, event: {}}}}}\n",
                                     kBase, process, event.name),
                         "test.yaml");
      mistakes += static_cast<int>(loaded.mistakes.size());
    }
    const bool elsewhere =
        event.name == events::kSourceFinished || event.name.starts_with("probe.");
    const bool anybody = event.name == events::kProcessExited;
    EXPECT_EQ(mistakes, anybody ? 0 : elsewhere ? 2 : 1) << event.name;
  }
}

TEST(ScenarioMistakes, DeepNestingIsRefused) {
  for (const std::string& unit : {std::string("["), std::string("{a: "), std::string("- ")}) {
    std::string text;
    for (int depth = 0; depth < 20'000; ++depth) text += unit;
    const LoadedScenario loaded = parse_scenario(text, "bad.yaml");
    ASSERT_FALSE(loaded.mistakes.empty());
    EXPECT_FALSE(loaded.scenario.has_value()) << loaded.mistakes[0].message;
  }
}

TEST(ScenarioMistakes, TruncationAtEveryByteIsNoCrash) {
  const std::string text = kGood;
  for (std::size_t length = 0; length < text.size(); ++length) {
    const LoadedScenario loaded = parse_scenario(text.substr(0, length), "cut.yaml");
    EXPECT_EQ(loaded.scenario.has_value(), loaded.mistakes.empty());
  }
}

// ---- files ----

class ScenarioFile : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  test::Scratch scratch_;
  std::filesystem::path folder_ = scratch_.path();
};

TEST_F(ScenarioFile, AbsentIsSaid) {
  const LoadedScenario loaded = load_scenario((folder_ / "none.yaml").string());
  ASSERT_EQ(loaded.mistakes.size(), 1U);
  EXPECT_EQ(to_string(loaded.mistakes[0]),
            (folder_ / "none.yaml").string() + ": there is no such file");
  const LoadedScenario relative = load_scenario("none.yaml");
  ASSERT_EQ(relative.mistakes.size(), 1U);
  EXPECT_EQ(to_string(relative.mistakes[0]),
            "none.yaml: there is no such file in " + std::filesystem::current_path().string());
}

TEST_F(ScenarioFile, DirectoryIsSaid) {
  const LoadedScenario loaded = load_scenario(folder_.string());
  ASSERT_EQ(loaded.mistakes.size(), 1U);
  EXPECT_NE(loaded.mistakes[0].message.find("directory"), std::string::npos);
}

TEST_F(ScenarioFile, BinaryIsSaidWithItsPlace) {
  const std::string path = write("x.yaml", std::string("name: a\nb\0c", 11));
  const LoadedScenario loaded = load_scenario(path);
  ASSERT_EQ(loaded.mistakes.size(), 1U);
  EXPECT_EQ(to_string(loaded.mistakes[0]),
            path + ":2:2: not a text file: it contains the byte 0x00");
}

TEST_F(ScenarioFile, TooLargeIsSaid) {
  const LoadedScenario loaded = load_scenario(write("x.yaml", std::string(1 << 20, 'a')));
  ASSERT_EQ(loaded.mistakes.size(), 1U);
  EXPECT_NE(loaded.mistakes[0].message.find("larger than"), std::string::npos);
}

TEST_F(ScenarioFile, IncludedSettingIsWeakerAndItsMistakesAreItsOwn) {
  write("setting.yaml", std::string(kBase) + "seed: 3\ntick.ms: 10\n");
  const std::string path = write("x.yaml", "include: setting.yaml\nseed: 4\nuntil: 9\n");
  const LoadedScenario loaded = load_scenario(path);
  ASSERT_TRUE(loaded.scenario.has_value());
  EXPECT_EQ(loaded.scenario->plan.seed(), 4U);
  EXPECT_EQ(loaded.scenario->plan.tick_ms(), 10);
  EXPECT_EQ(loaded.scenario->files.size(), 2U);
  EXPECT_EQ(loaded.scenario->files[0].name, "x.yaml");
  write("x.yaml",
        "include: setting.yaml\nuntil: 9\n"
        "defaults: {consumer: {heartbeat.interval.ms: 3, session.timeout.ms: 2}}\n");
  const LoadedScenario clash = load_scenario(path);
  ASSERT_EQ(clash.mistakes.size(), 1U);
  EXPECT_NE(to_string(clash.mistakes[0]).find("x.yaml:3:12: C1: heartbeat.interval.ms"),
            std::string::npos)
      << to_string(clash.mistakes[0]);
  write("x.yaml", "include: setting.yaml\nseed: 4\nuntil: 9\n");
  write("setting.yaml", std::string(kBase) + "seeed: 3\n");
  const LoadedScenario bad = load_scenario(path);
  ASSERT_EQ(bad.mistakes.size(), 1U);
  EXPECT_NE(to_string(bad.mistakes[0]).find("setting.yaml:3:1: unknown key"), std::string::npos);
}

}  // namespace
}  // namespace fencepost::lab
