// What `fencepost groups` prints of a finished run: whole outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "lab/commands/command.h"
#include "lab/commands/groups_arguments.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

constexpr const char* kScenario =
    "name: shop\n"
    "topics: {orders: 2}\n"
    "defaults:\n"
    "  broker: {group.initial.rebalance.delay.ms: 0}\n"
    "processes:\n"
    "  B1: {role: broker}\n"
    "  P1: {role: producer, records: {orders: 3}}\n"
    "  C1: {role: consumer, group.id: billing, group.instance.id: one, subscribe: orders,\n"
    "    auto.offset.reset: earliest, enable.auto.commit: false, session.timeout.ms: 10000}\n"
    "timeline: [{at: 30, kill: C1}]\n"
    "until: 60\n";

struct Said {
  int code = -1;
  std::string out{};
  std::string error{};
};

class GroupsCommand : public testing::Test {
 protected:
  GroupsCommand() { std::ofstream(file_) << kScenario; }

  Said call(const std::string& words) {
    std::vector<std::string> all = {"groups", "--run", file_};
    for (const std::string_view word : split(words)) all.emplace_back(word);
    CLI::App app;
    Chosen chosen;
    add_groups(app, chosen);
    std::reverse(all.begin(), all.end());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Said said;
    try {
      app.parse(all);
      said.code = chosen();
    } catch (const std::exception& error) {  // as main() does
      said.code = kExitUnusable;
      std::fputs(error.what(), stderr);
    }
    std::fflush(stdout);
    said.out = testing::internal::GetCapturedStdout();
    said.error = testing::internal::GetCapturedStderr();
    return said;
  }
  static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) words.push_back(word);
    return words;
  }

  test::Scratch scratch_;
  const std::string file_ = (scratch_.path() / "shop.yaml").string();
};

TEST_F(GroupsCommand, ListsGroups) {
  EXPECT_EQ(call("--at 20 --list").out, "billing\n");
  EXPECT_EQ(call("--at 20 --list --state").out,
            "\nGROUP           STATE\n"
            "billing         Stable\n");
  EXPECT_EQ(call("--at 20 --list --state empty").out, "\nGROUP           STATE\n");
}

TEST_F(GroupsCommand, SaysWhoCoordinatesAndWhatTheStateIs) {
  EXPECT_EQ(call("--at 20 --describe --group billing --state").out,
            "\nGROUP           COORDINATOR (ID)          ASSIGNMENT-STRATEGY  STATE"
            "                #MEMBERS\n"
            "billing         B1:19092  (1)             range                Stable"
            "               1\n");
}

TEST_F(GroupsCommand, WarnsOfAGroupWithoutMembersAndShowsItAllTheSame) {
  const Said said = call("--describe --group billing");
  EXPECT_EQ(said.code, kExitHolds);
  EXPECT_EQ(said.error, "\nConsumer group 'billing' has no active members.\n");
  EXPECT_EQ(said.out,
            "\nGROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG"
            "             CONSUMER-ID     HOST            CLIENT-ID\n"
            "billing         orders          0          3               3               0"
            "               -               -               -\n"
            "billing         orders          1          3               3               0"
            "               -               -               -\n");
}

TEST_F(GroupsCommand, AMissingGroupIsAnError) {
  const Said said = call("--describe --group nobody");
  EXPECT_EQ(said.code, kExitFails);
  EXPECT_EQ(said.out, "\nError: Consumer group 'nobody' does not exist.\n");
}

TEST_F(GroupsCommand, SpeaksJson) {
  EXPECT_EQ(call("--describe --group billing --format json").out,
            "[\n"
            "  {\"group\": \"billing\", \"topic\": \"orders\", \"partition\": 0, "
            "\"currentOffset\": 3, \"logEndOffset\": 3, \"lag\": 0, \"consumerId\": null, "
            "\"host\": null, \"clientId\": null},\n"
            "  {\"group\": \"billing\", \"topic\": \"orders\", \"partition\": 1, "
            "\"currentOffset\": 3, \"logEndOffset\": 3, \"lag\": 0, \"consumerId\": null, "
            "\"host\": null, \"clientId\": null}\n"
            "]\n");
}

