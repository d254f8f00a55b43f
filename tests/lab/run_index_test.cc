// The index of a run: numbers, answers, causes, and the way back to each record.
#include "lab/run_index.h"

#include <gtest/gtest.h>

#include <fstream>

#include "common/capture_file.h"
#include "lab/history.h"
#include "lab/run_scenario.h"
#include "lab/scenario.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

// C2 is killed while a batch is in its hands; an answer to C1 is lost on its way.
constexpr const char* kScenario = R"(
name: indexed
topics: {orders: 2, invoices: 1}
defaults:
  consumer:
    {group.id: billing, subscribe: [orders], output: invoices, auto.offset.reset: earliest}
processes:
  B1: {role: broker, group.initial.rebalance.delay.ms: 0}
  P1: {role: producer, schedule: {8: {orders: 3}}}
  C1: {role: consumer}
  C2: {role: consumer}
timeline:
  - {at: 0, start: [B1, P1, C1, C2]}
  - {at: 12, drop: {api: Heartbeat, response: true, to: C1, times: 1}}
  - {when: {process: C2, event: record.processing}, kill: C2}
until: 80
)";

class Index : public testing::Test {
 protected:
  Index() : directory_(scratch_.path() / "run") {
    directory_.prepare();
    const LoadedScenario loaded = parse_scenario(kScenario, "indexed.yaml");
    for (const Mistake& mistake : loaded.mistakes) ADD_FAILURE() << to_string(mistake);
    plan_ = loaded.scenario.value().plan;
    const RunOutcome outcome = run_plan(plan_, {.world = World::kInProcess}, directory_);
    EXPECT_EQ(outcome.failure, std::nullopt);
  }

  RunIndex index() const { return RunIndex(directory_.capture().string(), &plan_); }

  test::Scratch scratch_;
  RunDirectory directory_;
  wire::Plan plan_;
};

TEST_F(Index, ReadsEachRecordAgain) {
  const RunIndex index = this->index();
  std::vector<std::string> in_order;
  CaptureReader reader(directory_.capture().string());
  std::uint64_t number = 0;
  std::size_t found = 0;
  while (const auto record = reader.next()) {
    ++number;
    const auto id = index.of_record(number);
    if (!id) continue;
    ++found;
    EXPECT_EQ(index.read(*id).SerializeAsString(), record->SerializeAsString());
    EXPECT_EQ(index.at(*id).tick.value(), reader.tick());
  }
  EXPECT_EQ(found, index.entries().size());
  EXPECT_EQ(index.header().scenario(), "indexed");
}

TEST_F(Index, NumbersPacketsAndPairsThem) {
  const RunIndex index = this->index();
  const History history = read_history(directory_.capture().string());
  EXPECT_EQ(index.packet_count(), static_cast<std::uint64_t>(history.packets));
  EXPECT_EQ(index.packet(0), std::nullopt);
  EXPECT_EQ(index.packet(index.packet_count() + 1), std::nullopt);
  std::size_t pairs = 0;
  for (std::uint64_t number = 1; number <= index.packet_count(); ++number) {
    const EntryId id = index.packet(number).value();
    EXPECT_EQ(index.at(id).number, number);
    const auto other = index.at(id).counterpart;
    if (!other) continue;
    ++pairs;
    EXPECT_EQ(index.at(*other).counterpart, id);
    const wire::CaptureRecord mine = index.read(id);
    const wire::CaptureRecord its = index.read(*other);
    EXPECT_EQ(mine.packet().frame().header().source(), its.packet().frame().header().destination());
    EXPECT_EQ(mine.packet().frame().header().correlation_id(),
              its.packet().frame().header().correlation_id());
  }
  EXPECT_GT(pairs, 100U);
}

TEST_F(Index, LeadsEveryPacketAndEventBackToAStartOrARule) {
  const RunIndex index = this->index();
  for (EntryId id = 0; id < index.entries().size(); ++id) {
    const std::vector<EntryId> chain = index.chain(id);
    for (std::size_t link = 1; link < chain.size(); ++link) EXPECT_LT(chain[link], chain[link - 1]);
    const auto last = index.at(chain.back()).what;
    EXPECT_TRUE(last == wire::CaptureRecord::kFired || last == wire::CaptureRecord::kLifecycle ||
                last == wire::CaptureRecord::kEnd)
        << "entry " << id << " begins with a record of kind " << last;
  }
}

TEST_F(Index, KnowsWhenAPacketWasReceivedAndWhichWereLost) {
  const RunIndex index = this->index();
  std::size_t dropped = 0;
  for (std::uint64_t number = 1; number <= index.packet_count(); ++number) {
    const IndexEntry& entry = index.at(index.packet(number).value());
    const wire::Packet packet = index.read(index.packet(number).value()).packet();
    if (packet.fate() == wire::Packet::DROPPED) {
      ++dropped;
      EXPECT_EQ(packet.rule(), 1);
    }
    if (packet.fate() != wire::Packet::ARRIVES) {
      EXPECT_EQ(entry.received, std::nullopt);
    } else if (entry.received) {
      EXPECT_EQ(entry.received->value(), packet.arrival_tick());
    }
  }
  EXPECT_EQ(dropped, 1U);
}

TEST_F(Index, TracesAKillToItsRule) {
  const RunIndex index = this->index();
  std::size_t kills = 0;
  for (EntryId id = 0; id < index.entries().size(); ++id) {
    if (index.at(id).what != wire::CaptureRecord::kLifecycle) continue;
    const wire::CaptureRecord record = index.read(id);
    if (record.lifecycle().kind() != wire::Lifecycle::KILL) continue;
    ++kills;
    ASSERT_TRUE(index.at(id).cause.has_value());
    EXPECT_EQ(index.read(*index.at(id).cause).fired().rule(), 2);
  }
  EXPECT_EQ(kills, 1U);
}

TEST_F(Index, RefusesWhatIsNoCapture) {
  const std::string path = (scratch_.path() / "torn.bin").string();
  EXPECT_THROW(RunIndex{path}, std::runtime_error);
  std::ofstream(path).close();
  EXPECT_THROW(RunIndex{path}, std::runtime_error);
  std::ofstream(path) << std::string(3, '\0');
  EXPECT_THROW(RunIndex{path}, std::runtime_error);
}

}  // namespace
}  // namespace fencepost::lab
