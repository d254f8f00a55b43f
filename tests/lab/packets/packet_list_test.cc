// The packet list: columns, marks, pairs, filters and formats, over a capture built by hand.
#include "lab/packets/packet_list.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "common/capture_file.h"
#include "common/error_code.h"
#include "common/events.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

constexpr char kUuid[] = "-5f1c0000-0000-4000-8000-000000000000";

class Capture {
 public:
  Capture() {
    wire::CaptureHeader& header = *add(0).mutable_header();
    header.set_version(1);
    header.set_tick_ms(500);
    wire::TopicName& topic = *header.add_topics();
    topic.set_topic("orders");
    topic.set_short_name("o");
    topic.set_partitions(3);
  }

  wire::CaptureRecord& add(std::int64_t tick) {
    records_.emplace_back();
    if (tick != tick_) records_.back().set_tick(tick);
    tick_ = tick;
    return records_.back();
  }
  wire::Lifecycle& life(std::int64_t tick, wire::Lifecycle::Kind kind, const std::string& process) {
    wire::Lifecycle& life = *add(tick).mutable_lifecycle();
    life.set_kind(kind);
    life.set_process(process);
    life.set_incarnation(1);
    life.set_role("consumer");
    return life;
  }
  void step(std::int64_t tick, const std::string& process) {
    wire::Step& step = *add(tick).mutable_step();
    step.set_process(process);
    step.set_incarnation(1);
  }
  // The first life of a process sends to the first life of another.
  wire::Packet& packet(std::int64_t tick, const std::string& from, const std::string& to,
                       std::int32_t correlation) {
    wire::Packet& packet = *add(tick).mutable_packet();
    wire::Header& header = *packet.mutable_frame()->mutable_header();
    header.set_source(from);
    header.set_source_incarnation(1);
    header.set_destination(to);
    header.set_destination_incarnation(1);
    header.set_sequence(++sent_[from]);
    header.set_correlation_id(correlation);
    packet.set_fate(wire::Packet::ARRIVES);
    packet.set_arrival_tick(tick + 1);
    return packet;
  }
  void takes(std::int64_t tick, const std::string& from, std::uint64_t sequence) {
    wire::Reception& reception = *add(tick).mutable_reception();
    reception.set_source(from);
    reception.set_incarnation(1);
    reception.set_sequence(sequence);
  }
  std::string bytes() const {
    std::string bytes;
    for (const wire::CaptureRecord& record : records_) append_framed(bytes, record);
    return bytes;
  }

 private:
  std::int64_t tick_ = -1;
  std::map<std::string, std::uint64_t> sent_;
  std::vector<wire::CaptureRecord> records_;
};

void add_heartbeat(wire::Packet& packet, const std::string& group, const std::string& process) {
  auto& request = *packet.mutable_frame()->mutable_heartbeat_request();
  request.set_group_id(group);
  request.set_member_id(process + kUuid);
  request.set_generation_id(2);
}

void lose(wire::Packet& packet, wire::Packet::Fate fate, std::int32_t rule) {
  packet.set_fate(fate);
  packet.clear_arrival_tick();
  packet.set_rule(rule);
}