TEST_F(GroupsCommand, AResetOfAGroupWithMembersIsRefused) {
  const Said said = call("--at 20 --reset-offsets --group billing --all-topics --to-earliest");
  EXPECT_EQ(said.code, kExitFails);
  EXPECT_EQ(said.out,
            "\nError: Assignments can only be reset if the group 'billing' is inactive, but the "
            "current state is Stable.\n");
}

TEST_F(GroupsCommand, AResetStaysWithinTheLog) {
  struct Row {
    const char* words;
    const char* lines;
  };
  for (const Row& row : {
           Row{"--to-earliest", "orders,0,0\norders,1,0\n"},
           Row{"--to-latest", "orders,0,3\norders,1,3\n"},
           Row{"--to-current", "orders,0,3\norders,1,3\n"},
           Row{"--to-offset 2", "orders,0,2\norders,1,2\n"},
           Row{"--to-offset 9", "orders,0,3\norders,1,3\n"},
           Row{"--shift-by -1", "orders,0,2\norders,1,2\n"},
           Row{"--shift-by -9", "orders,0,0\norders,1,0\n"},
           Row{"--to-datetime tick:59", "orders,0,3\norders,1,3\n"},
           Row{"--to-datetime 0", "orders,0,0\norders,1,0\n"},
           Row{"--by-duration PT10M", "orders,0,0\norders,1,0\n"},
       }) {
    EXPECT_EQ(
        call("--reset-offsets --group billing --all-topics --export " + std::string(row.words)).out,
        row.lines)
        << row.words;
  }
}

TEST_F(GroupsCommand, WhatMakesNoSenseIsRefused) {
  struct Row {
    const char* words;
    const char* problem;
  };
  for (const Row& row : {
           Row{"--group billing", "groups needs one of --list"},
           Row{"--describe", "say which groups"},
           Row{"--describe --group g --all-groups", "exclude each other"},
           Row{"--delete --group billing", "cannot be changed"},
           Row{"--reset-offsets --group g --all-topics --to-latest --execute", "cannot be changed"},
           Row{"--reset-offsets --group g --to-latest", "needs --topic or --all-topics"},
           Row{"--reset-offsets --group g --all-topics", "needs one of --to-earliest"},
           Row{"--list --state Stabel", "did you mean \"Stable\"?"},
           Row{"--describe --group g --bootstrap-server B7", "there is no broker B7"},
           Row{"--at 61 --list", "the run has no tick 61"},
       }) {
    const Said said = call(row.words);
    EXPECT_EQ(said.code, kExitUnusable) << row.words;
    EXPECT_NE(said.error.find(row.problem), std::string::npos) << row.words << ": " << said.error;
  }
}

TEST(VirtualTimes, AreReadAsTheOptionsHaveThem) {
  EXPECT_EQ(parse_virtual_time("12000", 500), 12'000);
  EXPECT_EQ(parse_virtual_time("tick:12", 500), 6'000);
  EXPECT_EQ(parse_virtual_time("1970-01-01T00:01:30.250", 500), 90'250);
  EXPECT_EQ(parse_virtual_time("1970-01-02T00:00:00", 500), 86'400'000);
  for (const char* bad : {"", "-1", "tick:", "tick:x", "1970-13-01T00:00:00", "noon"}) {
    EXPECT_EQ(parse_virtual_time(bad, 500), std::nullopt) << bad;
  }
  EXPECT_EQ(parse_duration("PT1H30M"), 5'400'000);
  EXPECT_EQ(parse_duration("P1DT2S"), 86'402'000);
  for (const char* bad : {"", "P", "PT", "1H", "PT1D", "PT5", "PTxS"}) {
    EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace fencepost::lab
