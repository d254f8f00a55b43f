// What the broker's core asks its shell to do, and the turn in which it asks. A handler never sends
// or stores anything: it leaves effects, in the order in which they count.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/ids.h"
#include "common/outbox.h"
#include "proto/clock.pb.h"

namespace fencepost::broker {

struct Respond {
  RequestId to;
  wire::Frame response;  // perhaps many ticks after the request
};
struct Append {
  wire::StoredRow row;  // hard state: stored before later effects count
};
// A partition's log begins at `start` from now on, also after a restart (DESIGN 5).
inline Append deletion_before(const TopicPartition& where, Offset start) {
  Append append;
  append.row.set_topic(where.topic);
  append.row.set_partition(where.partition.value());
  append.row.set_base_offset(start.value());
  return append;
}
struct Send {
  std::string to;
  wire::Frame request;  // to another broker, e.g. a transaction marker
};
struct Report {
  wire::Event event;  // for the capture alone
};
using Effect = std::variant<Respond, Append, Send, Report>;

// One event run to completion: when, why, and what came of it.
struct Turn {
  Tick now;
  wire::Cause cause;
  std::vector<Effect> effects;

  void respond(const RequestId& to, wire::Frame response) {
    effects.emplace_back(Respond{to, std::move(response)});
  }
  void report(wire::Event event) { effects.emplace_back(Report{std::move(event)}); }
};

// Where records go. What is appended has been applied and counts as durable when the call returns:
// the host stores a step's rows before the step counts (DESIGN 5).
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  // Gives the batch its offsets and returns the first. The partition exists.
  virtual Offset append(const TopicPartition& where, wire::RecordBatch batch, Turn& turn) = 0;
};

// Who sent a request, as its header says.
struct Caller {
  RequestId request;
  std::string client_id;
};

}  // namespace fencepost::broker
