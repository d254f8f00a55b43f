// What a person at another terminal may tell the clock (wire::Command), and what he is answered.
// Nothing here reaches the capture: pacing is no part of it, and a process that is started or
// killed becomes a fact like any other.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clock/core/clock_core.h"
#include "clock/operators.h"
#include "clock/pacing.h"
#include "clock/sessions.h"
#include "proto/plan.pb.h"

namespace fencepost::clock {

class Commands {
 public:
  // What the service does for a command.
  struct Hands {
    std::function<void()> settle;  // facts or the pace have changed: do what follows
    std::function<void(const wire::Act&)> ask_runner;
    std::function<wire::Status()> status;
  };

  Commands(const wire::Plan& plan, const ClockCore& core, const Sessions& sessions, Pacing& pacing,
           Operators& operators, Hands hands);

  void take(OperatorId from, const wire::Command& command);

  // ---- what becomes of commands that take a while ----

  // A process is welcome.
  void on_joined(const ParticipantId& who, std::int64_t pid, Tick tick);
  // A process has ended before it joined. True if an operator had asked for it and has been told:
  // the run goes on without it.
  bool on_start_failed(const std::string& name, const std::string& detail);
  // Ticks may have closed: answers the steps that are done.
  void on_ticks();

  // The breakpoint at which a person has not gone on yet; empty: none.
  const std::string& paused_at() const { return paused_at_; }
  void pause_at(const std::string& breakpoint);

 private:
  void answer(OperatorId to, const std::string& text);
  void refuse(OperatorId to, const std::string& error);
  void pause(OperatorId from);
  void step(OperatorId from, std::int64_t ticks);
  void go(OperatorId from);
  void pace(OperatorId from, std::int64_t pace_ms);
  void start(OperatorId from, const wire::Command& command);
  std::string objection_to_start(const wire::Command& command) const;
  std::optional<wire::ProcessSpec> spec_of(const wire::Command& command) const;
  std::optional<wire::ProcessSpec> known(const std::string& name) const;
  std::string place() const;  // "after tick 12"

  const wire::Plan& plan_;
  const ClockCore& core_;
  const Sessions& sessions_;
  Pacing& pacing_;
  Operators& operators_;
  Hands hands_;
  std::string paused_at_;
  std::map<std::string, OperatorId> starting_;     // by process
  std::map<std::string, wire::ProcessSpec> came_;  // everybody who has ever joined, latest life
  std::vector<OperatorId> stepping_;
};

}  // namespace fencepost::clock
