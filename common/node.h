// What a node is: a deterministic object without sockets, threads, wall time, environment or global
// state (DESIGN 2). The process host runs one node over sockets, the in-process host runs many in
// one process; both hand it the same inboxes and get the same results.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "common/ids.h"
#include "common/properties.h"
#include "proto/clock.pb.h"

namespace fencepost {

// One item of an inbox. The host has sorted them: controls first, then by (arrival tick, source
// name bytewise, incarnation, sequence), with a Disconnected behind the frames of its peer.
struct Delivery {
  Tick arrival;
  std::variant<wire::Control, std::shared_ptr<const wire::Frame>, wire::Disconnected> what;
};

// What identifies a stored batch.
struct StoredRowId {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t base_offset = 0;
  friend auto operator<=>(const StoredRowId&, const StoredRowId&) = default;
};

// A row without a batch is a deletion: what its partition has before base_offset is no more.
inline bool is_deletion(const wire::StoredRow& row) { return row.batch().empty(); }

struct StepResult {
  std::vector<wire::Emission> emissions;  // frames and events, in the order of emission
  std::vector<wire::StoredRow> rows;      // to be stored before the step counts
  // Stored before, and of no use any more: a replay without these rows comes to the same. The host
  // may remove them once the step has been accepted.
  std::vector<StoredRowId> obsolete = {};
  std::optional<Tick> next_wake;  // earliest timer; the clock takes one in the past as next tick
  std::optional<int> exit_code;   // present: the node has ended, this was its last step
};

class Node {
 public:
  virtual ~Node() = default;

  // Runs one tick: start-up (in the first call), controls, due timers, deliveries; each to
  // completion before the next. Never called again after it returned an exit code.
  virtual StepResult step(Tick now, std::span<const Delivery> inbox) = 0;
};

// What a node knows about itself when it starts.
struct NodeContext {
  std::string name;
  Incarnation incarnation;
  std::uint64_t seed = 1;
  TickLength tick_ms{1000};
  Properties properties;                // effective; validated for the node's role
  std::vector<wire::StoredRow> stored;  // what its name had stored, oldest first
};

// One per role; defined in broker/, consumer/ and producer/.
using NodeFactory = std::unique_ptr<Node> (*)(NodeContext context);

}  // namespace fencepost
