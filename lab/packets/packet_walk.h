// Walks the records of a capture, from a file or as they come, and gives what a packet list shows
// of them: packets with their numbers, and between them marks. Every list, whatever its format,
// comes from this walk.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "lab/packets/packet_filter.h"
#include "lab/partition_names.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

// How much stands between the packets.
enum class Marks {
  kNone,
  kStates,   // lives of processes, rules, states of groups, the end
  kMembers,  // and what members own, give up and lose, and the errors that they see
  kEvents,   // and all that nodes report, as they report it
};

struct ListItem {
  enum class Kind { kPacket, kLife, kRule, kGroup, kMember, kEvent, kEnd };

  Kind kind = Kind::kPacket;
  Tick tick;
  // Of marks: who lives it or says it. Empty: a rule, the end.
  std::string process{};
  std::string text{};  // of marks
  // The record itself; lives as long as what was walked over.
  const wire::CaptureRecord* record = nullptr;
  // Packets only.
  std::uint32_t number = 0;           // from 1
  std::vector<std::string> groups{};  // that it is about; an answer: that its request is about

  bool is_packet() const { return kind == Kind::kPacket; }
  const wire::Packet& packet() const { return record->packet(); }
};

class PacketWalk {
 public:
  PacketWalk(PacketFilter filter, Marks marks) : filter_(std::move(filter)), marks_(marks) {}

  // What is shown of the next record, if it is shown.
  std::optional<ListItem> next(Tick tick, const wire::CaptureRecord& record);

  // As the header of the capture has them.
  const PartitionNames& names() const { return names_; }
  std::int64_t tick_ms() const { return tick_ms_; }
  std::uint32_t packets() const { return number_; }
  std::uint32_t packets_shown() const { return shown_; }

 private:
  using Asked = std::pair<std::string, std::pair<std::uint32_t, std::int32_t>>;

  std::optional<ListItem> packet(ListItem item);
  std::optional<ListItem> mark(ListItem item) const;
  std::optional<ListItem> event(ListItem item) const;
  std::vector<std::string> groups_of(const wire::Frame& frame);

  PacketFilter filter_;
  Marks marks_;
  PartitionNames names_;
  std::int64_t tick_ms_ = 1000;
  std::uint32_t number_ = 0;
  std::uint32_t shown_ = 0;
  std::string process_;                                     // whose step it is
  std::map<Asked, std::vector<std::string>> groups_asked_;  // by requests without an answer yet
};

}  // namespace fencepost::lab