// C2 joins and is heard, C1's commit is lost, its Heartbeat is refused, C3's is late, C2 dies.
Capture small_run() {
  Capture run;
  for (const char* const process : {"B1", "C1", "C2", "C3"}) {
    run.life(0, wire::Lifecycle::JOIN, process);
  }
  run.step(2, "C2");
  auto& join = *run.packet(2, "C2", "B1", 7).mutable_frame()->mutable_join_group_request();
  join.set_group_id("billing");
  run.step(3, "B1");
  run.takes(3, "C2", 1);
  wire::Packet& answer = run.packet(3, "B1", "C2", 7);
  answer.mutable_frame()->mutable_join_group_response()->set_error_code(
      to_wire(ErrorCode::kMemberIdRequired));
  answer.mutable_cause()->set_kind(wire::Cause::FRAME);
  answer.mutable_cause()->set_source("C2");
  answer.mutable_cause()->set_incarnation(1);
  answer.mutable_cause()->set_sequence(1);
  answer.mutable_cause()->set_tick(3);
  wire::Fired& fired = *run.add(4).mutable_fired();
  fired.set_rule(1);
  fired.set_text("{at: 4, drop: {from: C1}}");
  run.step(4, "C1");
  add_heartbeat(run.packet(4, "C1", "B1", 1), "billing", "C1");
  wire::Packet& commit = run.packet(4, "C1", "B1", 2);
  commit.mutable_frame()->mutable_offset_commit_request()->set_group_id("billing");
  lose(commit, wire::Packet::DROPPED, 1);
  run.step(5, "B1");
  run.packet(5, "B1", "C1", 1)
      .mutable_frame()
      ->mutable_heartbeat_response()
      ->set_error_code(to_wire(ErrorCode::kRebalanceInProgress));
  *run.add(5).mutable_occurrence()->mutable_event() =
      events::make(events::kGroupState, {{"group", "billing"},
                                         {"from", "PreparingRebalance"},
                                         {"to", "CompletingRebalance"},
                                         {"generation", "2"},
                                         {"reason", std::string("member C2") + kUuid + " joined"},
                                         {"members", std::string("C1") + kUuid}});
  run.step(6, "C3");
  wire::Packet& late = run.packet(6, "C3", "B1", 1);
  add_heartbeat(late, "other", "C3");
  late.set_arrival_tick(9);
  late.set_rule(2);
  *run.add(6).mutable_occurrence()->mutable_event() = events::make(
      events::kPartitionsAssigned, {{"owned", "orders-0,orders-1"}, {"generation", "2"}});
  run.step(9, "B1");
  run.packet(9, "B1", "C3", 1).mutable_frame()->mutable_heartbeat_response();
  run.life(10, wire::Lifecycle::KILL, "C2");
  run.add(10).mutable_end()->set_reason("until tick 10");
  return run;
}

