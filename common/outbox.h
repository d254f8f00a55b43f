// Collects what a node emits during one step, and stamps it: header, sequence, correlation id,
// cause. The only place where a frame gets its identity.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "proto/clock.pb.h"

namespace fencepost {

// Where an answer goes: what identifies a request among all of a run.
struct RequestId {
  std::string source;
  Incarnation incarnation;
  std::int32_t correlation_id = 0;
  friend auto operator<=>(const RequestId&, const RequestId&) = default;
};

RequestId request_id_of(const wire::Frame& request);

class Outbox {
 public:
  Outbox(std::string name, Incarnation incarnation);

  // What the node is running from now on; everything emitted carries it.
  void set_cause(wire::Cause cause) { cause_ = std::move(cause); }
  const wire::Cause& cause() const { return cause_; }

  // Sends a request to a process and returns its correlation id. `frame` has its payload set.
  std::int32_t request(const std::string& destination, const std::string& client_id,
                       wire::Frame frame);
  // Sends the answer to a request, perhaps many ticks after it.
  void respond(const RequestId& to, wire::Frame frame);
  // Reports an event (common/events.h).
  void report(wire::Event event);

  // Takes what the step has emitted so far.
  std::vector<wire::Emission> take();

 private:
  wire::Header* stamp(wire::Emission& emission, wire::Frame frame);

  std::string name_;
  Incarnation incarnation_;
  std::uint64_t next_sequence_ = 1;
  std::int32_t next_correlation_id_ = 1;
  wire::Cause cause_;
  std::vector<wire::Emission> emissions_;
};

}  // namespace fencepost
