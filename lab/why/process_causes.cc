// What stands behind a membership: signals, faults of the network, slow applications.
#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lab/why/causes.h"
#include "lab/wording.h"

namespace fencepost::lab::why {
namespace {

constexpr std::string_view kPollTimeout = "consumer poll timeout has expired";
constexpr std::string_view kClosing = "the consumer is being closed";
constexpr std::string_view kUnsubscribing = "the consumer unsubscribed from all topics";

bool acts_on(const wire::Rule& rule, const std::string& process, wire::Action::Kind kind) {
  return std::ranges::any_of(rule.actions(), [&](const wire::Action& action) {
    return action.kind() == kind &&
           std::ranges::find(action.processes(), process) != action.processes().end();
  });
}

bool brings_about(const wire::Rule& rule, const wire::Lifecycle& what) {
  const std::string& process = what.process();
  switch (what.kind()) {
    case wire::Lifecycle::JOIN:
      return acts_on(rule, process, wire::Action::START) ||
             acts_on(rule, process, wire::Action::RESTART);
    case wire::Lifecycle::KILL:
      return acts_on(rule, process, wire::Action::KILL) ||
             acts_on(rule, process, wire::Action::RESTART);
    case wire::Lifecycle::CLOSE:
      return acts_on(rule, process, wire::Action::CLOSE);
    case wire::Lifecycle::FREEZE:
      return acts_on(rule, process, wire::Action::STOP);
    case wire::Lifecycle::THAW:
      return acts_on(rule, process, wire::Action::CONT);
    case wire::Lifecycle::EXIT:
      return false;
  }
  return false;
}

Link from_lifecycle(Kind kind, const LifecycleFact& fact, std::string by) {
  Link link;
  link.kind = kind;
  link.when = fact.when;
  link.process = fact.what.process();
  link.by = std::move(by);
  return link;
}

}  // namespace

Causes::Causes(const History& history, const wire::Plan* plan)
    : history_(history),
      evidence_(*history.evidence),
      plan_(plan),
      settings_(plan, history.header.tick_ms()) {}

// Without the plan a rule that fired in the same tick, before it, is the best guess: what comes
// from outside says so.
std::string Causes::doer(const LifecycleFact& fact) const {
  if (fact.what.kind() == wire::Lifecycle::EXIT) return "";
  if (fact.what.outside()) return "a person";
  std::string found;
  for (const FiredFact& fired : history_.fired) {
    if (fired.when > fact.when) break;
    if (fired.when.tick != fact.when.tick) continue;
    const bool known = plan_ != nullptr && fired.rule >= 0 && fired.rule < plan_->rules_size();
    if (!known || brings_about(plan_->rules(fired.rule), fact.what)) found = "rule " + fired.text;
  }
  return found;
}

std::string Causes::role_of(const std::string& process) const {
  const auto found = std::ranges::find(history_.lives, process, &Life::process);
  return found == history_.lives.end() ? "" : found->role;
}

const Life* Causes::life_at(const std::string& process, const Moment& when) const {
  const Life* found = nullptr;
  for (const Life& life : history_.lives) {
    if (life.process == process && life.joined <= when) found = &life;
  }
  return found;
}

Link Causes::started(const Life& life) const {
  const auto fact = std::ranges::find(history_.lifecycles, life.joined, &LifecycleFact::when);
  const Kind kind = life.incarnation.value() > 1 ? Kind::kRestarted : Kind::kStarted;
  if (fact != history_.lifecycles.end()) return from_lifecycle(kind, *fact, doer(*fact));
  Link link;
  link.kind = kind;
  link.when = life.joined;
  link.process = life.process;
  return link;
}

// Why a life is over, or about to be: killed, asked to close, or by itself.
Chain Causes::of_end(const std::string& process, const Moment& before) const {
  const LifecycleFact* last = nullptr;
  const LifecycleFact* close = nullptr;
  for (const LifecycleFact& fact : history_.lifecycles) {
    if (fact.when > before) break;
    if (fact.what.process() != process) continue;
    if (fact.what.kind() == wire::Lifecycle::JOIN) close = nullptr;
    if (fact.what.kind() == wire::Lifecycle::CLOSE) close = &fact;
    last = &fact;
  }
  if (last != nullptr && last->what.kind() == wire::Lifecycle::KILL) {
    return {from_lifecycle(Kind::kKilled, *last, doer(*last))};
  }
  if (close != nullptr) return {from_lifecycle(Kind::kClosed, *close, doer(*close))};
  const auto failed = std::find_if(evidence_.reported.rbegin(), evidence_.reported.rend(),
                                   [&](const Reported& reported) {
                                     const Life* const life = life_at(process, before);
                                     return reported.process == process && reported.when < before &&
                                            life != nullptr && reported.when > life->joined;
                                   });
  if (failed != evidence_.reported.rend()) {
    Link link;
    link.kind = Kind::kFailed;
    link.when = failed->when;
    link.process = process;
    link.subject = failed->exception.empty() ? failed->error : failed->exception;
    Chain chain{link};
    for (Link& next : of_report(*failed)) chain.push_back(std::move(next));
    return chain;
  }
  if (last != nullptr && last->what.kind() == wire::Lifecycle::EXIT) {
    Link link = from_lifecycle(Kind::kEnded, *last, "");
    link.detail = fmt::format("exit code {}", last->what.exit_code());
    return {link};
  }
  return {};
}

// A stop that lasts until then, or did for a part of the time.
std::optional<Link> Causes::stop_of(const std::string& process, Tick from, Tick to) const {
  std::optional<Link> found;
  for (const LifecycleFact& fact : history_.lifecycles) {
    if (fact.what.process() != process || fact.when.tick > to) continue;
    if (fact.what.kind() == wire::Lifecycle::FREEZE) {
      found = from_lifecycle(Kind::kStopped, fact, doer(fact));
    } else if (fact.what.kind() == wire::Lifecycle::THAW && found) {
      if (fact.when.tick < from) found.reset();
      if (found) found->until = fact.when.tick;
    } else {
      found.reset();
    }
  }
  return found;
}

// Packets of it that a fault lost or held up; of its heartbeats first.
std::optional<Link> Causes::fault_of(const std::string& process, Tick from, Tick to) const {
  const FaultedPackets* found = nullptr;
  for (const FaultedPackets& fault : evidence_.faults) {
    const bool its = fault.source == process || fault.destination == process;
    if (!its || fault.last.tick < from || fault.first.tick > to) continue;
    if (found == nullptr || (found->api != "Heartbeat" && fault.api == "Heartbeat")) found = &fault;
  }
  if (found == nullptr) return {};
  Link link;
  link.kind = found->fate == wire::Packet::PARTITIONED ? Kind::kPartitioned
              : found->fate == wire::Packet::DROPPED   ? Kind::kDropped
                                                       : Kind::kDelayed;
  link.when = found->first;
  link.process = process;
  link.other = found->source == process ? found->destination : found->source;
  link.detail = fmt::format("{} {}", found->api, found->response ? "answers" : "requests");
  link.since = found->first.tick;
  link.until = found->last.tick;
  const auto fired = std::ranges::find(history_.fired, found->rule, &FiredFact::rule);
  if (fired != history_.fired.end()) link.by = "rule " + fired->text;
  if (link.kind == Kind::kPartitioned) set_partition(link, *found, to);
  return link;
}

// A partition holds from when its rule fired until the network was healed. Without the plan it is
// known by what it lost.
void Causes::set_partition(Link& link, const FaultedPackets& fault, Tick to) const {
  for (const FaultedPackets& other : evidence_.faults) {
    const bool same = other.rule == fault.rule && std::minmax(other.source, other.destination) ==
                                                      std::minmax(fault.source, fault.destination);
    if (!same) continue;
    link.since = std::min(*link.since, other.first.tick);
    link.until = std::max(*link.until, other.last.tick);
  }
  if (plan_ == nullptr) return;
  std::optional<Moment> begun;
  for (const FiredFact& fired : history_.fired) {
    if (fired.rule < 0 || fired.rule >= plan_->rules_size()) continue;
    if (fired.rule == fault.rule && fired.when.tick <= to) {
      begun = fired.when;
      link.since = fired.when.tick;
      link.until.reset();
    }
    const bool heals = std::ranges::any_of(
        plan_->rules(fired.rule).actions(),
        [](const wire::Action& action) { return action.kind() == wire::Action::HEAL; });
    if (heals && begun && fired.when > *begun && !link.until) link.until = fired.when.tick;
  }
}

bool Causes::sent_in(const std::string& process, Tick from, Tick to) const {
  const auto known = evidence_.activity.find(process);
  return known != evidence_.activity.end() &&
         std::ranges::any_of(known->second, [&](const Activity& one) {
           return one.first < to && one.last >= from;
         });
}

// A client that gets no answer takes its coordinator for lost, and does not speak to it until it
// has found it again.
Chain Causes::of_request_timeout(const std::string& process, Tick from, Tick to) const {
  for (const TimedOut& one : evidence_.timeouts) {
    if (one.process != process || one.when.tick < from || one.when.tick > to) continue;
    Link link;
    link.kind = Kind::kRequestTimeout;
    link.when = one.when;
    link.process = process;
    link.since = one.asked;
    link.setting = settings_.of(process, "request.timeout.ms");
    if (const auto fault = fault_of(process, one.asked, one.when.tick)) return {link, *fault};
    for (const Life& life : history_.lives) {
      if (life.role != "broker") continue;
      if (const auto stop = stop_of(life.process, one.asked, one.when.tick)) return {link, *stop};
    }
  }
  return {};
}

// What its application was at: a record that a rule makes slow, or a batch that takes its time.
std::optional<Link> Causes::slow_of(const std::string& process, Tick from, Tick to,
                                    const Busy& busy) const {
  for (auto fired = history_.fired.rbegin(); fired != history_.fired.rend(); ++fired) {
    if (fired->when.tick > to || fired->when.tick < from || plan_ == nullptr) continue;
    if (fired->rule < 0 || fired->rule >= plan_->rules_size()) continue;
    for (const wire::Action& action : plan_->rules(fired->rule).actions()) {
      const bool its = action.kind() == wire::Action::SLOW &&
                       std::ranges::find(action.processes(), process) != action.processes().end();
      if (!its) continue;
      Link link;
      link.kind = Kind::kSlow;
      link.when = fired->when;
      link.process = process;
      link.subject = busy.record;
      link.detail = counted(action.ticks(), "tick");
      link.by = "rule " + fired->text;
      return link;
    }
  }
  if (busy.record.empty()) return {};
  Link link;
  link.kind = Kind::kBusy;
  link.when = {busy.polled.value_or(busy.since), 0};
  link.process = process;
  link.subject =
      busy.batch > 1 ? fmt::format("{} of {} records", busy.record, busy.batch) : busy.record;
  link.since = busy.polled.value_or(busy.since);
  link.setting = settings_.of(process, "app.process.ms");
  return link;
}

std::string Causes::called_by(const Called& call) const {
  std::string found;
  for (const FiredFact& fired : history_.fired) {
    const bool known = plan_ != nullptr && fired.rule >= 0 && fired.rule < plan_->rules_size();
    if (fired.when > call.when || !known) continue;
    if (acts_on(plan_->rules(fired.rule), call.process, wire::Action::CALL)) {
      found = "rule " + fired.text;
    }
  }
  return found;
}

std::optional<Link> Causes::called(const std::string& process, std::string_view method,
                                   const Moment& before) const {
  std::optional<Link> found;
  for (const Called& call : evidence_.calls) {
    // The event comes when the call returns, which may be some ticks after what it did.
    const bool near = call.when.tick <= before.tick + TickSpan(10);
    if (call.process != process || !near || call.method != method) continue;
    Link link;
    link.kind = Kind::kCalled;
    link.when = call.when;
    link.process = process;
    link.subject = call.arguments.empty() ? call.method : call.method + "(" + call.arguments + ")";
    link.by = called_by(call);
    found = link;
  }
  if (found || plan_ == nullptr) return found;
  // A process that died before the call returned has not reported it.
  for (const FiredFact& fired : history_.fired) {
    if (fired.when > before || fired.rule < 0 || fired.rule >= plan_->rules_size()) continue;
    for (const wire::Action& action : plan_->rules(fired.rule).actions()) {
      const bool its = action.kind() == wire::Action::CALL && action.method() == method &&
                       std::ranges::find(action.processes(), process) != action.processes().end();
      if (!its) continue;
      Link link;
      link.kind = Kind::kCalled;
      link.when = fired.when;
      link.process = process;
      link.subject = action.method();
      link.by = "rule " + fired.text;
      found = link;
    }
  }
  return found;
}

Chain Causes::of_late_poll(const std::string& process, const Moment& when, const Busy& busy) const {
  Link link;
  link.kind = Kind::kMaxPollInterval;
  link.when = when;
  link.process = process;
  link.setting = settings_.of(process, "max.poll.interval.ms");
  link.since = busy.polled;
  Chain chain;
  const Tick polled = busy.polled.value_or(Tick(0));
  if (!link.setting) {
    for (const Member& one : evidence_.members) {
      if (one.process == process && one.rebalance_ms && one.added < when) {
        link.setting = settings_.told("max.poll.interval.ms", *one.rebalance_ms);
      }
    }
  }
  // The clock of the interval begins with the poll, and the records come when it ends.
  if (link.setting && link.setting->span) {
    const TickSpan waited = when.tick - polled;
    if (waited < *link.setting->span) {
      link.since = Tick(when.tick.value() - link.setting->span->value());
    }
  }
  chain.push_back(link);
  if (const auto stop = stop_of(process, polled, when.tick)) {
    chain.push_back(*stop);
  } else if (const auto slow = slow_of(process, polled, when.tick, busy)) {
    chain.push_back(*slow);
  } else if (const auto fault = fault_of(process, polled, when.tick)) {
    chain.push_back(*fault);
  } else {
    Link batch;
    batch.kind = Kind::kBusy;
    batch.when = {polled, 0};
    batch.process = process;
    batch.subject = "what its last poll returned";
    batch.since = busy.polled;
    chain.push_back(batch);
  }
  return chain;
}

Chain Causes::of_silence(const std::string& process, Tick from, const Moment& to,
                         const Busy& busy) const {
  for (const Life& life : history_.lives) {
    const bool its = life.process == process && life.joined < to && life.ended &&
                     life.ended->tick >= from && *life.ended < to;
    if (!its) continue;
    if (Chain chain = of_end(process, *life.ended); !chain.empty()) return chain;
  }
  for (const Unjoined& one : evidence_.unjoined) {
    if (one.process != process || one.when.tick < from || one.when > to) continue;
    if (Chain chain = of_unjoining(one); !chain.empty()) return chain;
  }
  if (const auto stop = stop_of(process, from, to.tick)) return {*stop};
  if (Chain chain = of_request_timeout(process, from, to.tick); !chain.empty()) return chain;
  if (const auto fault = fault_of(process, from, to.tick)) return {*fault};
  if (const auto slow = slow_of(process, busy.polled.value_or(from), to.tick, busy)) return {*slow};
  for (const Loaded& loaded : evidence_.loads) {
    if (loaded.when.tick < from || loaded.when > to || !is_restart(loaded)) continue;
    Link link;
    link.kind = Kind::kLoaded;
    link.when = loaded.when;
    link.process = loaded.broker;
    Chain chain{link};
    if (const Life* life = life_at(loaded.broker, loaded.when)) chain.push_back(started(*life));
    return chain;
  }
  Link link;
  link.kind = sent_in(process, from, to.tick) ? Kind::kNotHeard : Kind::kSilent;
  link.when = {from, 0};
  link.process = process;
  return {link};
}

Chain Causes::of_leaving(const LeaveRequest& leave) const {
  const std::string& process = leave.process;
  if (leave.reason == kPollTimeout) return of_late_poll(process, leave.sent, leave.busy);
  Link link;
  link.kind = leave.reason == kUnsubscribing ? Kind::kUnsubscribed : Kind::kLeft;
  link.when = leave.sent;
  link.process = process;
  link.detail = leave.reason == kClosing ? "" : leave.reason;
  Chain chain{link};
  if (leave.reason == kUnsubscribing) {
    if (const auto call = called(process, "unsubscribe", leave.sent)) chain.push_back(*call);
    return chain;
  }
  for (Link& next : of_end(process, leave.sent)) chain.push_back(std::move(next));
  return chain;
}

Chain Causes::of_unjoining(const Unjoined& unjoined) const {
  if (unjoined.reason == kPollTimeout) {
    return of_late_poll(unjoined.process, unjoined.when, unjoined.busy);
  }
  if (unjoined.reason == kClosing) return of_end(unjoined.process, unjoined.when);
  if (unjoined.reason == kUnsubscribing) {
    const auto call = called(unjoined.process, "unsubscribe", unjoined.when);
    return call ? Chain{*call} : Chain{};
  }
  // "Heartbeat answered UNKNOWN_MEMBER_ID"
  for (auto refusal = evidence_.refusals.rbegin(); refusal != evidence_.refusals.rend();
       ++refusal) {
    const bool its = refusal->process == unjoined.process && refusal->first <= unjoined.when &&
                     unjoined.reason == refusal->api + " answered " + refusal->error;
    if (its) return of_refusal(*refusal);
  }
  return {};
}

}  // namespace fencepost::lab::why
