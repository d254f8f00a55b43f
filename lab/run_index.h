// What a capture holds and where: each packet with its number in the packet list and its answer,
// each packet and event with the record that brought it about (DESIGN 3, Causes). The records
// themselves stay in the file and are read when they are asked for, so a run may be larger than
// memory. The packet list, `why`, diagrams and the report find their way by it.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/ids.h"
#include "proto/capture.pb.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

// A position in RunIndex::entries().
using EntryId = std::size_t;

// A packet, an event, a moment in the life of a process, or a rule that fired.
struct IndexEntry {
  std::uint64_t record = 0;  // its number in the capture, from 1: as in Moment (lab/history.h)
  std::uint64_t offset = 0;  // of its length, in the file
  Tick tick;
  wire::CaptureRecord::WhatCase what = wire::CaptureRecord::WHAT_NOT_SET;
  std::uint32_t process = 0;             // who sent it, said it or lived it: RunIndex::processes()
  std::uint32_t number = 0;              // packets: as in the packet list, from 1
  std::optional<EntryId> cause{};        // absent: nothing that the capture knows
  std::optional<EntryId> counterpart{};  // the first response to a request; a response's request
  std::optional<Tick> received{};        // packets: when its receiver took it from its inbox
};

class RunIndex {
 public:
  // Reads the whole capture once. With the plan, commands (slow, call) are traced to their rules.
  // Throws std::runtime_error as CaptureReader does, and if the capture is empty.
  explicit RunIndex(const std::string& capture, const wire::Plan* plan = nullptr);

  const wire::CaptureHeader& header() const { return header_; }
  const std::vector<IndexEntry>& entries() const { return entries_; }
  const IndexEntry& at(EntryId id) const { return entries_.at(id); }
  // Names, in the order in which they joined. An empty one stands for nobody: a rule is its own.
  const std::vector<std::string>& processes() const { return processes_; }
  const std::string& process_of(EntryId id) const { return processes_[at(id).process]; }

  // The packet with this number in the packet list; nothing if there are fewer.
  std::optional<EntryId> packet(std::uint64_t number) const;
  std::uint64_t packet_count() const { return packets_.size(); }
  // By the number of its record, as a Moment has it; nothing for receptions, steps, the header.
  std::optional<EntryId> of_record(std::uint64_t record) const;

  // The record itself. Throws std::runtime_error if the file has changed meanwhile.
  wire::CaptureRecord read(EntryId id) const;
  // An entry, what brought it about, what brought that about, ..., the start or the rule at the
  // end.
  std::vector<EntryId> chain(EntryId id) const;

 private:
  class Builder;

  std::string path_;
  wire::CaptureHeader header_;
  std::vector<std::string> processes_;
  std::vector<IndexEntry> entries_;
  std::vector<EntryId> packets_;  // by number, from 1
  mutable std::ifstream file_;
};

}  // namespace fencepost::lab
