// What stands beside a packet of a capture file, as its comment: its number in the packet list, its
// tick, what brought it about, and how it fared.
#pragma once

#include <map>
#include <string>

#include "lab/run_index.h"

namespace fencepost::lab {

class PacketComments {
 public:
  explicit PacketComments(const RunIndex& index) : index_(index) {}

  // The text of a rule, for packets that it loses from here on.
  void learn(const wire::Fired& fired) { rules_[fired.rule()] = fired.text(); }

  // `record`: its number in the capture, from 1. Safe to print: see lab/packets/printable.h.
  std::string of(std::uint64_t record, const wire::Packet& packet) const;

 private:
  std::string fate(Tick tick, const wire::Packet& packet) const;
  std::string because(const IndexEntry& entry, const wire::Cause& cause) const;
  std::string origin(const IndexEntry& entry, const wire::Cause& cause) const;

  const RunIndex& index_;
  std::map<int, std::string> rules_;
};

}  // namespace fencepost::lab
