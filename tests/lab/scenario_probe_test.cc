// `requests` of a scenario: what it compiles to, and the places of its mistakes.
#include <gtest/gtest.h>

#include "lab/scenario.h"
#include "probe/script.h"

namespace fencepost::lab {
namespace {

LoadedScenario load(const std::string& requests) {
  return parse_scenario(
      "topics: {orders: 2}\n"
      "processes:\n"
      "  B1: {role: broker}\n"
      "  C1: {role: consumer, assign: orders}\n"
      "  X1:\n"
      "    role: probe\n"
      "    requests:\n" +
          requests + "until: 9\n",
      "probe.yaml");
}

std::string first_mistake(const std::string& requests) {
  const LoadedScenario loaded = load(requests);
  return loaded.mistakes.empty() ? "" : to_string(loaded.mistakes.front());
}

std::string property_of(const Scenario& scenario, std::string_view name) {
  for (const wire::ProcessSpec& process : scenario.plan.processes()) {
    for (const wire::Property& property : process.properties()) {
      if (property.name() == name) return property.value();
    }
  }
  return "";
}

TEST(ProbeScenario, IsCompiledToTheScriptOfAProbe) {
  const LoadedScenario loaded = load(
      "      - request: JoinGroup\n"
      "        as: first\n"
      "        to: B1\n"
      "        at: 3\n"
      "        body:\n"
      "          group_id: billing\n"
      "          session_timeout_ms: 6000\n"
      "          protocols: [{name: range, metadata: {subscription: {topics: [orders]}}}]\n"
      "        expect: {error_code: MEMBER_ID_REQUIRED, leader: ~}\n"
      "        save: {me: member_id}\n"
      "      - {request: Heartbeat, body: {member_id: \"${me}\"}, wait: false, as: beat}\n"
      "      - {pending: beat, after: 1}\n");
  ASSERT_TRUE(loaded.scenario) << to_string(loaded.mistakes.front());
  const probe::Script script = probe::parse_script(property_of(*loaded.scenario, "app.requests"));
  ASSERT_EQ(script.size(), 3U);
  EXPECT_EQ(script[0].label, "first");
  EXPECT_EQ(script[0].at, Tick(3));
  EXPECT_EQ(script[1].request, "Heartbeat");
  EXPECT_FALSE(script[1].wait);
  EXPECT_EQ(script[2].pending, "beat");
  EXPECT_EQ(script[2].after, TickSpan(1));
}

TEST(ProbeScenario, MistakesHaveTheirPlaces) {
  struct Row {
    const char* step;
    const char* mistake;
  };
  for (const Row& row : {
           Row{"{request: Heartbeet}",
               "8:19: unknown request \"Heartbeet\"; did you mean \"Heartbeat\"?"},
           Row{"{request: Heartbeat, body: {grup_id: g}}",
               "8:37: HeartbeatRequest has no field \"grup_id\"; did you mean \"group_id\"?"},
           Row{"{request: Heartbeat, body: {generation_id: one}}",
               "8:52: generation_id must be a whole number, not \"one\""},
           Row{"{request: Heartbeat, body: {member_id: \"${me}\"}}",
               "8:48: nothing has saved it before: unknown name \"${me}\"; there is no name here"},
           Row{"{request: Heartbeat, expect: {error_code: UNKNOWN_MEMBER}}",
               "8:51: error_code must be an error's name or number, not \"UNKNOWN_MEMBER\""},
           Row{"{request: Heartbeat, save: {x: members.0}}",
               "8:40: HeartbeatResponse has no field \"members\"; it has error_code"},
           Row{"{request: Heartbeat, expect: NETWORK}",
               "8:38: unknown reason for no answer \"NETWORK\"; known: NETWORK_EXCEPTION, "
               "REQUEST_TIMED_OUT"},
           Row{"{request: Heartbeat, to: C1}",
               "8:34: C1 is a consumer, and answers no requests: only a broker does"},
           Row{"{request: Heartbeat, wait: false, expect: {}}",
               "8:9: this step has no answer to judge: wait for it in a later one, with `answer`"},
           Row{"{answer: first}",
               "8:18: no earlier step is called so with `as`: unknown step \"first\"; there is no "
               "step here"},
           Row{"{request: Heartbeat, answer: x}",
               "8:9: a step has a `request`, an `answer` or a `pending`: exactly one of them"},
           Row{"{request: SyncGroup, body: {assignments: [{assignment: {orders: [0]}}]}}",
               "8:64: assignment must be base64, {subscription: {topics: [orders]}} or "
               "{assignment: {orders: [0, 1]}}"},
           Row{"{request: Heartbeat, bodi: {}}",
               "8:30: unknown key of a step of requests \"bodi\"; did you mean \"body\"?"},
       }) {
    EXPECT_EQ(first_mistake("      - " + std::string(row.step) + "\n"),
              "probe.yaml:" + std::string(row.mistake));
  }
}

}  // namespace
}  // namespace fencepost::lab
