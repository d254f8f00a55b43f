#include "clock/service.h"

#include <spdlog/fmt/fmt.h>

#include <boost/asio/post.hpp>
#include <csignal>
#include <stdexcept>

#include "clock/core/journal.h"
#include "common/host/address.h"

namespace fencepost::clock {
namespace {

constexpr std::chrono::milliseconds kCareInterval{250};
constexpr const char* kReasonOfEnd = "end";
constexpr int kTicksInARow = 256;  // before the sockets are looked at again
constexpr std::chrono::milliseconds kGoodbyePause{2};
constexpr int kGoodbyeTurns = 500;  // so a second, for those who do not hang up

}  // namespace

ClockService::ClockService(wire::Plan plan, ServiceOptions options, ProcessLog& log)
    : options_(std::move(options)),
      log_(log),
      capture_(options_.out_directory + "/capture.bin"),
      journal_path_(options_.out_directory + "/journal.yaml"),
      journal_(journal_path_, std::ios::binary | std::ios::trunc),
      needs_runner_(plan.processes_size() > 0),
      core_(plan, [this](const wire::CaptureRecord& record) { capture_.append(record); }),
      sessions_(context_, log_, *this),
      signals_(context_, SIGTERM, SIGINT),
      pace_timer_(context_),
      care_timer_(context_),
      pacing_(options_.a_tick, Pacing::Instant::clock::now()) {
  write_journal(journal_header(plan, "scenario.yaml"));
}

std::string ClockService::listen(const std::string& address) {
  return sessions_.listen(resolve_address(context_, address));
}

bool ClockService::run() {
  wait_for_signal();
  look_after();
  // With a runner the run begins when it is there, so that its watchers miss nothing.
  if (!needs_runner_) fact();
  context_.run();
  return finished_ && !finished_->failure;
}

// ---- facts ----

bool ClockService::on_hello(const wire::Hello& hello) {
  if (!core_.hello(hello)) return false;
  // The answer to a Hello comes when the session waits for it, so not from inside this call.
  asio::post(context_, [this] { fact(); });
  return true;
}

void ClockService::on_hello_withdrawn(const std::string& name) {
  core_.hello_withdrawn(name);
  fact();
}

bool ClockService::on_message(const ParticipantId& from, wire::ClockMessage& message) {
  if (message.has_done()) {
    if (!core_.done(from, std::move(*message.mutable_done()))) return false;
  } else if (message.has_need()) {
    core_.need(from, message.need());
  } else if (message.has_closing()) {
    core_.closing(from);
  } else {
    return false;
  }
  fact();
  return true;
}

void ClockService::on_gone(const ParticipantId& who) {
  core_.gone(who);
  fact();
}

void ClockService::on_runner() {
  for (const wire::Act& act : std::exchange(acts_, {})) {
    wire::ClockMessage message;
    *message.mutable_act() = act;
    sessions_.tell_runner(message);
  }
  fact();
}

void ClockService::on_observed(const wire::Observed& observed) {
  const Child child{observed.process(), observed.pid()};
  const std::optional<ParticipantId> active = sessions_.active(child.first);
  const bool is_active = active && sessions_.pid_of(*active) == child.second;
  switch (observed.kind()) {
    case wire::Observed::STARTED:
      break;
    case wire::Observed::STOPPED:
      stopped_.insert(child);
      if (is_active) core_.stopped(*active);
      break;
    case wire::Observed::CONTINUED:
      stopped_.erase(child);
      if (is_active) core_.continued(*active);
      break;
    case wire::Observed::EXITED:
      // That a participant is gone is said by its connection, behind its last message.
      stopped_.erase(child);
      if (!welcomed_.contains(child)) {
        log_->warn("{} has ended before it joined: {}", child.first, observed.detail());
        if (observed.detail().starts_with("killed by signal")) {
          core_.start_lost(child.first, observed.detail());
        } else {
          core_.start_failed(child.first, observed.detail());
        }
      }
      break;
  }
  fact();
}

void ClockService::on_runner_gone() {
  log_->error("lost the runner");
  core_.fail("lost the runner");
  fact();
}

// ---- ticks ----

void ClockService::fact() {
  ++facts_;
  apply_effects();
  for (int ticks = 0; core_.idle() && may_open(); ++ticks) {
    if (ticks == kTicksInARow) {
      if (!more_posted_) {
        asio::post(context_, [this] {
          more_posted_ = false;
          fact();
        });
      }
      more_posted_ = true;
      break;
    }
    if (!begun_) pacing_.begin(Pacing::Instant::clock::now());
    begun_ = true;
    core_.open(pacing_.reached(Pacing::Instant::clock::now(), core_.last_closed()));
    apply_effects();
  }
  sessions_.flush();
}

// A fact opens a tick although nothing is due; what is due by itself waits for the pace.
bool ClockService::may_open() {
  if (core_.has_facts()) return true;
  const std::optional<Tick> due = core_.next_due();
  if (!due) return false;
  if (pacing_.is_free() || !begun_) return true;
  if (Pacing::Instant::clock::now() >= pacing_.opening_of(*due)) return true;
  open_later(*due);
  return false;
}

void ClockService::open_later(Tick due) {
  // A person may be watching: what has happened so far is shown before the wait.
  capture_.flush();
  pace_timer_.expires_at(pacing_.opening_of(due));
  pace_timer_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) fact();
  });
}

