#include "clock/core/clock_core.h"

#include <algorithm>

#include "common/capture_file.h"
#include "common/check.h"

namespace fencepost::clock {

ClockCore::ClockCore(wire::Plan plan, CaptureSink sink)
    : plan_(std::move(plan)), sink_(std::move(sink)), script_(plan_), network_(plan_.seed()) {
  wire::CaptureRecord first;
  wire::CaptureHeader* header = first.mutable_header();
  header->set_version(1);
  header->set_scenario(plan_.name());
  header->set_seed(plan_.seed());
  header->set_tick_ms(plan_.tick_ms());
  *header->mutable_topics() = plan_.topics();
  sink_(first);
}

Participant* ClockCore::find(const std::string& name) {
  const auto found = participants_.find(name);
  return found == participants_.end() ? nullptr : &found->second;
}

Participant* ClockCore::find(const ParticipantId& who) {
  Participant* participant = find(who.name);
  return participant != nullptr && participant->id == who ? participant : nullptr;
}

// ---- facts ----

std::string ClockCore::hello(const wire::Hello& hello) {
  const std::string& name = hello.name();
  if (hellos_.contains(name)) return "another " + name + " waits to join already";
  const Pending* const start = awaited_start(name);
  if (start != nullptr && !is_expected(*start, hello)) {
    return "another " + name + " is to start now";
  }
  if (start == nullptr && plan_.replay()) {
    return "this is a replay: it takes nobody but those of its journal";
  }
  hellos_.emplace(name, hello);
  proceed();
  return {};
}

void ClockCore::hello_withdrawn(const std::string& name) { hellos_.erase(name); }

bool ClockCore::done(const ParticipantId& from, wire::Done done) {
  Participant* participant = find(from);
  if (participant == nullptr || !participant->owed || !participant->owed->granted ||
      participant->owed->done || done.tick() != participant->owed->own_tick.value()) {
    return false;
  }
  for (const wire::Emission& emission : done.emissions()) {
    if (!emission.has_frame()) continue;
    const wire::Header& header = emission.frame().header();
    if (header.source() != from.name || header.source_incarnation() != from.incarnation.value() ||
        emission.frame().payload_case() == wire::Frame::PAYLOAD_NOT_SET) {
      return false;
    }
  }
  participant->owed->done = std::move(done);
  account(*participant);
  proceed();
  return true;
}

void ClockCore::gone(const ParticipantId& who) {
  Participant* participant = find(who);
  if (participant == nullptr) return;  // it ended by itself, and its last step is accepted
  participant->fact_gone = true;
  stirred_.insert(who.name);
  const bool expected = std::any_of(pending_.begin(), pending_.end(), [&](const Pending& pending) {
    return pending.change == Change::kKill && pending.process == who.name && pending.performed;
  });
  const bool ending =
      participant->owed && participant->owed->done && participant->owed->done->has_exit_code();
  if (plan_.replay() && !expected && !ending) {
    fail("the replay has diverged: " + who.name + " died in tick " + std::to_string(tick_.value()) +
         ", which the journal does not say");
    return;
  }
  account(*participant);
  proceed();
}

void ClockCore::stopped(const ParticipantId& who) {
  Participant* participant = find(who);
  if (participant == nullptr) return;
  participant->fact_stopped = true;
  stirred_.insert(who.name);
  account(*participant);
  proceed();
}

void ClockCore::continued(const ParticipantId& who) {
  Participant* participant = find(who);
  if (participant == nullptr) return;
  participant->fact_stopped = false;
  stirred_.insert(who.name);
  account(*participant);
  // Somebody has undone the scenario's stop before it could be seen: it is asked for again.
  for (Pending& pending : pending_) {
    if (pending.change == Change::kStop && pending.process == who.name) pending.performed = false;
  }
  proceed();
}

void ClockCore::closing(const ParticipantId& who) {
  Participant* participant = find(who);
  if (participant == nullptr) return;
  participant->fact_closing = true;
  stirred_.insert(who.name);
  proceed();
}

void ClockCore::need(const ParticipantId& who, const wire::Need& need) {
  const Participant* participant = find(who);
  if (participant == nullptr || !participant->owed) return;
  SupplyTo supply{.to = who, .supply = {}};
  for (const wire::FrameId& id : need.frames()) {
    for (const InFlight& item : participant->owed->deliveries) {
      if (!item.frame) continue;
      const wire::Header& header = item.frame->header();
      if (header.source() == id.source() && header.source_incarnation() == id.incarnation() &&
          header.sequence() == id.sequence()) {
        *supply.supply.add_frames() = *item.frame;
      }
    }
  }
  effects_.emplace_back(std::move(supply));
}

ClockCore::Pending* ClockCore::awaited_start(const std::string& name) {
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& pending) {
    return pending.change == Change::kStart && pending.process == name && pending.performed;
  });
  return found == pending_.end() ? nullptr : &*found;
}

