// Two runs side by side, over captures built by hand.
#include "lab/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/lab/run_builder.h"

namespace fencepost::lab {
namespace {

using Values = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;

// C1 has o0 and o1 until tick 10, when C2 joins; the eager way: both pause.
RunBuilder eager() {
  RunBuilder run;
  run.joins("B1", "broker").joins("P1", "producer").joins("C1", "consumer").joins("C2", "consumer");
  run.at(2).prepares("Empty", "member C1 joined").forms(1, {{"C1", "orders-0,orders-1"}});
  run.at(3).assigned("C1", 1, "orders-0,orders-1");
  run.at(4).fetches("C1", "orders-0", 0).fetches("C1", "orders-1", 0);
  run.at(5).appended("P1", "orders-0", 0, "o0.0,o0.1");
  run.at(6).invoices("C1", "o0.0").invoices("C1", "o0.0").commits("C1", "orders-0", 2);
  run.at(10).prepares("Stable", "member C2 joined").revoked("C1", 1, "orders-0,orders-1");
  run.at(12).forms(2, {{"C1", "orders-0"}, {"C2", "orders-1"}});
  run.at(13).assigned("C1", 2, "orders-0").assigned("C2", 2, "orders-1");
  run.at(15).fetches("C1", "orders-0", 2).fetches("C2", "orders-1", 0);
  run.at(20);
  return run.ends();
}

// Alone to the end.
RunBuilder alone() {
  RunBuilder run;
  run.joins("B1", "broker").joins("P1", "producer").joins("C1", "consumer");
  run.at(2).prepares("Empty", "member C1 joined").forms(1, {{"C1", "orders-0"}});
  run.at(3).assigned("C1", 1, "orders-0").at(4).fetches("C1", "orders-0", 0);
  run.at(5).appended("P1", "orders-0", 0, "o0.0,o0.1").at(6).invoices("C1", "o0.0");
  run.at(7).commits("C1", "orders-0", 1).refused("C1", ErrorCode::kUnknownMemberId);
  run.at(20);
  return run.ends();
}

Values values_of(const Comparison& comparison, const std::string& section,
                 const std::string& name) {
  const auto found = std::ranges::find_if(comparison.measures, [&](const Measure& one) {
    return one.section.starts_with(section) && one.name == name;
  });
  EXPECT_NE(found, comparison.measures.end()) << section << ": " << name;
  if (found == comparison.measures.end()) return {};
  return {found->left, found->right};
}

TEST(Comparison, MeasuresRebalancesAndTheirPauses) {
  const Comparison compared = compare_runs(eager().history(), alone().history());
  EXPECT_EQ(values_of(compared, "group billing", "rebalances"), Values(2, 1));
  EXPECT_EQ(values_of(compared, "group billing", "generations"), Values(2, 1));
  EXPECT_EQ(values_of(compared, "group billing", "partitions paused"), Values(2, 0));
  EXPECT_EQ(values_of(compared, "group billing", "pause meter"), Values(10, 0));
  EXPECT_EQ(values_of(compared, "group billing", "longest pause of one"), Values(5, 0));
  EXPECT_EQ(values_of(compared, "group billing", "  of rebalance #2"), Values(10, std::nullopt));
}

TEST(Comparison, MeasuresWhatBecameOfTheRecords) {
  const Comparison compared = compare_runs(eager().history(), alone().history());
  EXPECT_EQ(values_of(compared, "records", "done once"), Values(0, 1));
  EXPECT_EQ(values_of(compared, "records", "done twice or more often"), Values(1, 0));
  EXPECT_EQ(values_of(compared, "records", "lost"), Values(1, 0));
  EXPECT_EQ(values_of(compared, "records", "pending"), Values(0, 1));
  EXPECT_EQ(values_of(compared, "records", "committed"), Values(2, 1));
  EXPECT_EQ(values_of(compared, "run", "errors"), Values(0, 1));
}

TEST(Comparison, MeasuresEachPartition) {
  const Comparison compared = compare_runs(eager().history(), alone().history());
  EXPECT_EQ(values_of(compared, "ticks without a reader", "o0"), Values(5, 0));
  EXPECT_EQ(values_of(compared, "ticks without a reader", "o1"), Values(5, std::nullopt));
  // Ticks 0 to 3 and 10 to 13 have no owner.
  EXPECT_EQ(values_of(compared, "ticks without an owner", "o0"), Values(6, 3));
  EXPECT_EQ(values_of(compared, "ticks without an owner", "o1"), Values(6, std::nullopt));
}

TEST(Comparison, HasNoDifferenceBetweenARunAndItself) {
  const Comparison compared = compare_runs(eager().history(), eager().history());
  for (const Measure& one : compared.measures) EXPECT_EQ(one.left, one.right) << one.name;
}

// Each measure stands in its section, whichever side has it.
TEST(Comparison, IsTheSameTableFromTheOtherSide) {
  const Comparison one = compare_runs(eager().history(), alone().history());
  const Comparison other = compare_runs(alone().history(), eager().history());
  for (const Measure& measure : one.measures) {
    EXPECT_EQ(values_of(other, measure.section, measure.name), Values(measure.right, measure.left));
  }
  EXPECT_EQ(one.measures.size(), other.measures.size());
}

TEST(Comparison, IsPrintedWithItsDifferences) {
  const Comparison compared = compare_runs(eager().history(), alone().history());
  const std::string table = to_table(compared, {"a.yaml", "b.yaml"});
  EXPECT_TRUE(table.starts_with("LEFT   a.yaml\nRIGHT  b.yaml\na tick is 1000 ms\n")) << table;
  EXPECT_NE(table.find("  rebalances                           2         1          -1\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("  last tick                           20        20           =\n"),
            std::string::npos)
      << table;
  const std::string json = to_json(compared, {"a.yaml", "b \"c\".yaml"});
  EXPECT_NE(json.find(R"("measure": "rebalances", "left": 2, "right": 1})"), std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("measure": "of rebalance #2", "left": 10, "right": null})"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("run": "b \u0022c\u0022.yaml")"), std::string::npos) << json;
}

}  // namespace
}  // namespace fencepost::lab