// ---- effects ----

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
  if (stopped_.contains(child)) {
    core_.stopped(effect.to);
    asio::post(context_, [this] { fact(); });
  }
}

void ClockService::apply(GrantTo& effect) { sessions_.grant(effect.to, to_wire(effect)); }

void ClockService::apply(SupplyTo& effect) {
  supplies_ += static_cast<std::uint64_t>(effect.supply.frames_size());
  sessions_.supply(effect.to, std::move(effect.supply));
}

void ClockService::apply(Perform& effect) {
  if (!sessions_.has_runner()) {
    acts_.push_back(effect.act);
    return;
  }
  wire::ClockMessage message;
  *message.mutable_act() = effect.act;
  sessions_.tell_runner(message);
}

// On disk before the Grants that follow, which are written when all effects are applied.
void ClockService::apply(AppendJournal& effect) {
  write_journal(journal_line(effect.decision));
  capture_.flush();
}

void ClockService::apply(PausePacing& effect) { log_->info("breakpoint: {}", effect.text); }

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
  sessions_.end(effect.reason, status());
  wait_for_goodbyes(kGoodbyeTurns);
}

void ClockService::write_journal(const std::string& text) {
  journal_ << text << std::flush;
  if (!journal_) throw std::runtime_error("cannot write " + journal_path_);
}

// Everybody is read to the end: closing with something unread would reset the connection, and a
// process could lose the news that the run is over.
void ClockService::wait_for_goodbyes(int turns_left) {
  std::set<std::string> stopped;
  for (const auto& [name, pid] : stopped_) stopped.insert(name);
  if (turns_left == 0 || sessions_.is_empty_but(stopped)) return context_.stop();
  pace_timer_.expires_after(kGoodbyePause);
  pace_timer_.async_wait([this, turns_left](const boost::system::error_code& cancelled) {
    if (!cancelled) wait_for_goodbyes(turns_left - 1);
  });
}

// ---- care ----

void ClockService::look_after() {
  care_timer_.expires_after(kCareInterval);
  care_timer_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled || finished_) return;
    quiet_ = facts_ == facts_seen_ ? quiet_ + kCareInterval : std::chrono::milliseconds(0);
    facts_seen_ = facts_;
    if (!core_.idle() && options_.watchdog.count() > 0 && quiet_ >= options_.watchdog) {
      core_.fail(fmt::format("nothing has happened for {} s; waiting for {}",
                             options_.watchdog.count(), fmt::join(core_.waiting_for(), ", ")));
      fact();
    } else if (core_.last_closed() != told_tick_) {
      told_tick_ = core_.last_closed();
      wire::ClockMessage message;
      *message.mutable_status() = status();
      sessions_.tell_runner(message);
      sessions_.flush();
    }
    look_after();
  });
}

wire::Status ClockService::status() const {
  wire::Status status;
  status.set_tick(core_.last_closed().value());
  status.set_supplies(supplies_);
  if (!finished_) return status;
  status.set_ended(true);
  status.set_disturbed(finished_->disturbed);
  if (finished_->failure) status.set_failure(*finished_->failure);
  status.set_capture_sha256(capture_.sha256());
  return status;
}

// The first one ends the run at the next boundary, the second at once. What ended it is for the
// log: the capture has the same word as a replay of the journal.
void ClockService::wait_for_signal() {
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (error || finished_) return;
    if (interrupted_) {
      core_.fail("interrupted");
    } else {
      log_->info("interrupted");
      core_.end(kReasonOfEnd);
    }
    interrupted_ = true;
    fact();
    wait_for_signal();
  });
}

}  // namespace fencepost::clock