class PacketListing : public testing::Test {
 protected:
  std::string write(const std::string& bytes) const {
    const std::string path = (scratch_.path() / "capture.bin").string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string list(const PacketList::Options& options) const {
    std::ostringstream out;
    RecordedPackets(write(small_run().bytes()), depth_for(options)).list(out, options);
    return out.str();
  }

  const test::Scratch scratch_;
};

TEST_F(PacketListing, HasWiresharksColumnsAndMarksBetween) {
  EXPECT_EQ(list({}),
            "   No.   Tick       Time  Source Destination Protocol  Length  Info\n"
            "            0      0.000  B1     *** starts: consumer, life 1\n"
            "            0      0.000  C1     *** starts: consumer, life 1\n"
            "            0      0.000  C2     *** starts: consumer, life 1\n"
            "            0      0.000  C3     *** starts: consumer, life 1\n"
            "     1      2      1.000  C2     B1          Fencepost     30  JoinGroup Request  "
            "group=billing member=(new) [response 2]\n"
            "     2      3      1.500  B1     C2          Fencepost     23  JoinGroup Response  "
            "error=MEMBER_ID_REQUIRED [request 1]\n"
            "            4      2.000         *** rule 1: {at: 4, drop: {from: C1}}\n"
            "     3      4      2.000  C1     B1          Fencepost     73  Heartbeat Request  "
            "group=billing member=C1-5f1c gen=2 [response 5]\n"
            "     4      4      2.000  C1     B1          Fencepost     30  OffsetCommit Request  "
            "group=billing [dropped: rule 1]\n"
            "     5      5      2.500  B1     C1          Fencepost     23  Heartbeat Response  "
            "error=REBALANCE_IN_PROGRESS [request 3]\n"
            "            5      2.500  B1     *** group billing PreparingRebalance -> "
            "CompletingRebalance gen=2 (member C2 joined) members=[C1]\n"
            "     6      6      3.000  C3     B1          Fencepost     71  Heartbeat Request  "
            "group=other member=C3-5f1c gen=2 [arrives at tick 9: rule 2] [response 7]\n"
            "     7      9      4.500  B1     C3          Fencepost     21  Heartbeat Response "
            "[request 6]\n"
            "           10      5.000  C2     *** is killed (kill -9)\n"
            "           10      5.000         *** end of the run: until tick 10\n");
}

TEST_F(PacketListing, TellsWhatNodesReportIfAsked) {
  const std::string some = list({.marks = Marks::kMembers});
  EXPECT_NE(some.find("  C3     --- owns o0 o1 in generation 2\n"), std::string::npos) << some;
  const std::string all = list({.marks = Marks::kEvents});
  EXPECT_NE(all.find("  C3     --- partitions.assigned owned=orders-0,orders-1 generation=2\n"),
            std::string::npos)
      << all;
}

TEST_F(PacketListing, ALiveListKnowsWhatHasBeen) {
  PacketList list({.layout = PacketLayout::kLive, .marks = Marks::kMembers});
  std::string text;
  CaptureReader reader(write(small_run().bytes()));
  while (const auto record = reader.next()) text += list.text_of(Tick(reader.tick()), *record);
  EXPECT_NE(text.find("JoinGroup Request  group=billing member=(new)\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("error=MEMBER_ID_REQUIRED [request 1]\n"), std::string::npos) << text;
}

struct FilterCase {
  const char* name;
  PacketFilter filter;
  std::vector<std::string> numbers;
};

class Filtered : public PacketListing, public testing::WithParamInterface<FilterCase> {};

TEST_P(Filtered, ShowsWhatFits) {
  std::istringstream lines(
      list({.format = PacketFormat::kTsv, .marks = Marks::kNone, .filter = GetParam().filter}));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line.substr(0, line.find('\t')), "number");
  std::vector<std::string> numbers;
  while (std::getline(lines, line)) numbers.push_back(line.substr(0, line.find('\t')));
  EXPECT_EQ(numbers, GetParam().numbers);
}

using Numbers = std::vector<std::string>;

INSTANTIATE_TEST_SUITE_P(
    Packets, Filtered,
    testing::Values(
        FilterCase{"Nothing", {}, {"1", "2", "3", "4", "5", "6", "7"}},
        FilterCase{"Apis", {.only = {"JoinGroup", "OffsetCommit"}}, {"1", "2", "4"}},
        FilterCase{"ApisAndProcesses", {.only = {"OffsetCommit", "C3"}}, {"4", "6", "7"}},
        FilterCase{"Hosts", {.hosts = {"C1"}}, {"3", "4", "5"}},
        FilterCase{"HostsAndApis", {.only = {"Heartbeat"}, .hosts = {"C1"}}, {"3", "5"}},
        FilterCase{"Between", {.between = {{"B1", "C2"}}}, {"1", "2"}},
        FilterCase{"BetweenNobody", {.between = {{"C1", "C2"}}}, {}},
        FilterCase{"Ticks", {.ticks = {{3, 4}}}, {"2", "3", "4"}},
        FilterCase{"SeveralTicks", {.ticks = {{2, 2}, {9, INT64_MAX}}}, {"1", "7"}},
        FilterCase{"ByNumber", {.numbers = {{5, 5}, {1, 1}}}, {"1", "5"}},
        FilterCase{"Errors", {.errors = true}, {"2", "4", "5"}},
        FilterCase{"AnswersAreAboutTheGroupThatWasAskedFor", {.groups = {"other"}}, {"6", "7"}},
        FilterCase{"GroupAndErrors", {.groups = {"billing"}, .errors = true}, {"2", "4", "5"}},
        FilterCase{"HeartbeatsButTheRefused", {.no_heartbeats = true}, {"1", "2", "4", "5"}},
        FilterCase{"Routine", {.no_routine = true}, {"1", "2", "4", "5"}}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(PacketListing, MarksFitTheirTickAndProcess) {
  const std::string text = list({.filter = {.hosts = {"C2"}, .ticks = {{5, 20}}}});
  EXPECT_EQ(text.find("starts"), std::string::npos) << text;
  EXPECT_NE(text.find("*** is killed"), std::string::npos) << text;
  EXPECT_NE(text.find("*** group billing"), std::string::npos) << text;
  EXPECT_EQ(list({.filter = {.groups = {"other"}}}).find("*** group billing"), std::string::npos);
  EXPECT_EQ(list({.filter = {.numbers = {{1, 2}}}}).find("***"), std::string::npos);
}

TEST_F(PacketListing, EveryLineOfJsonIsAnObject) {
  std::istringstream lines(
      list({.format = PacketFormat::kJson, .details = true, .marks = Marks::kEvents}));
  std::map<std::string, int> kinds;
  for (std::string line; std::getline(lines, line);) {
    const boost::json::value value = boost::json::parse(line);
    ++kinds[std::string(value.at("kind").as_string())];
  }
  EXPECT_EQ(kinds,
            (std::map<std::string, int>{
                {"packet", 7}, {"life", 5}, {"rule", 1}, {"group", 1}, {"event", 1}, {"end", 1}}));
}

TEST_F(PacketListing, JsonTellsAllOfAPacket) {
  EXPECT_EQ(
      list({.format = PacketFormat::kJson, .filter = {.numbers = {{2, 2}}}}),
      R"({"kind":"packet","number":2,"tick":3,"time":1.500,"source":"B1","destination":"C2",)"
      R"("protocol":"Fencepost","length":23,)"
      R"("info":"JoinGroup Response  error=MEMBER_ID_REQUIRED","api":"JoinGroup",)"
      R"("response":true,"incarnation":1,"correlation_id":7,"group":"billing","member":null,)"
      R"("generation":null,"errors":["MEMBER_ID_REQUIRED"],"fate":"arrives","arrival_tick":4,)"
      R"("received_tick":null,"rule":null,"counterpart":1,)"
      R"("cause":{"kind":"FRAME","tick":3,"source":"C2","packet":1,"timer":null,)"
      R"("armed_tick":null}})"
      "\n");
  const boost::json::value lost =
      boost::json::parse(list({.format = PacketFormat::kJson, .filter = {.numbers = {{4, 4}}}}));
  EXPECT_EQ(lost.at("fate").as_string(), "dropped");
  EXPECT_EQ(lost.at("rule").as_int64(), 1);
  EXPECT_TRUE(lost.at("counterpart").is_null());
  const boost::json::value taken =
      boost::json::parse(list({.format = PacketFormat::kJson, .filter = {.numbers = {{1, 1}}}}));
  EXPECT_EQ(taken.at("received_tick").as_int64(), 3);
}

TEST_F(PacketListing, TsvHasTheColumns) {
  EXPECT_EQ(list({.format = PacketFormat::kTsv, .filter = {.numbers = {{4, 5}}}}),
            "number\ttick\ttime\tsource\tdestination\tprotocol\tlength\tinfo\tfate\tcounterpart\n"
            "4\t4\t2.000\tC1\tB1\tFencepost\t30\tOffsetCommit Request  group=billing\tdropped\t\n"
            "5\t5\t2.500\tB1\tC1\tFencepost\t23\tHeartbeat Response  "
            "error=REBALANCE_IN_PROGRESS\tarrives\t3\n");
}

TEST_F(PacketListing, DetailsHaveEveryField) {
  EXPECT_EQ(list({.details = true, .filter = {.numbers = {{2, 2}}}}),
            "Packet 2, tick 3 (1.500 s): B1 -> C2, Fencepost, 23 bytes\n"
            "  JoinGroup Response  error=MEMBER_ID_REQUIRED\n"
            "  Fate: arrives at tick 4, never taken\n"
            "  Request: 1\n"
            "  Cause: packet 1 from C2, at tick 3\n"
            "  Chain: 2 <- 1\n"
            "  Header:\n"
            "    source: B1\n"
            "    source_incarnation: 1\n"
            "    destination: C2\n"
            "    destination_incarnation: 1\n"
            "    sequence: 1\n"
            "    correlation_id: 7\n"
            "  JoinGroupResponse:\n"
            "    error_code: 79 (MEMBER_ID_REQUIRED)\n"
            "    generation_id: -1 (default)\n"
            "    leader: (default)\n"
            "    skip_assignment: false (default)\n"
            "    member_id: (default)\n"
            "    members: none\n"
            "\n");
}

TEST_F(PacketListing, NamesAreSafeToPrint) {
  Capture run;
  add_heartbeat(run.packet(1, "C1\x1b[2J\n", "B\"1", 1), "g\n\"", "C1");
  run.life(2, wire::Lifecycle::JOIN, "X\r").set_role("\x07");
  const RecordedPackets recorded(write(run.bytes()), PacketTrace::Depth::kCauses);
  for (const PacketFormat format : {PacketFormat::kText, PacketFormat::kJson, PacketFormat::kTsv}) {
    std::ostringstream out;
    recorded.list(out, {.format = format, .details = format == PacketFormat::kJson});
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) {
      EXPECT_EQ(line.find_first_of("\x1b\r\x07"), std::string::npos) << line;
      if (format != PacketFormat::kJson) continue;
      EXPECT_NO_THROW(boost::json::parse(line)) << line;
    }
  }
}

TEST_F(PacketListing, ACaptureThatIsCutShortIsListedAsFarAsItGoes) {
  const std::string whole = small_run().bytes();
  const RecordedPackets all(write(whole), PacketTrace::Depth::kAnswers);
  EXPECT_EQ(all.complaint(), "");
  const RecordedPackets torn(write(whole.substr(0, whole.size() - 1)),
                             PacketTrace::Depth::kAnswers);
  EXPECT_NE(torn.complaint().find("the file ends within a record"), std::string::npos);
  EXPECT_FALSE(torn.is_damaged());
  std::ostringstream out;
  EXPECT_EQ(torn.list(out, {}), 7u);
  EXPECT_NE(out.str().find("*** is killed"), std::string::npos);

  const RecordedPackets damaged(write(whole + std::string("\0\0\0\1\xff", 5)),
                                PacketTrace::Depth::kAnswers);
  EXPECT_TRUE(damaged.is_damaged());
  EXPECT_EQ(damaged.trace().packets(), 7u);
}

TEST_F(PacketListing, ACutAnywhereIsSaidOrRefused) {
  const std::string whole = small_run().bytes();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const std::string path = write(whole.substr(0, size));
    try {
      const RecordedPackets cut(path, PacketTrace::Depth::kAnswers);
      EXPECT_NE(cut.complaint(), "") << size;
      EXPECT_FALSE(cut.is_damaged()) << size;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << size;
    }
  }
}

TEST_F(PacketListing, WhatIsNoCaptureIsRefused) {
  EXPECT_THROW(RecordedPackets(write(""), PacketTrace::Depth::kAnswers), std::runtime_error);
  EXPECT_THROW(RecordedPackets(write("hello, world"), PacketTrace::Depth::kAnswers),
               std::runtime_error);
  std::string headless;
  wire::CaptureRecord record;
  record.mutable_end();
  append_framed(headless, record);
  EXPECT_THROW(RecordedPackets(write(headless), PacketTrace::Depth::kAnswers), std::runtime_error);
}

TEST(Ranges, AreReadAsTheyAreTyped) {
  EXPECT_EQ(parse_range("10"), (NumberRange{10, 10}));
  EXPECT_EQ(parse_range("10..20"), (NumberRange{10, 20}));
  EXPECT_EQ(parse_range("10.."), (NumberRange{10, INT64_MAX}));
  EXPECT_EQ(parse_range("..20"), (NumberRange{0, 20}));
  for (const char* const bad : {"", "..", "a", "1..b", "20..10", "-1", "1...2", "1..2..3", "1.",
                                "99999999999999999999", " 1", "1-2"}) {
    EXPECT_EQ(parse_range(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace fencepost::lab
