// The clock's logic (DESIGN 3, docs/clock.md): who takes part in a tick, when it ends, what becomes
// of each frame, and what the capture and the journal say. A value without sockets or wall time:
// facts come in, effects come out. Hosted by the clock process (clock/service) and by the
// in-process host.
//
// Physical facts may be late or racy; only the decisions made from them reach the capture.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "clock/core/network.h"
#include "clock/core/participant.h"
#include "clock/core/script.h"
#include "common/ids.h"
#include "proto/plan.pb.h"

namespace fencepost::clock {

// What the host does for the core, in the order given.
struct WelcomeTo {
  ParticipantId to;
  wire::Welcome welcome;
};  // to the connection whose hello it was
struct GrantTo {
  ParticipantId to;
  Tick tick;                         // the step's own
  std::vector<InFlight> deliveries;  // in the order of the inbox
  std::vector<wire::Control> controls;
};
struct SupplyTo {
  ParticipantId to;
  wire::Supply supply;
};
struct Perform {
  wire::Act act;
};  // physical; confirmed by the fact that it causes
struct TurnAway {
  std::string name;
  std::string reason;
};  // the process of this name that waits to join is not the one that is to
struct AppendJournal {
  wire::Decision decision;
};  // on disk before the Grants that follow
struct PausePacing {
  std::string text;
};  // a breakpoint asks for a person to act
struct Finished {
  std::string reason;
  bool disturbed = false;              // something happened that the scenario does not say
  std::optional<std::string> failure;  // the run is void: not reproducible, or aborted
};
using Effect = std::variant<WelcomeTo, GrantTo, SupplyTo, Perform, TurnAway, AppendJournal,
                            PausePacing, Finished>;

// As it goes over a socket, where it names frames instead of carrying them. Without the peers'
// addresses, which the host adds.
wire::Grant to_wire(const GrantTo& grant);

// Takes each record of the capture, in order, as it is decided.
using CaptureSink = std::function<void(const wire::CaptureRecord&)>;

class ClockCore {
 public:
  // The plan is compiled and consistent (lab/scenario checks it).
  ClockCore(wire::Plan plan, CaptureSink sink);
  ClockCore(const ClockCore&) = delete;
  ClockCore& operator=(const ClockCore&) = delete;

  // ---- facts; each may be late, and each is a level: telling it twice changes nothing ----

  // A process of this name wants in. It waits while the name is alive, and becomes active at a
  // boundary: as the START that it confirms, if its role and properties are those of the scenario
  // or the journal, or as a JOIN from outside. Returns why it cannot be taken; empty if it can.
  std::string hello(const wire::Hello& hello);
  // The waiting process of this name is gone before it was welcomed.
  void hello_withdrawn(const std::string& name);
  // A participant has finished the step it was granted. False if it owes no such step (an error of
  // that process; the host closes its connection).
  bool done(const ParticipantId& from, wire::Done done);
  // End of its connection, with all earlier bytes read.
  void gone(const ParticipantId& who);
  void stopped(const ParticipantId& who);
  void continued(const ParticipantId& who);
  // SIGTERM has reached it.
  void closing(const ParticipantId& who);
  // It lacks frames that are named in its Grant: answered by SupplyTo.
  void need(const ParticipantId& who, const wire::Need& need);
  // A START that was performed has failed: the process ended before it said Hello. Nothing where no
  // START waits for it: whoever a person has started, and lost again, has never been here.
  void start_failed(const std::string& name, const std::string& detail);
  // The same, but a signal from outside has done it: nothing of that process has counted yet, so it
  // is started again, a few times.
  void start_lost(const std::string& name, const std::string& detail);
  // A person or a signal ends the run at the next boundary.
  void end(const std::string& reason);
  // The run is void, and ends at once.
  void fail(const std::string& why);

  // ---- ticks ----

  // No tick is open and the run has not ended: open() may be called.
  bool idle() const { return phase_ == Phase::kIdle; }
  // The next tick in which something is due by itself; nothing while a tick is open.
  std::optional<Tick> next_due() const;
  // Facts are waiting that open a tick by themselves.
  bool has_facts() const;
  Tick last_closed() const { return last_closed_; }  // -1 before the first
  Tick current() const { return tick_; }             // the open one, or the last that was
  // What a rule of the next due tick says that pauses the clock; nothing if none does. A host where
  // a person can go on waits before it opens that tick.
  std::optional<std::string> breakpoint_ahead() const;
  // Opens the next tick: the next due one, or if facts wait max(last closed + 1, `paced`),
  // whichever is earlier. `paced` is the tick that pacing has reached; in a free run, last_closed()
  // + 1.
  void open(Tick paced);

