// What stands beside a packet of a capture file, as its comment: its number in the packet list, its
// tick, what brought it about, and how it fared.
#pragma once

#include <map>
#include <string>

#include "common/ids.h"
#include "lab/packets/packet_trace.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

class PacketComments {
 public:
  // The trace knows the whole capture, with causes, and outlives this object.
  explicit PacketComments(const PacketTrace& trace) : trace_(trace) {}

  // The text of a rule, for packets that it loses from here on.
  void learn(const wire::Fired& fired) { rules_[fired.rule()] = fired.text(); }

  // `number`: as in the packet list. Safe to print: see lab/packets/printable.h.
  std::string of(std::uint32_t number, Tick tick, const wire::Packet& packet) const;

 private:
  std::string fate(Tick tick, const wire::Packet& packet) const;
  std::string because(std::uint32_t number, const wire::Packet& packet) const;
  std::string origin(std::uint32_t number, const wire::Packet& packet) const;

  const PacketTrace& trace_;
  std::map<int, std::string> rules_;
};

}  // namespace fencepost::lab
