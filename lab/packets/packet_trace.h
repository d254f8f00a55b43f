// What the records of a capture say about each other, packet by packet: which response answers
// which request, when a packet was taken, which packet brought it about. Keeps a few bytes for
// each, so that a list of any capture streams. (lab/run_index.h has the whole chains, also through
// events.)
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/ids.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

class PacketTrace {
 public:
  enum class Depth { kAnswers, kCauses };

  explicit PacketTrace(Depth depth) : depth_(depth) {}

  // In the order of the capture. Of a run that goes on only what has been is known.
  void add(Tick tick, const wire::CaptureRecord& record);

  std::uint32_t packets() const { return static_cast<std::uint32_t>(counterparts_.size()); }
  // Packets have numbers from 1; 0: there is none, or it is not known.
  std::uint32_t counterpart(std::uint32_t number) const { return value(counterparts_, number); }
  // The packet that was being handled when this one was made. kCauses only, as `received`.
  std::uint32_t cause(std::uint32_t number) const { return value(causes_, number); }
  std::optional<Tick> received(std::uint32_t number) const;

  // Whom and what the capture knows, for did-you-mean.
  const std::set<std::string>& processes() const { return processes_; }
  const std::set<std::string>& groups() const { return groups_; }

 private:
  using Life = std::pair<std::string, std::uint32_t>;  // name, incarnation
  struct Sent {
    std::map<std::int32_t, std::uint32_t> unanswered;  // requests, by correlation id
    std::deque<std::uint32_t> by_sequence;             // from 1
  };

  void add_packet(const wire::Packet& packet);
  std::uint32_t sent(const Life& sender, std::uint64_t sequence) const;
  template <class Value>
  static Value value(const std::deque<Value>& values, std::uint32_t number) {
    return number == 0 || number > values.size() ? Value{} : values[number - 1];
  }

  Depth depth_;
  std::deque<std::uint32_t> counterparts_;
  std::deque<std::uint32_t> causes_;
  std::deque<std::int64_t> received_;  // 1 + tick; 0: not yet
  std::map<Life, Sent> lives_;
  std::set<std::string> processes_;
  std::set<std::string> groups_;
};

}  // namespace fencepost::lab
