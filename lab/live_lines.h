// The packets of a run that is going on, for a person who watches: aligned columns, on a terminal
// coloured by kind and broken to its width. What repeats all the time (Heartbeats that succeed,
// Fetches that bring nothing) is left out; the life of processes and of groups stands between the
// packets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.h"
#include "lab/partition_names.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

class LiveLines {
 public:
  struct Options {
    bool colour = false;
    std::size_t width = 0;            // of the terminal; 0: lines are not broken
    bool all = false;                 // every packet
    bool events = false;              // everything that nodes report
    std::vector<std::string> only{};  // APIs and processes: packets of these; empty: of all
  };

  explicit LiveLines(Options options) : options_(std::move(options)) {}

  // The column titles, and what is left out.
  std::string heading() const;
  // With newlines; empty for records that are not shown.
  std::string line_of(Tick tick, const wire::CaptureRecord& record);
  // Something that the capture does not know, between its lines.
  std::string note(const std::string& text) const;

 private:
  enum class Kind { kRequest, kResponse, kError, kLife, kGroup, kQuiet };

  std::string packet(Tick tick, const wire::Packet& packet);
  std::string lifecycle(Tick tick, const wire::Lifecycle& lifecycle) const;
  std::string event(Tick tick, const wire::Event& event) const;
  std::string words_of(const wire::Event& event) const;
  std::string line(Kind kind, const std::string& front, const std::string& text) const;

  Options options_;
  PartitionNames names_;
  std::int64_t tick_ms_ = 1000;
  std::int64_t number_ = 0;
  std::string process_;  // whose step it is
};

}  // namespace fencepost::lab
