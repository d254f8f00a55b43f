// `fencepost assign`: the group that people write, and what they read.
#include "lab/assign_file.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

using consumer::to_text;

constexpr const char* kGroup = R"(topics: {orders: 3, payments: 3}
assignor: cooperative-sticky
app.cooperative-sticky: simple
members:
  C1: {subscribe: [payments, orders], owned: [orders-0, orders-1, orders-2], generation: 4}
  C2: {subscribe: orders, group.instance.id: two}
)";

TEST(GroupFile, SaysTopicsMembersAndClaims) {
  const LoadedGroup loaded = parse_group(kGroup, "g.yaml");
  ASSERT_TRUE(loaded.group) << to_string(loaded.mistakes.front());
  const consumer::AssignorInput& input = loaded.group->input;
  EXPECT_EQ(input.partition_counts.at("payments"), 3);
  ASSERT_EQ(input.members.size(), 2U);
  EXPECT_EQ(input.members[0].topics, (std::vector<std::string>{"orders", "payments"}));
  EXPECT_EQ(to_text(input.members[0].owned), "orders-0,orders-1,orders-2");
  EXPECT_EQ(input.members[0].generation, Generation(4));
  EXPECT_EQ(input.members[1].instance_id, "two");
  EXPECT_EQ(loaded.group->assignor, "cooperative-sticky");
  EXPECT_EQ(loaded.group->rule, consumer::StickyRule::kSimple);
}

TEST(GroupFile, MayBeJson) {
  const LoadedGroup loaded = parse_group(
      R"({"topics": {"t": 2}, "members": {"m": {"subscribe": ["t"], "owned": ["t-1"]}}})", "g");
  ASSERT_TRUE(loaded.group) << to_string(loaded.mistakes.front());
  EXPECT_EQ(to_text(loaded.group->input.members[0].owned), "t-1");
}

TEST(GroupFile, MistakesAreNamedWithTheirPlace) {
  const struct {
    const char* text;
    const char* mistake;
  } kRows[] = {
      {"topics: {t: 1}", "g:1:1: members are missing: {C1: {subscribe: [orders]}}"},
      {"members: {}", "g:1:1: topics are missing: {orders: 3}"},
      {"topics: {t: -1}\nmembers: {}",
       "g:1:13: the number of partitions of t is -1, but must be from 0 to 1000000"},
      {"topics: {t: 1}\nmembers: {m: {}}", "g:2:11: member m has no subscribe: [TOPIC]"},
      {"topics: {t: 1}\nmembers: {m: {subscribe: t, owned: [t]}}",
       "g:2:37: \"t\" is not TOPIC-PARTITION"},
      {"topics: {t: 1}\nmembers: {m: {subscribe: t, owned: [t-99999999999]}}",
       "g:2:37: \"t-99999999999\" is not TOPIC-PARTITION"},
      {"topics: {t: 1}\nmembers: {m: {subscribe: t, ownd: [t-0]}}",
       "g:2:29: unknown key of member m \"ownd\"; did you mean \"owned\"?"},
      {"topics: {t: 1}\nmembers: {}\nassignor: stiky",
       "g:3:11: unknown assignor \"stiky\"; did you mean \"sticky\"?"},
  };
  for (const auto& row : kRows) {
    const LoadedGroup loaded = parse_group(row.text, "g");
    EXPECT_FALSE(loaded.group) << row.text;
    ASSERT_FALSE(loaded.mistakes.empty()) << row.text;
    EXPECT_EQ(to_string(loaded.mistakes.front()), row.mistake);
  }
}

struct Printed {
  int exit_code;
  std::string text;
};

Printed print_of(const std::string& group, const std::string& options) {
  const test::Scratch scratch;
  const std::string file = (scratch.path() / "group.yaml").string();
  std::ofstream(file) << group;
  const std::string command =
      std::string(FENCEPOST_BINARIES) + "/fencepost assign " + file + " " + options + " 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  std::string text;
  while (const std::size_t bytes = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), bytes);
  }
  return {.exit_code = WEXITSTATUS(pclose(pipe)), .text = text};
}

TEST(Assign, PrintsWhatEachMemberGetsAndWhatIsWithheld) {
  const Printed printed = print_of(kGroup, "");
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.text,
            "assignor cooperative-sticky\n"
            "MEMBER  #PARTITIONS  ASSIGNMENT                        WITHHELD THIS ROUND\n"
            "C1                3  payments-0,payments-1,payments-2  -\n"
            "C2                0  -                                 orders-0,orders-1,orders-2\n");
}

TEST(Assign, AnyAssignorCanBeAsked) {
  EXPECT_EQ(print_of(kGroup, "--assignor range").text,
            "assignor range\n"
            "MEMBER  #PARTITIONS  ASSIGNMENT\n"
            "C1                4  orders-2,payments-0,payments-1,payments-2\n"
            "C2                2  orders-0,orders-1\n");
}

TEST(Assign, WritesJson) {
  EXPECT_EQ(
      print_of("topics: {t: 1}\nmembers: {a: {subscribe: t}, b: {subscribe: t}}\n", "--format json")
          .text,
      "{\n  \"assignor\": \"range\",\n  \"members\": {\n"
      "    \"a\": {\"assigned\": [\"t-0\"], \"withheld\": []},\n"
      "    \"b\": {\"assigned\": [], \"withheld\": []}\n  }\n}\n");
}

TEST(Assign, UnusableInputIsExitTwo) {
  EXPECT_EQ(print_of("topics: 3\n", "").exit_code, 2);
  EXPECT_EQ(print_of(kGroup, "--assignor fair").exit_code, 2);
}

}  // namespace
}  // namespace fencepost::lab
