// What holds from the tick that opens: first what the scenario says, derived again in every run,
// then what came from outside, as facts or, in a replay, from the journal.
#include <algorithm>

#include "clock/core/clock_core.h"
#include "common/process_spec.h"

namespace fencepost::clock {
namespace {

wire::Control control_of(const wire::Action& action) {
  wire::Control control;
  if (action.kind() == wire::Action::SLOW) {
    control.set_kind(wire::Control::SLOW);
    control.set_ticks(action.ticks());
  } else {
    control.set_kind(wire::Control::CALL);
    control.set_method(action.method());
    *control.mutable_arguments() = action.arguments();
  }
  return control;
}

}  // namespace

// ---- collecting ----

void ClockCore::collect_decisions() {
  for (const int index : script_.take_due(tick_)) collect_rule(index);
  if (plan_.replay()) {
    collect_journal();
  } else {
    collect_facts();
  }
  if (end_requested_) pending_.push_back({.change = Change::kEnd, .origin = Origin::kOutside});
}

void ClockCore::collect_rule(int index) {
  pending_.push_back({.change = Change::kFire, .rule = index});
  const auto add = [&](Change change, const std::string& process, const wire::Action& action) {
    pending_.push_back({.change = change, .process = process, .action = action, .rule = index});
  };
  for (const wire::Action& action : plan_.rules(index).actions()) {
    switch (action.kind()) {
      case wire::Action::START:
        for (const std::string& name : action.processes()) add(Change::kStart, name, {});
        break;
      case wire::Action::KILL:
        for (const std::string& name : action.processes()) add(Change::kKill, name, {});
        break;
      case wire::Action::STOP:
        for (const std::string& name : action.processes()) add(Change::kStop, name, {});
        break;
      case wire::Action::CONT:
        for (const std::string& name : action.processes()) add(Change::kCont, name, {});
        break;
      case wire::Action::CLOSE:
        for (const std::string& name : action.processes()) add(Change::kClose, name, {});
        break;
      case wire::Action::RESTART:
        for (const std::string& name : action.processes()) {
          add(Change::kKill, name, {});
          add(Change::kStart, name, {});
        }
        break;
      case wire::Action::SLOW:
      case wire::Action::CALL:
        for (const std::string& name : action.processes()) add(Change::kControl, name, action);
        break;
      case wire::Action::PAUSE:
        add(Change::kPause, {}, {});
        break;
      case wire::Action::DROP:
      case wire::Action::DELAY:
      case wire::Action::REORDER:
      case wire::Action::PARTITION:
        add(Change::kFault, {}, action);
        break;
      case wire::Action::HEAL:
        add(Change::kHeal, {}, {});
        break;
    }
  }
}

void ClockCore::collect_facts() {
  for (const std::string& name : stirred_) {
    if (const Participant* participant = find(name)) collect_facts_about(*participant);
  }
  stirred_.clear();
  for (const auto& [name, hello] : hellos_) {
    const Participant* alive = find(name);
    if (alive != nullptr && !alive->fact_gone) continue;
    pending_.push_back({.change = Change::kStart, .origin = Origin::kOutside, .process = name});
  }
}

void ClockCore::collect_facts_about(const Participant& participant) {
  const auto add = [&](Change change) {
    pending_.push_back(
        {.change = change, .origin = Origin::kOutside, .process = participant.id.name});
  };
  if (participant.fact_gone) {
    add(Change::kKill);
    return;
  }
  if (participant.fact_closing && !participant.closing) add(Change::kClose);
  if (participant.fact_stopped && !participant.frozen) add(Change::kStop);
  if (!participant.fact_stopped && participant.frozen) add(Change::kCont);
}

void ClockCore::collect_journal() {
  for (; journal_position_ < plan_.journal_size(); ++journal_position_) {
    const wire::Decision& decision = plan_.journal(journal_position_);
    if (Tick(decision.tick()) > tick_) return;
    Pending pending{.change = Change::kEnd, .origin = Origin::kOutside};
    pending.process = decision.process();
    pending.holding = decision.holding();
    switch (decision.kind()) {
      case wire::Decision::JOIN:
        pending.change = Change::kStart;
        pending.spec.set_name(decision.process());
        pending.spec.set_role(decision.role());
        *pending.spec.mutable_properties() = decision.properties();
        break;
      case wire::Decision::KILL:
        pending.change = Change::kKill;
        break;
      case wire::Decision::CLOSE:
        pending.change = Change::kClose;
        break;
      case wire::Decision::FREEZE:
        pending.change = Change::kStop;
        break;
      case wire::Decision::THAW:
        pending.change = Change::kCont;
        break;
      case wire::Decision::END:
        break;
    }
    pending_.push_back(std::move(pending));
  }
}

// ---- deciding ----

bool ClockCore::decide(Pending& pending) {
  Participant* participant = find(pending.process);
  switch (pending.change) {
    case Change::kFire: {
      wire::CaptureRecord entry;
      entry.mutable_fired()->set_rule(pending.rule);
      entry.mutable_fired()->set_text(plan_.rules(pending.rule).text());
      record(entry);
      return true;
    }
    case Change::kStart:
      return decide_start(pending);
    case Change::kKill:
      return participant == nullptr || decide_kill(pending, *participant);
    case Change::kStop:
      return participant == nullptr || decide_stop(pending, *participant);
    case Change::kCont:
      return participant == nullptr || decide_cont(pending, *participant);
    case Change::kClose:
      return participant == nullptr || decide_close(pending, *participant);
    case Change::kControl:
      if (participant != nullptr) {
        participant->controls.push_back(control_of(pending.action));
        reschedule(*participant);
      }
      return true;
    case Change::kPause:
      effects_.emplace_back(PausePacing{plan_.rules(pending.rule).text()});
      return true;
    case Change::kFault:
      network_.add_fault(pending.action, pending.rule);
      return true;
    case Change::kHeal:
      network_.heal();
      return true;
    case Change::kEnd: {
      wire::Decision decision;
      decision.set_tick(tick_.value());
      decision.set_kind(wire::Decision::END);
      effects_.emplace_back(AppendJournal{std::move(decision)});
      finish(end_requested_.value_or("end"), std::nullopt);
      return true;
    }
  }
  return true;
}

void ClockCore::perform(Pending& pending, wire::Act::Kind kind) {
  if (pending.performed) return;
  pending.performed = true;
  Perform perform;
  perform.act.set_kind(kind);
  perform.act.set_process(pending.process);
  if (pending.spec.has_role()) {
    perform.act.set_role(pending.spec.role());
    *perform.act.mutable_properties() = pending.spec.properties();
  }
  effects_.emplace_back(std::move(perform));
}

// Processes that start in the same tick are spawned side by side: their order is decided here, not
// by which of them is up first.
void ClockCore::perform_following_starts() {
  std::set<std::string> starting;  // a name that is started twice is spawned once
  for (Pending& pending : pending_) {
    if (pending.change == Change::kFire) continue;
    if (pending.change != Change::kStart) return;
    if (pending.origin == Origin::kOutside && !plan_.replay()) return;
    const bool needed = find(pending.process) == nullptr && !is_there_for(pending);
    if (starting.insert(pending.process).second && needed) perform(pending, wire::Act::START);
  }
}

// Somebody of the right name is not yet the one that is to start: a replay would start another one.
bool ClockCore::is_expected(const Pending& start, const wire::Hello& hello) const {
  const auto agrees = [&hello](const wire::ProcessSpec& spec) {
    return spec.role() == hello.role() &&
           same_properties(hello.role(), spec.properties(), hello.properties());
  };
  if (start.spec.has_role()) return agrees(start.spec);
  for (const wire::ProcessSpec& spec : plan_.processes()) {
    if (spec.name() == start.process) return agrees(spec);
  }
  return true;
}

// Turns away who waits under the name of another.
bool ClockCore::is_there_for(const Pending& start) {
  const auto waiting = hellos_.find(start.process);
  if (waiting == hellos_.end()) return false;
  if (is_expected(start, waiting->second)) return true;
  hellos_.erase(waiting);
  effects_.emplace_back(
      TurnAway{.name = start.process, .reason = "another " + start.process + " is to start now"});
  return false;
}

bool ClockCore::decide_start(Pending& pending) {
  if (find(pending.process) != nullptr) return true;
  const bool from_outside = pending.origin == Origin::kOutside && !plan_.replay();
  if (from_outside ? !hellos_.contains(pending.process) : !is_there_for(pending)) {
    if (from_outside) return true;  // a newcomer has gone away again
    perform_following_starts();
    return false;
  }
  const wire::Hello accepted = std::move(hellos_.extract(pending.process).mapped());
  join(accepted, pending.origin);
  return true;
}

void ClockCore::join(const wire::Hello& hello, Origin origin) {
  const std::string& name = hello.name();
  Participant& participant = participants_[name];
  participant.id = {name, Incarnation(++incarnations_[name])};
  participant.hello = hello;
  network_.joined(participant.id);
  record_lifecycle(wire::Lifecycle::JOIN, participant, origin);
  if (origin == Origin::kOutside) {
    wire::Decision decision;
    decision.set_tick(tick_.value());
    decision.set_kind(wire::Decision::JOIN);
    decision.set_process(name);
    decision.set_role(hello.role());
    *decision.mutable_properties() = hello.properties();
    effects_.emplace_back(AppendJournal{std::move(decision)});
    const bool expected = std::find(plan_.expect_names().begin(), plan_.expect_names().end(),
                                    name) != plan_.expect_names().end();
    if (!expected) disturbed_ = true;
  }
  WelcomeTo welcome{.to = participant.id, .welcome = {}};
  welcome.welcome.set_tick(tick_.value());
  welcome.welcome.set_incarnation(participant.id.incarnation.value());
  welcome.welcome.set_seed(plan_.seed());
  welcome.welcome.set_tick_ms(plan_.tick_ms());
  welcome.welcome.set_run_id(plan_.run_id());
  if (const auto last = last_committed_.find(name); last != last_committed_.end()) {
    welcome.welcome.set_last_committed_tick(last->second.value());
  }
  effects_.emplace_back(std::move(welcome));
  reschedule(participant);
}

bool ClockCore::decide_kill(Pending& pending, Participant& participant) {
  if (!participant.fact_gone) {
    perform(pending, wire::Act::KILL);
    return false;
  }
  kill(participant, pending.origin);
  return true;
}

void ClockCore::kill(Participant& participant, Origin origin) {
  record_lifecycle(wire::Lifecycle::KILL, participant, origin);
  journal(wire::Decision::KILL, origin, participant);
  remove(participant, tick_);
}

// Takes a participant away, with its step if it owes one, and all that waits for it; tells the
// other ends of its connections.
void ClockCore::remove(Participant& participant, Tick label) {
  const std::vector<Parting> partings = network_.died(participant.id, label);
  forget(participant);
  for (const Parting& parting : partings) {
    Participant* other = find(ParticipantId{parting.to, parting.to_incarnation});
    if (other == nullptr) continue;
    other->inbox.push_back(parting.news);
    reschedule(*other);
  }
}

bool ClockCore::decide_stop(Pending& pending, Participant& participant) {
  if (participant.frozen) return true;
  if (!participant.fact_stopped && !participant.fact_gone) {
    perform(pending, wire::Act::STOP);
    return false;
  }
  // A journal's "holding" applies where the process is due in this tick; the step is then owed.
  const bool due = participant.agenda && *participant.agenda <= tick_;
  if (pending.holding && due && !participant.owed) owe_step(participant);
  freeze(participant, pending.origin, participant.owed.has_value());
  return true;
}

void ClockCore::freeze(Participant& participant, Origin origin, bool holding) {
  participant.frozen = true;
  record_lifecycle(wire::Lifecycle::FREEZE, participant, origin, holding);
  journal(wire::Decision::FREEZE, origin, participant, holding);
  reschedule(participant);
}

bool ClockCore::decide_cont(Pending& pending, Participant& participant) {
  if (!participant.frozen) return true;
  if (participant.fact_stopped && !participant.fact_gone) {
    perform(pending, wire::Act::CONT);
    return false;
  }
  participant.frozen = false;
  record_lifecycle(wire::Lifecycle::THAW, participant, pending.origin);
  journal(wire::Decision::THAW, pending.origin, participant);
  reschedule(participant);
  return true;
}

bool ClockCore::decide_close(Pending& pending, Participant& participant) {
  if (participant.closing) return true;
  if (!participant.fact_closing && !participant.fact_gone) {
    perform(pending, wire::Act::CLOSE);
    // A stopped process cannot say that the signal has reached it; it will once it goes on.
    if (!participant.frozen && !participant.fact_stopped) return false;
  }
  participant.closing = true;
  record_lifecycle(wire::Lifecycle::CLOSE, participant, pending.origin);
  journal(wire::Decision::CLOSE, pending.origin, participant);
  participant.controls.emplace_back().set_kind(wire::Control::CLOSE);
  reschedule(participant);
  return true;
}

void ClockCore::journal(wire::Decision::Kind kind, Origin origin, const Participant& participant,
                        bool holding) {
  if (origin == Origin::kScript) return;
  disturbed_ = true;
  wire::Decision decision;
  decision.set_tick(tick_.value());
  decision.set_kind(kind);
  decision.set_process(participant.id.name);
  if (holding) decision.set_holding(true);
  effects_.emplace_back(AppendJournal{std::move(decision)});
}

}  // namespace fencepost::clock
