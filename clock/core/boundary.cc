// The grants of a tick and its close: who is accounted for, which steps count, and what becomes of
// every frame that they sent.
#include <algorithm>

#include "clock/core/clock_core.h"
#include "common/check.h"
#include "common/events.h"

namespace fencepost::clock {

// ---- grants ----

// Hands a participant all that is due for it: from here on it owes a step with exactly these.
void ClockCore::owe_step(Participant& participant) {
  OwedStep& owed = participant.owed.emplace();
  owed.own_tick = tick_;
  owed.controls = std::exchange(participant.controls, {});
  const auto waits =
      std::stable_partition(participant.inbox.begin(), participant.inbox.end(),
                            [&](const InFlight& item) { return item.arrival <= tick_; });
  owed.deliveries.assign(std::make_move_iterator(participant.inbox.begin()),
                         std::make_move_iterator(waits));
  participant.inbox.erase(participant.inbox.begin(), waits);
  std::stable_sort(owed.deliveries.begin(), owed.deliveries.end(), arrives_before);
  participant.start_due = false;
}

void ClockCore::send_grant(Participant& participant) {
  OwedStep& owed = *participant.owed;
  owed.granted = true;
  effects_.emplace_back(GrantTo{.to = participant.id,
                                .tick = owed.own_tick,
                                .deliveries = owed.deliveries,
                                .controls = owed.controls});
}

wire::Grant to_wire(const GrantTo& grant) {
  wire::Grant message;
  message.set_tick(grant.tick.value());
  for (const InFlight& item : grant.deliveries) {
    wire::DeliveryRef* reference = message.add_deliver();
    reference->set_arrival_tick(item.arrival.value());
    if (item.frame) {
      const wire::Header& header = item.frame->header();
      wire::FrameId* id = reference->mutable_frame();
      id->set_source(header.source());
      id->set_incarnation(header.source_incarnation());
      id->set_sequence(header.sequence());
    } else {
      *reference->mutable_disconnected() = *item.disconnected;
    }
  }
  for (const wire::Control& control : grant.controls) *message.add_control() = control;
  return message;
}

void ClockCore::grant_all() {
  phase_ = Phase::kOpen;
  for (const auto& [tick, name] : agenda_) {
    if (tick > tick_) break;
    granted_.push_back(&participants_.at(name));
  }
  std::sort(granted_.begin(), granted_.end(),
            [](const Participant* a, const Participant* b) { return a->id.name < b->id.name; });
  outstanding_ = granted_.size();
  for (Participant* participant : granted_) {
    if (!participant->owed) owe_step(*participant);
    participant->owed->waited_for = true;
    if (!participant->owed->granted) send_grant(*participant);
    account(*participant);
  }
}

// ---- close ----

void ClockCore::close_tick() {
  const std::vector<Participant*> granted = std::exchange(granted_, {});
  std::vector<Participant*> accepted;
  for (Participant* participant : granted) {
    if (settle(*participant)) accepted.push_back(participant);
  }
  for (Participant* participant : accepted) accept(*participant);
  last_closed_ = tick_;
  phase_ = Phase::kIdle;
  for (Participant* participant : accepted) {
    const bool ended = participant->owed->done->has_exit_code();
    if (ended) {
      // It is there until its tick has closed: like a kill that holds from the next tick on.
      record_lifecycle(wire::Lifecycle::EXIT, *participant, Origin::kScript);
      const std::string code = std::to_string(participant->owed->done->exit_code());
      script_.observe_event(participant->id.name,
                            events::make(events::kProcessExited, {{"code", code}}));
      remove(*participant, tick_ + TickSpan(1));
    } else {
      participant->owed.reset();
      reschedule(*participant);
    }
  }
  if (script_.until_observed()) finish("until event", std::nullopt);
}

// Done is the commit. Without it a step is void if its process is dead, and held if it is stopped.
bool ClockCore::settle(Participant& participant) {
  if (participant.owed->done) return true;
  if (participant.fact_gone) {
    kill(participant, Origin::kOutside);
    return false;
  }
  CHECK(participant.fact_stopped, "{} is not accounted for", participant.id.name);
  freeze(participant, Origin::kOutside, true);
  return false;
}

void ClockCore::accept(Participant& participant) {
  OwedStep& owed = *participant.owed;
  record_step(participant);
  for (wire::Emission& emission : *owed.done->mutable_emissions()) emit(participant, emission);
  last_committed_[participant.id.name] = owed.own_tick;
  participant.wake.reset();
  if (owed.done->has_next_wake_tick()) {
    participant.wake = std::max(Tick(owed.done->next_wake_tick()), owed.own_tick + TickSpan(1));
  }
}

void ClockCore::record_step(const Participant& participant) {
  const OwedStep& owed = *participant.owed;
  wire::CaptureRecord entry;
  wire::Step* step = entry.mutable_step();
  step->set_process(participant.id.name);
  step->set_incarnation(participant.id.incarnation.value());
  if (owed.own_tick != tick_) step->set_own_tick(owed.own_tick.value());
  if (owed.done->has_rows_digest()) step->set_rows_digest(owed.done->rows_digest());
  record(entry);
  for (const InFlight& item : owed.deliveries) {
    entry.Clear();
    wire::Reception* reception = entry.mutable_reception();
    if (item.frame) {
      reception->set_source(item.frame->header().source());
      reception->set_incarnation(item.frame->header().source_incarnation());
      reception->set_sequence(item.frame->header().sequence());
    } else {
      reception->set_source(item.disconnected->peer());
      reception->set_incarnation(item.disconnected->peer_incarnation());
      *reception->mutable_correlation_ids() = item.disconnected->correlation_ids();
    }
    record(entry);
  }
}

void ClockCore::emit(const Participant& sender, wire::Emission& emission) {
  if (emission.has_frame()) {
    send(emission);
    return;
  }
  script_.observe_event(sender.id.name, emission.event());
  wire::CaptureRecord entry;
  wire::Occurrence* occurrence = entry.mutable_occurrence();
  occurrence->mutable_event()->Swap(emission.mutable_event());
  occurrence->mutable_cause()->Swap(emission.mutable_cause());
  record(entry);
}

void ClockCore::send(wire::Emission& emission) {
  const Fate fate = network_.route(emission.frame(), tick_);
  script_.observe_packet(emission.frame());
  wire::CaptureRecord entry;
  wire::Packet* packet = entry.mutable_packet();
  packet->mutable_frame()->Swap(emission.mutable_frame());
  packet->mutable_cause()->Swap(emission.mutable_cause());
  packet->set_fate(fate.kind);
  if (fate.kind == wire::Packet::ARRIVES) packet->set_arrival_tick(fate.arrival.value());
  if (fate.rule) packet->set_rule(*fate.rule);
  record(entry);
  const std::shared_ptr<const wire::Frame> frame(packet->release_frame());
  const wire::Header& header = frame->header();
  if (fate.kind == wire::Packet::REFUSED) {
    Participant& sender = participants_.at(header.source());
    sender.inbox.push_back(Network::refusal(*frame, tick_));
  } else if (fate.kind == wire::Packet::ARRIVES) {
    Participant* receiver = find(header.destination());
    CHECK(receiver != nullptr, "a frame arrives at {}, who is not there", header.destination());
    receiver->inbox.push_back({.arrival = fate.arrival, .frame = frame, .disconnected = nullptr});
    reschedule(*receiver);
  }
}

}  // namespace fencepost::clock
