#include "clock/service.h"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <csignal>
#include <filesystem>
#include <stdexcept>

#include "clock/core/journal.h"
#include "clock/status_report.h"

namespace fencepost::clock {
namespace {

constexpr std::chrono::milliseconds kCareInterval{250};
constexpr std::chrono::milliseconds kStopsInterval{20};
constexpr const char* kReasonOfEnd = "end";
constexpr int kTicksInARow = 256;  // before the sockets are looked at again
constexpr std::size_t kSecretBytes = 16;

std::string new_secret() {
  std::string secret(kSecretBytes, '\0');
  if (::getentropy(secret.data(), secret.size()) != 0) throw std::runtime_error("no randomness");
  return secret;
}

}  // namespace

ClockService::ClockService(wire::Plan plan, ServiceOptions options, ProcessLog& log)
    : plan_(std::move(plan)),
      options_(std::move(options)),
      log_(log),
      capture_(options_.out_directory + "/capture.bin"),
      journal_path_(options_.out_directory + "/journal.yaml"),
      journal_(journal_path_, std::ios::binary | std::ios::trunc),
      core_(plan_, [this](const wire::CaptureRecord& record) { capture_.append(record); }),
      doorway_(context_, log_, "an unknown process",
               [this](const std::shared_ptr<FrameStream>& stream, std::string_view bytes) {
                 return on_stranger(stream, bytes);
               }),
      sessions_(context_, log_, *this),
      operators_(
          log_, options_.out_directory + "/capture.bin",
          [this](OperatorId from, const wire::Command& command) { commands_.take(from, command); }),
      pacing_(options_.a_tick),
      commands_(plan_, core_, sessions_, pacing_, operators_, hands()),
      stop_watch_(options_.grace),
      signals_(context_, SIGTERM, SIGINT, SIGHUP),
      pace_timer_(context_),
      care_timer_(context_),
      stops_timer_(context_) {
  write_journal(journal_header(plan_, "scenario.yaml"));
  sessions_.set_secret(new_secret());
}

Commands::Hands ClockService::hands() {
  return {.settle = [this] { asio::post(context_, [this] { fact(); }); },
          .ask_runner = [this](const wire::Act& act) { ask_runner(act); },
          .status = [this] { return full_status(); }};
}

std::string ClockService::listen(const std::string& address) {
  const std::string listening = doorway_.listen(address);
  doorway_.open();
  return listening;
}

bool ClockService::run() {
  wait_for_signal();
  look_after();
  // With a runner the run begins when it is there, so that its watchers miss nothing.
  if (plan_.processes().empty()) fact();
  context_.run();
  return finished_ && !finished_->failure;
}

// ---- facts ----

std::string ClockService::on_stranger(const std::shared_ptr<FrameStream>& stream,
                                      std::string_view bytes) {
  wire::ClockMessage message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return "a malformed message";
  }
  if (message.has_command()) return operators_.admit(stream, message.command());
  if (message.has_hello() || message.has_runner_hello()) return sessions_.admit(stream, message);
  return "its first message is no Hello";
}

std::string ClockService::on_hello(const wire::Hello& hello) {
  std::string objection = core_.hello(hello);
  // The answer to a Hello comes when the session waits for it, so not from inside this call.
  if (objection.empty()) asio::post(context_, [this] { fact(); });
  return objection;
}

void ClockService::on_hello_withdrawn(const std::string& name) {
  core_.hello_withdrawn(name);
  fact();
}

bool ClockService::on_message(const ParticipantId& from, wire::ClockMessage& message) {
  if (stop_watch_.on_word(from)) core_.continued(from);
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
  stop_watch_.forget(who);
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
      children_.insert(child);
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
      on_exit(observed);
      break;
  }
  fact();
}

