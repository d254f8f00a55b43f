// journal.yaml, written by the clock and read for a replay.
#include <gtest/gtest.h>

#include "clock/core/journal.h"
#include "lab/journal_file.h"

namespace fencepost {
namespace {

wire::Decision decision(std::int64_t tick, wire::Decision::Kind kind, const std::string& process) {
  wire::Decision made;
  made.set_tick(tick);
  made.set_kind(kind);
  if (!process.empty()) made.set_process(process);
  return made;
}

std::string header() {
  wire::Plan plan;
  plan.set_seed(7);
  plan.set_run_id("4f1c: \"odd\"\n");
  return clock::journal_header(plan, "scenario.yaml");
}

TEST(Journal, EveryDecisionIsReadAsItWasWritten) {
  std::vector<wire::Decision> written = {
      decision(3, wire::Decision::JOIN, "C4"),   decision(5, wire::Decision::FREEZE, "C2"),
      decision(6, wire::Decision::FREEZE, "C1"), decision(8, wire::Decision::THAW, "C2"),
      decision(9, wire::Decision::CLOSE, "C1"),  decision(12, wire::Decision::KILL, "C2"),
      decision(60, wire::Decision::END, ""),
  };
  written[0].set_role("consumer");
  for (const auto& [name, value] :
       {std::pair("app.subscribe", "orders,payments"), std::pair("bootstrap.servers", "B1:19092"),
        std::pair("client.id", "- \"\\ #: {é}\t"), std::pair("group.id", "yes"),
        std::pair("group.instance.id", "")}) {
    wire::Property& property = *written[0].add_properties();
    property.set_name(name);
    property.set_value(value);
  }
  written[1].set_holding(true);

  std::string text = header();
  for (const wire::Decision& each : written) text += clock::journal_line(each, 1000);
  const lab::JournalFile journal = lab::parse_journal(text, "journal.yaml");
  EXPECT_EQ(journal.scenario, "scenario.yaml");
  EXPECT_EQ(journal.seed, 7U);
  EXPECT_EQ(journal.run_id, "4f1c: \"odd\"\n");
  EXPECT_TRUE(journal.ended);
  ASSERT_EQ(journal.decisions.size(), written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ(journal.decisions[i].ShortDebugString(), written[i].ShortDebugString()) << text;
  }
}

TEST(Journal, EveryLineSaysInWordsWhatHappened) {
  wire::Decision stop = decision(5, wire::Decision::FREEZE, "C2");
  stop.set_holding(true);
  EXPECT_EQ(clock::journal_line(stop, 500),
            "  - {tick: 5, freeze: C2, holding: true} # at 2500 ms C2 is stopped (SIGSTOP), in the "
            "middle of a step\n");
  EXPECT_EQ(clock::journal_line(decision(12, wire::Decision::KILL, "C2"), 1000),
            "  - {tick: 12, kill: C2}                 # at 12000 ms C2 is killed (kill -9)\n");
}

TEST(Journal, WhatYamlTakesForNothingIsWrittenAsText) {
  wire::Decision join = decision(1, wire::Decision::JOIN, "null");
  join.set_role("consumer");
  for (const auto& [name, value] : {std::pair{"app.assign", "orders"},
                                    {"bootstrap.servers", "B1:19092"},
                                    {"client.id", "null"}}) {
    join.add_properties()->set_name(name);
    join.mutable_properties()->rbegin()->set_value(value);
  }
  const auto journal =
      lab::parse_journal(header() + clock::journal_line(join, 1000), "journal.yaml");
  ASSERT_EQ(journal.decisions.size(), 1U);
  EXPECT_EQ(journal.decisions[0].SerializeAsString(), join.SerializeAsString());
}

TEST(Journal, WithoutAnEndItIsAPrefix) {
  const auto journal = lab::parse_journal(header(), "journal.yaml");
  EXPECT_TRUE(journal.decisions.empty());
  EXPECT_FALSE(journal.ended);
}

TEST(Journal, MistakesAreNamedWithTheirPlace) {
  const struct {
    std::string line;
    std::string message;
  } kRows[] = {
      {"- {kill: C2}", "a decision has a tick"},
      {"- {tick: 3}", "a decision is one of"},
      {"- {tick: -1, kill: C2}", "tick is a number"},
      {"- {tick: 99999999999999999999, kill: C2}", "tick is a number"},
      {"- {tick: 9999999999999999999, kill: C2}", "tick is too large"},
      {"- {tick: 1, kill: C2, thaw: C2}", "one decision a line"},
      {"- {tick: 1, murder: C2}", "unknown key \"murder\""},
      {"- {tick: 1, kil: C2}", "unknown key \"kil\"; did you mean \"kill\"?"},
      {"- {tick: 1, join: C2}", "a join has a role"},
      {"- {tick: 1, join: C2, role: king}", "unknown role"},
      {"- {tick: 1, freeze: C2, holding: maybe}", "holding is true or false"},
      {"- {tick: 1, kill: [C2]}", "kill is a text"},
      {"- 7", "a decision is {"},
      {"- {tick: 4, end: true}\n  - {tick: 5, kill: C2}", "nothing comes behind the end"},
      {"- {tick: 4, kill: C1}\n  - {tick: 3, kill: C2}", "ticks do not go back"},
      {"- {tick: 1, tick: 2, kill: C2}", "tick is given twice"},
      {"- {tick: 1, kill: \"\"}", "a name has 1 to 64"},
      {"- {tick: 1, join: C4, role: consumer, properties: {grup.id: billing}}",
       "journal.yaml:8:54: unknown property \"grup.id\"; did you mean \"group.id\"?"},
      {"- {tick: 1, join: C4, role: consumer, properties: {max.poll.records: many}}",
       "max.poll.records"},
      {"- {tick: 1, join: \"../C4\", role: consumer}", "journal.yaml:8:21: a name has 1 to 64"},
      {"- {tick: 1, kill: clock}", "the clock has this name"},
      {"- {tick: 1, join: C4, role: consumer}", "journal.yaml:8:5: bootstrap.servers"},
      {"- {tick: 2000000000000, kill: C4}", "tick is too large"},
      {"- {tick: 4, kill: C1", "journal.yaml:"},
  };
  for (const auto& row : kRows) {
    try {
      lab::parse_journal(header() + "  " + row.line + "\n", "journal.yaml");
      ADD_FAILURE() << row.line;
    } catch (const lab::JournalError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(row.message), std::string::npos) << message;
      EXPECT_EQ(message.find("journal.yaml:"), 0U) << message;
    }
  }
  EXPECT_THROW(lab::parse_journal("", "j"), lab::JournalError);
  EXPECT_THROW(lab::parse_journal("decisions: []", "j"), lab::JournalError);
  EXPECT_THROW(lab::load_journal("/nowhere/journal.yaml"), lab::JournalError);
}

}  // namespace
}  // namespace fencepost
