// What the clock knows about one live process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "proto/clock.pb.h"

namespace fencepost::clock {

// A participant is named by (name, incarnation), never by a connection, pid or port.
struct ParticipantId {
  std::string name;
  Incarnation incarnation;
  friend auto operator<=>(const ParticipantId&, const ParticipantId&) = default;
};

// Something on its way to a participant: a frame, or the news that a connection has ended.
struct InFlight {
  Tick arrival;
  std::shared_ptr<const wire::Frame> frame;  // null: `disconnected` counts
  std::shared_ptr<const wire::Disconnected> disconnected;
};

// The order of an inbox: (arrival tick, source name bytewise, incarnation, sequence), a
// Disconnected behind every frame of its peer that arrives in the same tick.
bool arrives_before(const InFlight& left, const InFlight& right);

// A step that a participant owes. It outlives its tick only when it is held by a freeze.
struct OwedStep {
  Tick own_tick;  // the tick that the node believes in
  std::vector<InFlight> deliveries{};
  std::vector<wire::Control> controls{};
  bool granted = false;              // the Grant has been sent
  bool waited_for = false;           // the open tick waits for it
  std::optional<wire::Done> done{};  // has come back, and waits for the boundary
};

struct Participant {
  ParticipantId id;
  wire::Hello hello;

  // -- decided, so part of the capture --
  bool frozen = false;
  bool closing = false;
  bool start_due = true;                // has not been granted its first step
  std::optional<Tick> wake;             // when its node wants to run though nothing arrives
  std::vector<InFlight> inbox;          // in order of sending
  std::vector<wire::Control> controls;  // for its next step
  std::optional<OwedStep> owed;

  // -- facts: physical, perhaps late, and without effect until a boundary decides --
  bool fact_gone = false;
  bool fact_stopped = false;
  bool fact_closing = false;

  // -- bookkeeping --
  std::optional<Tick> agenda;  // under which tick the clock has it in its agenda

  // A fact differs from what has been decided.
  bool has_news() const {
    return fact_gone || fact_stopped != frozen || (fact_closing && !closing);
  }
  // The next tick in which it has something to do. `earliest` is the first tick not yet closed.
  std::optional<Tick> next_due(Tick earliest) const;
};

}  // namespace fencepost::clock
