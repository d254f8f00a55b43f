// The packet list: Wireshark's columns (No. Time Source Destination Protocol Length Info) and the
// tick, with marks between the packets: the lives of processes, the states of groups, rules. As
// text, for people who watch also coloured and narrower; as JSON Lines; as tab separated values.
// docs/packets.md is its page.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "common/ids.h"
#include "lab/packets/packet_trace.h"
#include "lab/packets/packet_walk.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

enum class PacketFormat { kText, kJson, kTsv };
enum class PacketLayout {
  kFull,  // all of Wireshark's columns
  kLive,  // without Protocol and Length, for a terminal; with colours and width
};

// Makes lines from the records of a capture, in their order.
class PacketList {
 public:
  struct Options {
    PacketFormat format = PacketFormat::kText;
    PacketLayout layout = PacketLayout::kFull;
    bool details = false;  // every field of each packet (text and JSON)
    Marks marks = Marks::kStates;
    PacketFilter filter{};
    bool colour = false;    // kLive
    std::size_t width = 0;  // kLive: of the terminal; 0: lines are not broken
  };

  // `trace` knows the whole capture and outlives the list; without it a request does not know its
  // answer yet.
  explicit PacketList(Options options, const PacketTrace* trace = nullptr);

  // What comes first: the titles of the columns, and of a live list what is left out.
  std::string heading() const;
  // With newlines; empty for records that are not shown.
  std::string text_of(Tick tick, const wire::CaptureRecord& record);
  // Something that the capture does not know, between its lines.
  std::string note(const std::string& text) const;

  std::uint32_t packets() const { return walk_.packets(); }
  std::uint32_t packets_shown() const { return walk_.packets_shown(); }

 private:
  Options options_;
  PacketWalk walk_;
  std::optional<PacketTrace> own_;
  const PacketTrace* trace_;
};

// How deep a trace has to be for a list with these options.
PacketTrace::Depth depth_for(const PacketList::Options& options);

// A capture in a file, read as far as it can be read: that of a run that goes on, was killed, or
// whose disk was full ends early.
class RecordedPackets {
 public:
  using OnRecord = std::function<void(Tick, const wire::CaptureRecord&)>;

  // Reads it once. Throws std::runtime_error if it cannot be read, is empty or is no capture.
  RecordedPackets(const std::string& capture, PacketTrace::Depth depth);

  const PacketTrace& trace() const { return trace_; }
  // One line that says why it is not whole; empty: it is.
  const std::string& complaint() const { return complaint_; }
  // It is damaged, not just cut short: who knows what came behind.
  bool is_damaged() const { return is_damaged_; }

  // Every record that was read, again. Throws std::runtime_error if the file has changed.
  void each(const OnRecord& on_record) const;
  // How many packets were shown.
  std::uint32_t list(std::ostream& out, const PacketList::Options& options) const;

 private:
  template <class Visit>
  void each_while(const Visit& visit) const;  // until it gives false

  std::string path_;
  PacketTrace trace_;
  std::uint64_t records_ = 0;
  std::string complaint_;
  bool is_damaged_ = false;
};

}  // namespace fencepost::lab
