// What ClockService does for the core, in the order given.
#include <array>
#include <boost/asio/post.hpp>
#include <chrono>
#include <csignal>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "clock/core/journal.h"
#include "clock/service.h"
#include "common/host/pid_space.h"

namespace fencepost::clock {
namespace {

constexpr std::chrono::seconds kGoodbyePatience{1};  // with those who do not hang up

}  // namespace

void ClockService::apply_effects() {
  for (Effect& effect : core_.take_effects()) {
    std::visit([this](auto& what) { apply(what); }, effect);
  }
}

void ClockService::apply(WelcomeTo& effect) {
  log_.set_tick(Tick(effect.welcome.tick()));
  sessions_.welcome(effect.to, effect.welcome);
  const std::optional<std::int64_t> pid = sessions_.pid_of(effect.to);
  if (!pid) return;
  const Child child{effect.to.name, *pid};
  log_->info("{} has joined as incarnation {}", child.first, effect.to.incarnation.value());
  welcomed_.insert(child);
  commands_.on_joined(effect.to, *pid, Tick(effect.welcome.tick()));
  if (!children_.contains(child)) {
    stop_watch_.watch(effect.to, core_.participants().at(effect.to.name).hello);
    look_for_stops();
  }
  if (stopped_.contains(child)) {
    core_.stopped(effect.to);
    asio::post(context_, [this] { fact(); });
  }
}

void ClockService::apply(GrantTo& effect) {
  log_.set_tick(effect.tick);
  sessions_.grant(effect.to, to_wire(effect));
  if (stop_watch_.has_anybody()) stop_watch_.on_grant(effect.to, StopWatch::Instant::clock::now());
}

void ClockService::apply(SupplyTo& effect) {
  supplies_ += static_cast<std::uint64_t>(effect.supply.frames_size());
  sessions_.supply(effect.to, std::move(effect.supply));
}

void ClockService::apply(Perform& effect) { ask_runner(effect.act); }

void ClockService::apply(TurnAway& effect) { sessions_.turn_away(effect.name, effect.reason); }

void ClockService::ask_runner(const wire::Act& act) {
  if (signal_stranger(act)) return;
  if (!sessions_.has_runner()) {
    acts_.push_back(act);
    return;
  }
  wire::ClockMessage message;
  *message.mutable_act() = act;
  sessions_.tell_runner(message);
}

// What is to be done to a process that somebody else has started, the runner cannot do: it is no
// child. False: it is, or it is not there.
bool ClockService::signal_stranger(const wire::Act& act) {
  const std::optional<ParticipantId> active = sessions_.active(act.process());
  if (act.kind() == wire::Act::START || !active) return false;
  const std::int64_t pid = sessions_.pid_of(*active).value_or(0);
  if (children_.contains({act.process(), pid})) return false;
  const auto participant = core_.participants().find(act.process());
  if (participant == core_.participants().end()) return false;  // it has ended, and hangs up now
  if (pid <= 0 || participant->second.hello.pid_space() != own_pid_space()) {
    core_.fail("nobody here can signal " + act.process() + ", which was started somewhere else");
    asio::post(context_, [this] { fact(); });
    return true;
  }
  constexpr auto kSignals = std::to_array({0, SIGKILL, SIGSTOP, SIGCONT, SIGTERM});  // of Act::Kind
  ::kill(static_cast<pid_t>(pid), kSignals.at(static_cast<std::size_t>(act.kind())));
  return true;
}

// On disk before the Grants that follow, which are written when all effects are applied.
void ClockService::apply(AppendJournal& effect) {
  write_journal(journal_line(effect.decision, plan_.tick_ms()));
  capture_.flush();
}

// A fact has opened the breakpoint's tick before it could be stopped at: then behind it.
void ClockService::apply(PausePacing& effect) {
  if (!options_.stop_at_breakpoints || passed_breakpoint_ == core_.current()) return;
  passed_breakpoint_ = core_.current();
  commands_.pause_at(effect.text);
}

void ClockService::apply(Finished& effect) {
  finished_ = effect;
  log_.set_tick(core_.last_closed());
  if (effect.failure) {
    log_->error("the run is void: {}", *effect.failure);
  } else {
    log_->info("the run is over: {}", effect.reason);
  }
  capture_.flush();
  journal_.close();
  doorway_.close();
  pace_timer_.cancel();
  sessions_.end(effect.reason, status());
  operators_.end();
  operators_.on_farewell([this] { on_farewell(); });
  care_timer_.expires_after(kGoodbyePatience);
  care_timer_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) context_.stop();
  });
  asio::post(context_, [this] { on_farewell(); });
}

// Everybody is read to the end: closing with something unread would reset the connection, and a
// process could lose the news that the run is over. Who is stopped cannot hang up.
void ClockService::on_farewell() {
  std::set<std::string> stopped;
  for (const auto& [name, participant] : core_.participants()) {
    if (participant.fact_stopped) stopped.insert(name);
  }
  if (sessions_.is_empty_but(stopped) && operators_.is_empty()) context_.stop();
}

void ClockService::write_journal(const std::string& text) {
  journal_ << text << std::flush;
  if (!journal_) throw std::runtime_error("cannot write " + journal_path_);
}

}  // namespace fencepost::clock
