// -X: properties from the command line.
#include "lab/overrides.h"

#include <gtest/gtest.h>

#include "common/properties.h"
#include "lab/scenario.h"

namespace fencepost::lab {
namespace {

wire::Plan small_plan() {
  return parse_scenario(
             "topics: {orders: 2}\nuntil: 9\n"
             "processes:\n"
             "  B1: {role: broker}\n  P1: {role: producer}\n"
             "  C1: {role: consumer, group.id: g, subscribe: orders, max.poll.records: 3}\n"
             "  C2: {role: consumer, group.id: g, subscribe: orders}\n",
             "test.yaml")
      .scenario.value()
      .plan;
}

std::string value_of(const wire::Plan& plan, const std::string& process, const std::string& key) {
  for (const wire::ProcessSpec& spec : plan.processes()) {
    if (spec.name() != process) continue;
    for (const wire::Property& property : spec.properties()) {
      if (property.name() == key) return property.value();
    }
  }
  return "";
}

std::string complaint_about(const std::string& assignment) {
  wire::Plan plan = small_plan();
  try {
    override_properties(plan, {assignment});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Override, OfAKeyIsForAllThatKnowIt) {
  wire::Plan plan = small_plan();
  override_properties(plan, {"max.poll.records=7", "process.ms=20"});
  EXPECT_EQ(value_of(plan, "C1", "max.poll.records"), "7");
  EXPECT_EQ(value_of(plan, "C2", "max.poll.records"), "7");
  EXPECT_EQ(value_of(plan, "C2", "app.process.ms"), "20");
  EXPECT_EQ(value_of(plan, "P1", "max.poll.records"), "");
}

TEST(Override, OfAProcessOrARoleIsForThese) {
  wire::Plan plan = small_plan();
  override_properties(plan, {"consumer:client.id=x", "C2:client.id=y"});
  EXPECT_EQ(value_of(plan, "C1", "client.id"), "x");
  EXPECT_EQ(value_of(plan, "C2", "client.id"), "y");
  EXPECT_EQ(value_of(plan, "P1", "client.id"), "");
}

TEST(Override, KeepsWhatElseTheScenarioSays) {
  wire::Plan plan = small_plan();
  override_properties(plan, {"C1:client.id=x"});
  EXPECT_EQ(value_of(plan, "C1", "max.poll.records"), "3");
  EXPECT_EQ(value_of(plan, "C1", "bootstrap.servers"), "B1:19092");
}

TEST(Override, MistakesAreNamed) {
  EXPECT_NE(complaint_about("max.poll.records").find("not key=value"), std::string::npos);
  EXPECT_NE(complaint_about("C9:max.poll.records=1").find("unknown process \"C9\""),
            std::string::npos);
  EXPECT_NE(complaint_about("max.pol.records=1").find("did you mean \"max.poll.records\"?"),
            std::string::npos);
  EXPECT_NE(complaint_about("P1:max.poll.records=1").find("unknown property"), std::string::npos);
  EXPECT_NE(complaint_about("max.poll.records=many").find("not an integer"), std::string::npos);
  // Each is right, and together they are not.
  EXPECT_NE(complaint_about("C1:session.timeout.ms=1000").find("C1: "), std::string::npos);
}

}  // namespace
}  // namespace fencepost::lab
