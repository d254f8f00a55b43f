// A probe's requests and answers as JSON.
#include "probe/messages.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "common/properties.h"
#include "probe/answers.h"
#include "probe/base64.h"
#include "probe/script.h"

namespace fencepost::probe {
namespace {

json::value parse(const char* text) { return json::parse(text); }

wire::Frame join_answer() {
  wire::Frame frame;
  wire::JoinGroupResponse& answer = *frame.mutable_join_group_response();
  answer.set_error_code(0);
  answer.set_generation_id(3);
  answer.set_member_id("C1-aa");
  auto* member = answer.add_members();
  member->set_member_id("C1-aa");
  member->set_metadata("\x01\xff");
  return frame;
}

TEST(ProbeMessages, ARequestHasTheFieldsOfItsBody) {
  const wire::Frame frame =
      make_request("JoinGroup", parse(R"({"group_id": "billing", "session_timeout_ms": "10000",
                             "protocols": [{"name": "range", "metadata": "Af8="}]})"));
  const wire::JoinGroupRequest& request = frame.join_group_request();
  EXPECT_EQ(request.group_id(), "billing");
  EXPECT_EQ(request.session_timeout_ms(), 10'000);
  ASSERT_EQ(request.protocols_size(), 1);
  EXPECT_EQ(request.protocols(0).metadata(), "\x01\xff");
}

TEST(ProbeMessages, WhatDoesNotFitIsNamed) {
  struct Row {
    const char* body;
    const char* problem;
  };
  for (const Row& row : {
           Row{R"({"grup_id": "g"})",
               R"(JoinGroupRequest has no field "grup_id"; did you mean "group_id"?)"},
           Row{R"({"session_timeout_ms": "soon"})",
               R"(session_timeout_ms must be a whole number, not "soon")"},
           Row{R"({"session_timeout_ms": 3000000000})",
               R"(session_timeout_ms must be a whole number, not 3000000000)"},
           Row{R"({"group_id": 7})", R"(group_id must be a text, not 7)"},
           Row{R"({"protocols": {}})", R"(protocols must be a list)"},
           Row{R"({"protocols": [{"metadata": "%"}]})", R"(metadata must be base64, not "%")"},
           Row{R"([])", R"(JoinGroupRequest must be a map, not [])"},
       }) {
    EXPECT_EQ(objection(*request_type("JoinGroup"), parse(row.body)), row.problem);
  }
}

TEST(ProbeMessages, AReferenceFitsAnyField) {
  const json::value body = parse(R"({"generation_id": "${g}", "member_id": "x${m}"})");
  EXPECT_EQ(objection(*request_type("Heartbeat"), body), "");
  const wire::Frame frame = make_request("Heartbeat", substituted(body, {{"g", "4"}, {"m", "C1"}}));
  EXPECT_EQ(frame.heartbeat_request().generation_id(), 4);
  EXPECT_EQ(frame.heartbeat_request().member_id(), "xC1");
  EXPECT_THROW(make_request("Heartbeat", substituted(body, {{"g", "four"}, {"m", ""}})),
               std::invalid_argument);
}

TEST(ProbeAnswers, EveryFieldThatIsExpectedMustBeEqual) {
  struct Row {
    const char* expected;
    const char* field;  // that differs; empty: none
  };
  const wire::Frame frame = join_answer();
  for (const Row& row : {
           Row{R"({})", ""},
           Row{R"({"error_code": "NONE", "generation_id": 3})", ""},
           Row{R"({"generation_id": 4})", "generation_id"},
           Row{R"({"error_code": 27})", "error_code"},
           Row{R"({"leader": ""})", ""},
           Row{R"({"leader": null, "protocol_name": null})", ""},
           Row{R"({"member_id": null})", "member_id"},
           Row{R"({"members": []})", "members"},
           Row{R"({"members": [{}]})", ""},
           Row{R"({"members": [{"member_id": "C1-aa", "metadata": "Af8="}]})", ""},
           Row{R"({"members": [{"member_id": "C2"}]})", "members.0.member_id"},
       }) {
    const auto found = difference(parse(row.expected), payload_of(frame));
    EXPECT_EQ(found ? found->field : "", row.field) << row.expected;
  }
}

TEST(ProbeAnswers, AnErrorCodeGoesByItsName) {
  wire::Frame frame;
  frame.mutable_heartbeat_response()->set_error_code(25);
  const auto found = difference(parse(R"({"error_code": "NONE"})"), payload_of(frame));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->expected, "NONE");
  EXPECT_EQ(found->found, "UNKNOWN_MEMBER_ID");
  EXPECT_EQ(first_error(payload_of(frame)), "UNKNOWN_MEMBER_ID");
}

TEST(ProbeAnswers, AValueIsFoundAtItsPath) {
  const wire::Frame frame = join_answer();
  const pb::Message& answer = payload_of(frame);
  EXPECT_EQ(value_at(answer, "members.0.member_id"), "C1-aa");
  EXPECT_EQ(value_at(answer, "generation_id"), "3");
  EXPECT_EQ(value_at(answer, "members.1.member_id"), std::nullopt);
  EXPECT_EQ(value_at(answer, "leader"), std::nullopt);
  const pb::Descriptor& type = *response_type("JoinGroup");
  EXPECT_EQ(path_objection(type, "members.0.member_id"), "");
  EXPECT_EQ(path_objection(type, "members"), "members is a list: members.0 is its first");
  EXPECT_NE(path_objection(type, "members.0.id"), "");
  EXPECT_NE(path_objection(type, "leader.x"), "");
}

TEST(ProbeBase64, GoesBothWays) {
  for (const std::string text : {"", "a", "ab", "abc", "abcd"}) {
    EXPECT_EQ(from_base64(to_base64(text)), text);
  }
  EXPECT_EQ(to_base64("abcd"), "YWJjZA==");
  for (const char* bad : {"a", "ab", "====", "a===", "YWJjZ*=="}) {
    EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
  }
}

TEST(ProbeScript, AMistakeIsNamedWithItsStep) {
  struct Row {
    const char* script;
    const char* problem;
  };
  for (const Row& row : {
           Row{"[", "app.requests: not JSON: incomplete JSON"},
           Row{"{}", "app.requests: must be a list of steps"},
           Row{R"([{"request": "Heartbeet"}])",
               R"(app.requests: step 1: no request is called "Heartbeet")"},
           Row{R"([{"requests": "Heartbeat"}])", R"(app.requests: step 1: unknown key "requests")"},
           Row{R"([{}])",
               "app.requests: step 1: has a `request`, an `answer` or a `pending`: exactly one"},
           Row{R"([{"request": "Heartbeat"}, {"answer": "2"}])",
               R"(app.requests: step 2: no earlier request is called "2")"},
           Row{R"([{"request": "Heartbeat", "body": {"group_id": "${g}"}}])",
               "app.requests: step 1: nothing has saved ${g} before"},
           Row{R"([{"request": "Heartbeat", "wait": false, "expect": {}}])",
               "app.requests: step 1: does not wait for its answer: expect it in a later step, "
               "with `answer`"},
           Row{R"([{"request": "Heartbeat", "at": -1}])",
               "app.requests: step 1: at must be a whole number from 0 to 1000000000"},
           Row{R"([{"request": "Heartbeat", "as": "a"}, {"request": "Heartbeat", "as": "a"}])",
               R"(app.requests: step 2: an earlier request is called "a", too)"},
       }) {
    try {
      parse_script(row.script);
      ADD_FAILURE() << row.script << " was taken";
    } catch (const ConfigError& error) {
      EXPECT_STREQ(error.what(), row.problem) << row.script;
    }
  }
}

}  // namespace
}  // namespace fencepost::probe
