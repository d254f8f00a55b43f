// What a person sees of a run that goes on.
#include "lab/packets/packet_list.h"
#include "lab/wording.h"

#include <gtest/gtest.h>

#include "common/capture_file.h"
#include "lab/capture_feed.h"
#include "lab/group_states.h"

namespace fencepost::lab {
namespace {

wire::CaptureRecord packet(const std::string& from, const std::string& to) {
  wire::CaptureRecord record;
  wire::Header& header = *record.mutable_packet()->mutable_frame()->mutable_header();
  header.set_source(from);
  header.set_destination(to);
  record.mutable_packet()->set_fate(wire::Packet::ARRIVES);
  record.mutable_packet()->set_arrival_tick(8);
  return record;
}

wire::CaptureRecord heartbeat_answer(int error) {
  wire::CaptureRecord record = packet("B1", "C1");
  record.mutable_packet()->mutable_frame()->mutable_heartbeat_response()->set_error_code(error);
  return record;
}

wire::CaptureRecord group_state(const std::string& to, const std::string& members) {
  wire::CaptureRecord record;
  wire::Event& event = *record.mutable_occurrence()->mutable_event();
  event.set_name("group.state");
  const std::pair<std::string, std::string> values[] = {
      {"group", "billing"},           {"from", "Empty"},   {"to", to}, {"generation", "2"},
      {"reason", "member C1 joined"}, {"members", members}};
  for (const auto& [key, value] : values) {
    wire::Attribute& attribute = *event.add_attributes();
    attribute.set_key(key);
    attribute.set_value(value);
  }
  return record;
}

// As `up` shows it.
PacketList::Options live(PacketList::Options options = {.filter = {.no_routine = true}}) {
  options.layout = PacketLayout::kLive;
  options.marks = Marks::kMembers;
  return options;
}

constexpr Tick kTick{7};
constexpr std::int32_t kUnknownMemberId = 25;

TEST(LivePackets, WhatSucceedsAllTheTimeIsLeftOut) {
  PacketList lines(live());
  EXPECT_EQ(lines.text_of(kTick, heartbeat_answer(0)), "");
  wire::CaptureRecord fetch = packet("B1", "C1");
  fetch.mutable_packet()->mutable_frame()->mutable_fetch_response();
  EXPECT_EQ(lines.text_of(kTick, fetch), "");
  // Its number counts what was left out: it is that of packets.log.
  EXPECT_EQ(lines.text_of(kTick, heartbeat_answer(kUnknownMemberId)),
            "     3     7     7.000  B1     C1     Heartbeat Response  error=UNKNOWN_MEMBER_ID\n");
  EXPECT_NE(lines.heading().find("not shown: Heartbeats that succeed"), std::string::npos);
}

TEST(LivePackets, WhatIsLostIsShown) {
  PacketList lines(live());
  wire::CaptureRecord lost = heartbeat_answer(0);
  lost.mutable_packet()->set_fate(wire::Packet::DROPPED);
  EXPECT_NE(lines.text_of(kTick, lost).find("Heartbeat Response [dropped]"), std::string::npos);
}

TEST(LivePackets, AllMeansAll) {
  PacketList lines(live({.filter = {}}));
  EXPECT_NE(lines.text_of(kTick, heartbeat_answer(0)), "");
  EXPECT_EQ(lines.heading().find("not shown"), std::string::npos);
}

TEST(LivePackets, OnlyNamesApisAndProcesses) {
  PacketList lines(live({.filter = {.only = {"JoinGroup", "C2"}}}));
  EXPECT_EQ(lines.text_of(kTick, heartbeat_answer(0)), "");
  wire::CaptureRecord join = packet("C1", "B1");
  join.mutable_packet()->mutable_frame()->mutable_join_group_request()->set_group_id("billing");
  EXPECT_NE(lines.text_of(kTick, join), "");
  wire::CaptureRecord other = packet("C2", "B1");
  other.mutable_packet()->mutable_frame()->mutable_heartbeat_request();
  EXPECT_NE(lines.text_of(kTick, other), "");
}

TEST(LivePackets, ColoursTellErrorsApart) {
  PacketList lines(live({.filter = {}, .colour = true}));
  EXPECT_TRUE(lines.text_of(kTick, heartbeat_answer(kUnknownMemberId)).starts_with("\x1b[1;31m"));
  EXPECT_FALSE(lines.text_of(kTick, heartbeat_answer(0)).starts_with("\x1b[1;31m"));
}

TEST(LivePackets, LongLinesAreBrokenUnderTheirColumn) {
  PacketList lines(live({.width = 80}));
  const std::string text = lines.text_of(
      kTick, group_state("PreparingRebalance", "C1-3f2c,C2-77aa,C3-9b10,C4-1234,C5-1234,C6-1234"));
  const std::size_t second = text.find('\n') + 1;
  ASSERT_LT(second, text.size());
  EXPECT_EQ(text.substr(second).find_first_not_of(' '), text.find("group billing"));
}

TEST(MemberNames, ThoseThatLookTheSameKeepDigits) {
  const std::string uuid = "-0000-4000-8000-000000000000";
  EXPECT_EQ(member_names({"C1-3f2c0000" + uuid, "C2-aaaa0000" + uuid, "C1-9b1d0000" + uuid}),
            (std::vector<std::string>{"C1-3f2c", "C2", "C1-9b1d"}));
}

TEST(GroupStates, TheLastWordHolds) {
  GroupStates states;
  states.add(kTick, group_state("PreparingRebalance", "C1"));
  states.add(kTick, group_state("Stable", "C1,C2"));
  const GroupStanding& group = states.groups().at("billing");
  EXPECT_EQ(group.state, "Stable");
  EXPECT_EQ(group.generation, "2");
  EXPECT_EQ(group.members, (std::vector<std::string>{"C1", "C2"}));
  EXPECT_EQ(group.rebalance_reason, "member C1 joined");
}

TEST(CaptureFeed, RecordsComeWholeHoweverTheirBytesCome) {
  std::string bytes;
  for (std::int64_t tick = 0; tick < 5; ++tick) {
    wire::CaptureRecord record = group_state("Stable", "C1");
    record.set_tick(tick);
    append_framed(bytes, record);
    append_framed(bytes, heartbeat_answer(0));
  }
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{64}, bytes.size()}) {
    CaptureFeed feed;
    std::vector<std::int64_t> ticks;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      feed.add(std::string_view(bytes).substr(at, size),
               [&](Tick tick, const wire::CaptureRecord&) { ticks.push_back(tick.value()); });
    }
    EXPECT_EQ(ticks, (std::vector<std::int64_t>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4})) << size;
    EXPECT_TRUE(feed.at_boundary());
  }
}

}  // namespace
}  // namespace fencepost::lab
