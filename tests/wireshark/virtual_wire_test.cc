// A capture as traffic: addresses, names and comments.
#include "lab/pcapng/virtual_wire.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace fencepost::lab {
namespace {

class VirtualNetwork : public testing::Test {
 protected:
  VirtualNetwork() {
    header().set_tick_ms(1000);
    joins("B1");
    joins("C1");
  }

  wire::CaptureHeader& header() {
    records_.emplace_back();
    return *records_.back().mutable_header();
  }
  void joins(const std::string& name) {
    wire::Lifecycle& life = *records_.emplace_back().mutable_lifecycle();
    life.set_kind(wire::Lifecycle::JOIN);
    life.set_process(name);
    life.set_incarnation(1);
  }
  wire::Packet& heartbeat(wire::Packet::Fate fate) {
    wire::Packet& packet = *records_.emplace_back().mutable_packet();
    wire::Header& said = *packet.mutable_frame()->mutable_header();
    said.set_source("C1");
    said.set_source_incarnation(1);
    said.set_destination("B1");
    said.set_sequence(++sequence_);
    said.set_correlation_id(static_cast<int>(sequence_));
    packet.mutable_frame()->mutable_heartbeat_request()->set_group_id("billing");
    packet.set_fate(fate);
    if (fate == wire::Packet::ARRIVES) packet.set_arrival_tick(1);
    packet.mutable_cause()->set_timer("heartbeat.interval.ms");
    packet.mutable_cause()->set_armed_tick(0);
    return packet;
  }
  std::string bytes(bool shown = true) const {
    PacketTrace trace(PacketTrace::Depth::kCauses);
    for (const wire::CaptureRecord& record : records_) trace.add(Tick(0), record);
    std::ostringstream out;
    PcapngBlocks blocks(out, "test");
    VirtualWire wire(blocks, trace);
    for (const wire::CaptureRecord& record : records_) wire.add(Tick(0), record, shown);
    return out.str();
  }
  static std::size_t times(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++count;
    }
    return count;
  }

  std::vector<wire::CaptureRecord> records_;

 private:
  std::uint64_t sequence_ = 0;
};

TEST_F(VirtualNetwork, IsTheSameBytesEachTime) {
  heartbeat(wire::Packet::ARRIVES);
  EXPECT_EQ(bytes(), bytes());
  EXPECT_EQ(bytes().size() % 4, 0U);
}

TEST_F(VirtualNetwork, NamesEachAddressOnce) {
  heartbeat(wire::Packet::ARRIVES);
  heartbeat(wire::Packet::ARRIVES);
  const std::string text = bytes();
  EXPECT_EQ(times(text, std::string("\x0a\x00\x00\x01"
                                    "B1\x00",
                                    7)),
            1U);
  EXPECT_EQ(times(text, std::string("\x0a\x00\x00\x02"
                                    "C1\x00",
                                    7)),
            1U);
  EXPECT_EQ(times(text, std::string("\x0a\x00\x00\xfe"
                                    "clock\x00",
                                    10)),
            1U);
}

TEST_F(VirtualNetwork, SaysWhatBroughtAPacketAboutAndHowItFared) {
  wire::Fired& fired = *records_.emplace_back().mutable_fired();
  fired.set_rule(3);
  fired.set_text("{at: 0, drop: {from: C1}}");
  heartbeat(wire::Packet::DROPPED).set_rule(3);
  EXPECT_EQ(times(bytes(),
                  "packet 1, tick 0; by timer heartbeat.interval.ms, armed at tick 0 by the start "
                  "of C1; lost: dropped by rule 3: {at: 0, drop: {from: C1}}"),
            1U);
}

TEST_F(VirtualNetwork, EscapesWhatACommentMustNotHold) {
  heartbeat(wire::Packet::ARRIVES).mutable_cause()->set_timer("a\x1b[31mb\n");
  EXPECT_EQ(times(bytes(), "by timer a\\x1b[31mb\\x0a, armed"), 1U);
}

TEST_F(VirtualNetwork, OpensNoConnectionForWhatIsNotShown) {
  heartbeat(wire::Packet::ARRIVES);
  EXPECT_EQ(times(bytes(false), "heartbeat.interval.ms"), 0U);
  EXPECT_LT(bytes(false).size(), bytes().size() / 2);
}

TEST_F(VirtualNetwork, HasNoRoomForAnAddressTwice) {
  for (int i = 0; i < 600; ++i) joins("N" + std::to_string(i));
  const std::string text = bytes();
  EXPECT_EQ(times(text, std::string("\x0a\x00\x00\xfe", 4) + "N"), 0U) << "the clock's";
  EXPECT_EQ(times(text, std::string("\x0a\x00\x01\x01", 4) + "N251"), 1U);
  EXPECT_EQ(times(text, std::string("\x0a\x00\x02\x01", 4) + "N504"), 1U);
}

}  // namespace
}  // namespace fencepost::lab
