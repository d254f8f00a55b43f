// A history forgets what went well, and says the same about the run as one that keeps everything.
#include <gtest/gtest.h>

#include "common/events.h"
#include "lab/checkers/delivery.h"
#include "lab/history_builder.h"
#include "lab/story.h"
#include "tests/lab/run_builder.h"

namespace fencepost::lab {
namespace {

constexpr int kRecords = 40;

std::string name_of(int record) { return "o0." + std::to_string(record); }

// C1 reads o0, does each record once and commits; `skipped` it commits without having done it.
RunBuilder steady_run(int skipped = -1) {
  RunBuilder run;
  run.joins("B1", "broker").joins("P1", "producer").joins("C1", "consumer");
  run.at(2).prepares("Empty", "member C1 joined").forms(1, {{"C1", "orders-0"}});
  run.at(3).assigned("C1", 1, "orders-0").at(4).fetches("C1", "orders-0", 0);
  for (int record = 0; record < kRecords; ++record) {
    run.at(5 + record).appended("P1", "orders-0", record, name_of(record));
    if (record != skipped) {
      run.event("C1", events::kRecordProcessed, {{"record", name_of(record)}});
      run.invoices("C1", name_of(record));
    }
    run.commits("C1", "orders-0", record + 1);
  }
  return run;
}

// C1 dies; C2 comes and begins at `from`, and does these.
void take_over(RunBuilder& run, int from, std::initializer_list<int> done) {
  run.at(60).killed("C1").joins("C2", "consumer");
  run.at(66).removed("C1").prepares("Stable", "session of member C1 expired");
  run.at(67).forms(2, {{"C2", "orders-0"}});
  run.at(68).assigned("C2", 2, "orders-0").fetches("C2", "orders-0", from);
  for (const int record : done) {
    run.at(70).event("C2", events::kRecordProcessed, {{"record", name_of(record)}});
    run.invoices("C2", name_of(record));
  }
}

History history_of(const RunBuilder& run, Detail detail) {
  HistoryBuilder builder({}, detail);
  for (const auto& [tick, record] : run.records()) builder.add(tick, record);
  return builder.take();
}

// Both histories tell the same story; returns the one that forgets.
History expect_the_same(RunBuilder& run) {
  run.ends();
  const History all = history_of(run, Detail::kAll);
  History few = history_of(run, Detail::kUnsettled);
  EXPECT_EQ(tell_story(few, "", {{}, check_all(few)}), tell_story(all, "", {{}, check_all(all)}));
  EXPECT_EQ(all.all_settled.size(), 0);
  return few;
}

TEST(SettledRecords, AreCountedAndNotKept) {
  RunBuilder run = steady_run();
  const History history = expect_the_same(run);
  EXPECT_GE(history.all_settled.size(), kRecords - 2);
  EXPECT_LE(history.records.size(), 2U);
  EXPECT_LE(history.invoices.size(), 2U);
  EXPECT_EQ(deliveries(history).front().once, kRecords);
}

TEST(SettledRecords, ALostOneIsAFactOfItsOwn) {
  RunBuilder run = steady_run(7);
  const History history = expect_the_same(run);
  EXPECT_EQ(deliveries(history).front().lost, std::vector<std::string>{"o0.7"});
}

TEST(SettledRecords, DoneAgainByTheNextOwnerTheyAreDuplicates) {
  RunBuilder run = steady_run();
  take_over(run, 5, {5, 6, 39});
  const History history = expect_the_same(run);
  const auto duplicates = deliveries(history).front().duplicates;
  EXPECT_EQ(duplicates,
            (std::map<std::string, std::int64_t>{{"o0.5", 2}, {"o0.6", 2}, {"o0.39", 2}}));
}

TEST(SettledRecords, TheNextOwnerThatBeginsBehindThemRepeatsNothing) {
  RunBuilder run = steady_run();
  take_over(run, kRecords, {});
  expect_the_same(run);
}

TEST(SettledRecords, WrittenAgainByTheirSourceTheyAreThereTwice) {
  RunBuilder run = steady_run();
  run.at(60).appended("P1", "orders-0", kRecords, name_of(3));
  const History history = expect_the_same(run);
  EXPECT_EQ(history.records.at("o0.3").appended.size(), 2U);
}

}  // namespace
}  // namespace fencepost::lab