void ClockCore::start_failed(const std::string& name, const std::string& detail) {
  if (awaited_start(name) != nullptr) fail(name + " ended before it joined: " + detail);
}

void ClockCore::start_lost(const std::string& name, const std::string& detail) {
  constexpr int kSpawnsMax = 5;
  Pending* const pending = awaited_start(name);
  if (pending == nullptr) return;
  if (++pending->spawns >= kSpawnsMax) return start_failed(name, detail);
  pending->performed = false;
  proceed();
}

void ClockCore::end(const std::string& reason) {
  if (phase_ == Phase::kFinished || end_requested_) return;
  end_requested_ = reason;
}

void ClockCore::fail(const std::string& why) {
  if (phase_ != Phase::kFinished) finish(kAborted, why);
}

// Keeps count of how many steps the open tick still waits for. A stop or a death accounts for a
// participant, a continue before the tick has closed takes that back: facts are levels.
void ClockCore::account(Participant& participant) {
  if (phase_ != Phase::kOpen || participant.frozen || !participant.owed) return;
  OwedStep& owed = *participant.owed;
  const bool stopped = participant.fact_stopped && !plan_.replay();
  const bool waited_for = !owed.done && !participant.fact_gone && !stopped;
  if (waited_for == owed.waited_for) return;
  owed.waited_for = waited_for;
  waited_for ? ++outstanding_ : --outstanding_;
}

// ---- ticks ----

bool ClockCore::is_awaited() const {
  if (last_closed_ >= Tick(0) || plan_.replay()) return false;  // the journal knows who came
  return std::any_of(plan_.expect_names().begin(), plan_.expect_names().end(),
                     [&](const std::string& name) { return !hellos_.contains(name); });
}

bool ClockCore::has_facts() const {
  if (phase_ != Phase::kIdle) return false;
  if (end_requested_) return true;
  if (plan_.replay() || is_awaited()) return false;
  const bool newcomers = std::any_of(hellos_.begin(), hellos_.end(), [&](const auto& entry) {
    const auto alive = participants_.find(entry.first);
    return alive == participants_.end() || alive->second.fact_gone;
  });
  return newcomers || std::any_of(stirred_.begin(), stirred_.end(), [&](const std::string& name) {
           const auto found = participants_.find(name);
           return found != participants_.end() && found->second.has_news();
         });
}

std::optional<Tick> ClockCore::next_due() const {
  if (phase_ != Phase::kIdle || is_awaited()) return std::nullopt;
  const Tick earliest = last_closed_ + TickSpan(1);
  std::optional<Tick> due = script_.next_due(earliest);
  const auto consider = [&](Tick tick) {
    if (!due || tick < *due) due = tick;
  };
  if (!agenda_.empty()) consider(std::max(agenda_.begin()->first, earliest));
  if (journal_position_ < plan_.journal_size()) {
    consider(std::max(Tick(plan_.journal(journal_position_).tick()), earliest));
  }
  if (script_.last_tick()) consider(std::max(*script_.last_tick() + TickSpan(1), earliest));
  return due;
}

std::optional<std::string> ClockCore::breakpoint_ahead() const {
  const std::optional<Tick> due = next_due();
  if (!due || plan_.replay()) return std::nullopt;
  for (const int index : script_.due(*due)) {
    const wire::Rule& rule = plan_.rules(index);
    const bool pauses =
        std::any_of(rule.actions().begin(), rule.actions().end(),
                    [](const auto& action) { return action.kind() == wire::Action::PAUSE; });
    if (pauses) return rule.text();
  }
  return std::nullopt;
}

