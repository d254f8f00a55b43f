// The clock's logic (DESIGN 3, docs/clock.md): who takes part in a tick, when it ends, what becomes of
// each frame, and what the capture and the journal say. A value without sockets or wall time: facts
// come in, effects come out. Hosted by the clock process (clock/service) and by the in-process host.
//
// Physical facts may be late or racy; only the decisions made from them reach the capture.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "clock/core/network.h"
#include "clock/core/participant.h"
#include "clock/core/script.h"
#include "common/ids.h"
#include "proto/plan.pb.h"

namespace fencepost::clock {

// A participant is named by (name, incarnation), never by a connection.
struct ParticipantId {
  std::string name;
  Incarnation incarnation;
  friend auto operator<=>(const ParticipantId&, const ParticipantId&) = default;
};

// What the host does for the core, in the order given.
struct WelcomeTo { ParticipantId to; wire::Welcome welcome; };   // to the connection whose hello was accepted
struct GrantTo { ParticipantId to; wire::Grant grant; };         // peers are added by the host
struct SupplyTo { ParticipantId to; wire::Supply supply; };
struct Perform { wire::Act act; };                               // physical; confirmed by the fact it causes
struct AppendCapture { wire::CaptureRecord record; };
struct AppendJournal { wire::Decision decision; };               // before the Grants that follow
struct PausePacing { std::string text; };                        // a breakpoint asks a person to act
struct Finished {
  std::string reason;
  bool disturbed = false;                                        // something happened that the scenario did not say
  std::optional<std::string> failure;                            // the run is void: not reproducible, or aborted
};
using Effect = std::variant<WelcomeTo, GrantTo, SupplyTo, Perform, AppendCapture, AppendJournal,
                            PausePacing, Finished>;

class ClockCore {
 public:
  // The plan is compiled and consistent (lab/scenario checks it).
  explicit ClockCore(wire::Plan plan);
  ~ClockCore();

  // ---- facts; each may be late, and each is a level: telling it twice changes nothing ----

  // A process of this name wants in. It waits while the name is alive, and becomes active at a
  // boundary: as the START it confirms, or as a JOIN from outside.
  void hello(const wire::Hello& hello);
  // The waiting process of this name is gone before it was welcomed.
  void hello_withdrawn(const std::string& name);
  // A participant has finished the step it was granted. False if nothing of it is outstanding (a
  // protocol error of that process; the host closes its connection).
  bool done(const ParticipantId& from, wire::Done done);
  // End of its connection, with all earlier bytes read.
  void gone(const ParticipantId& who);
  void stopped(const ParticipantId& who);
  void continued(const ParticipantId& who);
  // SIGTERM has reached it.
  void closing(const ParticipantId& who);
  // It lacks frames named in its Grant.
  void need(const ParticipantId& who, const wire::Need& need);
  // A scripted START has failed: the process ended before it said Hello.
  void start_failed(const std::string& name, const std::string& detail);
  // A person, a signal or a watchdog ends the run. With `failure` it is void.
  void end(const std::string& reason, std::optional<std::string> failure = std::nullopt);

  // ---- ticks ----

  // No tick is open and the run has not ended: open() may be called.
  bool idle() const;
  // The next tick in which something is due by itself; nothing while a tick is open.
  std::optional<Tick> next_due() const;
  // Facts are waiting that open a tick by themselves.
  bool has_facts() const;
  Tick last_closed() const { return last_closed_; }   // -1 before the first
  // Opens the next tick: the next due one, or if facts wait max(last closed + 1, `paced`), whichever is
  // earlier. `paced` is the tick that pacing has reached; in a free run, last_closed() + 1.
  void open(Tick paced);

  // ---- results ----

  std::vector<Effect> take_effects();
  bool finished() const { return phase_ == Phase::kFinished; }
  // Everyone alive, for `ps` and for the host.
  const std::map<std::string, Participant>& participants() const { return participants_; }

 private:
  enum class Phase { kIdle, kDeciding, kOpen, kFinished };

  void collect_decisions();
  void proceed();
  bool apply_next_decision();
  void grant_all();
  void grant(Participant& participant);
  bool all_accounted() const;
  void close_tick();
  void settle_outstanding(Participant& participant);
  void accept(Participant& participant);
  void route_frames(Participant& participant);
  void record(wire::CaptureRecord record);

  wire::Plan plan_;
  Phase phase_ = Phase::kIdle;
  Tick last_closed_{-1};
  Tick tick_{0};
  std::map<std::string, Participant> participants_;
  std::vector<Effect> effects_;
};

}  // namespace fencepost::clock