  // ---- results ----

  std::vector<Effect> take_effects() { return std::exchange(effects_, {}); }
  bool finished() const { return phase_ == Phase::kFinished; }
  // Everyone alive: for `ps`, the watchdog and the host.
  const std::map<std::string, Participant>& participants() const { return participants_; }
  // The last incarnation that each name has had.
  const std::map<std::string, std::uint32_t>& incarnations() const { return incarnations_; }
  // Who owes the open tick something, or has to come before the first one, for people: "C2 (step of
  // tick 7)".
  std::vector<std::string> waiting_for() const;

 private:
  enum class Phase { kIdle, kDeciding, kOpen, kFinished };
  enum class Origin { kScript, kOutside };

  enum class Change {
    kFire,
    kStart,
    kKill,
    kStop,
    kCont,
    kClose,
    kControl,
    kPause,
    kFault,
    kHeal,
    kEnd
  };

  // One change that takes effect when a tick opens, in the order of pending_.
  struct Pending {
    Change change;
    Origin origin = Origin::kScript;
    std::string process{};
    bool holding = false;      // kStop from a journal
    wire::Action action{};     // kControl and kFault
    wire::ProcessSpec spec{};  // kStart from a journal
    int rule = 0;              // kFire, kPause
    bool performed = false;    // the physical act has been asked for
    int spawns = 0;            // kStart: how many processes were lost before they joined
  };

  // -- decisions (decisions.cc) --
  void collect_decisions();
  void collect_rule(int index);
  Pending* awaited_start(const std::string& name);
  void collect_facts();
  void collect_facts_about(const Participant& participant);
  void collect_journal();
  bool decide(Pending& pending);  // false: waits for a confirmation
  bool decide_start(Pending& pending);
  bool decide_kill(Pending& pending, Participant& participant);
  bool decide_stop(Pending& pending, Participant& participant);
  bool decide_cont(Pending& pending, Participant& participant);
  bool decide_close(Pending& pending, Participant& participant);
  void perform(Pending& pending, wire::Act::Kind kind);
  void perform_following_starts();
  bool is_expected(const Pending& start, const wire::Hello& hello) const;
  bool is_there_for(const Pending& start);
  void join(const wire::Hello& hello, Origin origin);
  void kill(Participant& participant, Origin origin);
  void remove(Participant& participant, Tick label);
  void freeze(Participant& participant, Origin origin, bool holding);
  void journal(wire::Decision::Kind kind, Origin origin, const Participant& participant,
               bool holding = false);

  // -- boundary (boundary.cc) --
  void owe_step(Participant& participant);
  void send_grant(Participant& participant);
  void grant_all();
  void close_tick();
  bool settle(Participant& participant);  // true: its step counts
  void accept(Participant& participant);
  void record_step(const Participant& participant);
  void emit(const Participant& sender, wire::Emission& emission);
  void send(wire::Emission& emission);

  // -- common --
  void proceed();
  void finish(const std::string& reason, std::optional<std::string> failure);
  void record(wire::CaptureRecord& record);
  void record_lifecycle(wire::Lifecycle::Kind kind, const Participant& participant, Origin origin,
                        bool holding = false);
  void reschedule(Participant& participant);
  void forget(Participant& participant);
  void account(Participant& participant);
  Participant* find(const ParticipantId& who);
  Participant* find(const std::string& name);
  bool is_awaited() const;  // names that must say Hello before the first tick are missing

  wire::Plan plan_;
  CaptureSink sink_;
  Script script_;
  Network network_;
  Phase phase_ = Phase::kIdle;
  Tick last_closed_{-1};
  Tick tick_{0};
  std::optional<Tick> recorded_tick_;
  std::map<std::string, Participant> participants_;
  std::set<std::pair<Tick, std::string>> agenda_;      // who is due when
  std::set<std::string> stirred_;                      // who has a fact that may matter
  std::map<std::string, wire::Hello> hellos_;          // waiting to become active
  std::map<std::string, std::uint32_t> incarnations_;  // the last one given, by name
  std::map<std::string, Tick> last_committed_;  // own tick of the last accepted step, by name
  std::deque<Pending> pending_;
  std::vector<Participant*> granted_;  // who owes the open tick a step, by name
  std::size_t outstanding_ = 0;
  int journal_position_ = 0;
  std::optional<std::string> end_requested_;
  bool disturbed_ = false;
  std::vector<Effect> effects_;
};

}  // namespace fencepost::clock