void ClockCore::open(Tick paced) {
  CHECK(idle());
  const Tick earliest = last_closed_ + TickSpan(1);
  std::optional<Tick> tick = next_due();
  if (has_facts()) {
    const Tick by_fact = std::max(earliest, paced);
    tick = tick ? std::min(*tick, by_fact) : by_fact;
  }
  CHECK(tick.has_value(), "nothing opens a tick");
  if (script_.last_tick() && *tick > *script_.last_tick()) {
    tick_ = *script_.last_tick();
    finish("until tick " + std::to_string(tick_.value()), std::nullopt);
    return;
  }
  tick_ = *tick;
  phase_ = Phase::kDeciding;
  collect_decisions();
  proceed();
}

void ClockCore::proceed() {
  while (phase_ == Phase::kDeciding) {
    if (pending_.empty()) {
      grant_all();
    } else if (decide(pending_.front())) {
      if (phase_ == Phase::kDeciding) pending_.pop_front();
    } else {
      return;
    }
  }
  if (phase_ == Phase::kOpen && outstanding_ == 0) close_tick();
}

void ClockCore::finish(const std::string& reason, std::optional<std::string> failure) {
  wire::CaptureRecord last;
  last.mutable_end()->set_reason(reason);
  record(last);
  pending_.clear();
  phase_ = Phase::kFinished;
  effects_.emplace_back(
      Finished{.reason = reason, .disturbed = disturbed_, .failure = std::move(failure)});
}

// ---- common ----

void ClockCore::record(wire::CaptureRecord& record) {
  if (recorded_tick_ != tick_) {
    recorded_tick_ = tick_;
    record.set_tick(tick_.value());
  }
  sink_(record);
}

void ClockCore::record_lifecycle(wire::Lifecycle::Kind kind, const Participant& participant,
                                 Origin origin, bool holding) {
  wire::CaptureRecord entry;
  wire::Lifecycle* lifecycle = entry.mutable_lifecycle();
  lifecycle->set_kind(kind);
  lifecycle->set_process(participant.id.name);
  lifecycle->set_incarnation(participant.id.incarnation.value());
  if (origin == Origin::kOutside) lifecycle->set_outside(true);
  if (holding) lifecycle->set_holding(true);
  if (kind == wire::Lifecycle::JOIN) lifecycle->set_role(participant.hello.role());
  if (kind == wire::Lifecycle::EXIT) {
    lifecycle->set_exit_code(participant.owed->done->exit_code());
  }
  record(entry);
}

void ClockCore::reschedule(Participant& participant) {
  const std::optional<Tick> due = participant.next_due(last_closed_ + TickSpan(1));
  if (due == participant.agenda) return;
  const std::optional<Tick> old = std::exchange(participant.agenda, due);
  if (old && due) {
    // The same node of the set under its new tick, without a trip to the heap.
    auto entry = agenda_.extract({*old, participant.id.name});
    entry.value().first = *due;
    agenda_.insert(std::move(entry));
  } else if (old) {
    agenda_.erase({*old, participant.id.name});
  } else {
    agenda_.emplace(*due, participant.id.name);
  }
}

void ClockCore::forget(Participant& participant) {
  const std::string name = participant.id.name;
  if (participant.agenda) agenda_.erase({*participant.agenda, name});
  stirred_.erase(name);
  participants_.erase(name);
}

std::vector<std::string> ClockCore::waiting_for() const {
  std::vector<std::string> waiting;
  if (is_awaited()) {
    for (const std::string& name : plan_.expect_names()) {
      if (!hellos_.contains(name)) waiting.push_back(name + " (to join)");
    }
  }
  if (phase_ == Phase::kDeciding && !pending_.empty()) {
    waiting.push_back("the confirmation that the scenario's action on " + pending_.front().process +
                      " has happened");
  }
  for (const Participant* participant : granted_) {
    if (!participant->owed->waited_for) continue;
    waiting.push_back(participant->id.name + " (step of tick " +
                      std::to_string(participant->owed->own_tick.value()) + ")");
  }
  return waiting;
}

}  // namespace fencepost::clock
