// The packet list: one line per packet with Wireshark's columns (No. Time Source Destination
// Protocol Length Info), lifecycle events between them, and on request the events that nodes
// report.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "lab/partition_names.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

// Makes lines from the records of a capture, in their order.
class PacketList {
 public:
  struct Options {
    bool events = false;              // shows what nodes report, too
    std::vector<std::string> only{};  // APIs and processes: packets of these; empty: of all
  };

  explicit PacketList(Options options) : options_(std::move(options)) {}

  static std::string heading();
  // One line with its newline; empty for records that have none.
  std::string line_of(Tick tick, const wire::CaptureRecord& record);

 private:
  std::string packet_line(Tick tick, const wire::Packet& packet);
  std::string note(Tick tick, const std::string& who, const std::string& text) const;

  Options options_;
  PartitionNames names_;
  std::int64_t tick_ms_ = 1000;
  std::int64_t number_ = 0;
  std::string process_;  // whose step it is
};

// Writes the list of a capture to a stream. Throws std::runtime_error as CaptureReader does.
void list_packets(const std::string& capture, std::ostream& out, PacketList::Options options);

}  // namespace fencepost::lab