// That a participant is gone is said by its connection, behind its last message.
void ClockService::on_exit(const wire::Observed& observed) {
  const Child child{observed.process(), observed.pid()};
  children_.erase(child);
  stopped_.erase(child);
  if (welcomed_.erase(child) > 0) return;
  log_->warn("{} has ended before it joined: {}", child.first, observed.detail());
  if (commands_.on_start_failed(child.first, observed.detail())) return;
  if (observed.has_signal()) {
    core_.start_lost(child.first, observed.detail());
  } else {
    core_.start_failed(child.first, observed.detail());
  }
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
    const Pacing::Instant now = Pacing::Instant::clock::now();
    if (!begun_) pacing_.begin(now);
    begun_ = true;
    core_.open(pacing_.reached(now, core_.last_closed()));
    pacing_.opened(core_.current(), now);
    apply_effects();
  }
  commands_.on_ticks();
  if (operators_.has_watchers()) {
    capture_.flush();
    operators_.show();
  }
  sessions_.flush();
}

// A fact opens a tick although nothing is due; what is due by itself waits for the pace.
bool ClockService::may_open() {
  if (core_.has_facts()) return true;
  const std::optional<Tick> due = core_.next_due();
  if (!due || breaks_before(*due)) return false;
  if (!begun_ && !pacing_.is_paused()) return true;
  const std::optional<Pacing::Instant> opening = pacing_.opening_of(*due);
  if (!opening || Pacing::Instant::clock::now() >= *opening) return opening.has_value();
  open_later(*due);
  return false;
}

// A breakpoint pauses once; then the person goes on from it.
bool ClockService::breaks_before(Tick due) {
  if (!options_.stop_at_breakpoints || passed_breakpoint_ == due) return false;
  const std::optional<std::string> text = core_.breakpoint_ahead();
  if (!text) return false;
  passed_breakpoint_ = due;
  log_->info("breakpoint before tick {}: {}", due.value(), *text);
  commands_.pause_at(*text);
  return true;
}

void ClockService::open_later(Tick due) {
  // A person may be watching: what has happened so far is shown before the wait.
  capture_.flush();
  pace_timer_.expires_at(*pacing_.opening_of(due));
  pace_timer_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) fact();
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

// Polls, since /proc tells nothing by itself; only while there is somebody to look after.
void ClockService::look_for_stops() {
  if (looking_ || !stop_watch_.has_anybody()) return;
  looking_ = true;
  stops_timer_.expires_after(kStopsInterval);
  stops_timer_.async_wait([this](const boost::system::error_code& cancelled) {
    looking_ = false;
    if (cancelled || finished_) return;
    take_findings();
    look_for_stops();
  });
}

void ClockService::take_findings() {
  const auto findings = stop_watch_.look(StopWatch::Instant::clock::now());
  if (findings.empty()) return;
  for (const StopWatch::Finding& finding : findings) {
    log_->debug("{} {}", finding.who.name, finding.stopped ? "is stopped" : "goes on");
    finding.stopped ? core_.stopped(finding.who) : core_.continued(finding.who);
  }
  fact();
}

wire::Status ClockService::full_status() const {
  wire::Status status = this->status();
  status.set_scenario(plan_.name());
  status.set_directory(std::filesystem::absolute(options_.out_directory).lexically_normal());
  status.set_pid(::getpid());
  status.set_tick_ms(plan_.tick_ms());
  status.set_pace_ms(pacing_.a_tick().count());
  status.set_paused(pacing_.is_paused());
  if (!commands_.paused_at().empty()) status.set_paused_at(commands_.paused_at());
  describe_processes(plan_, core_, sessions_, status);
  for (const std::string& who : core_.waiting_for()) status.add_waiting_for(who);
  return status;
}

wire::Status ClockService::status() const {
  wire::Status status;
  status.set_tick(core_.last_closed().value());
  status.set_supplies(supplies_);
  if (!finished_) return status;
  status.set_ended(true);
  status.set_disturbed(finished_->disturbed);
  status.set_interrupted(interrupted_);
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
