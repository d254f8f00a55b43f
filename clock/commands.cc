#include "clock/commands.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "common/process_spec.h"

namespace fencepost::clock {
namespace {

constexpr std::int64_t kMaxPaceMs = 86'400'000;

void set_property(wire::ProcessSpec& spec, const wire::Property& property) {
  for (wire::Property& known : *spec.mutable_properties()) {
    if (known.name() == property.name()) return known.set_value(property.value());
  }
  *spec.add_properties() = property;
}

}  // namespace

Commands::Commands(const wire::Plan& plan, const ClockCore& core, const Sessions& sessions,
                   Pacing& pacing, Operators& operators, Hands hands)
    : plan_(plan),
      core_(core),
      sessions_(sessions),
      pacing_(pacing),
      operators_(operators),
      hands_(std::move(hands)) {}

void Commands::take(OperatorId from, const wire::Command& command) {
  if (!command.has_kind()) return refuse(from, "a command that this clock does not know");
  switch (command.kind()) {
    case wire::Command::STATUS: {
      wire::Reply reply;
      *reply.mutable_status() = hands_.status();
      return operators_.reply(from, std::move(reply));
    }
    case wire::Command::PAUSE:
      return pause(from);
    case wire::Command::STEP:
      return step(from, command.ticks());
    case wire::Command::GO:
      return go(from);
    case wire::Command::PACE:
      return pace(from, command.pace_ms());
    case wire::Command::START:
    case wire::Command::RESTART:
      return start(from, command);
    case wire::Command::WATCH:
      operators_.watch(from);
      return hands_.settle();
  }
}

void Commands::answer(OperatorId to, const std::string& text) {
  wire::Reply reply;
  reply.set_text(text);
  operators_.reply(to, std::move(reply));
}

void Commands::refuse(OperatorId to, const std::string& error) {
  wire::Reply reply;
  reply.set_error(error);
  operators_.reply(to, std::move(reply));
}

std::string Commands::place() const {
  const Tick last = core_.last_closed();
  return last < Tick(0) ? "before tick 0" : fmt::format("after tick {}", last.value());
}

// ---- pace ----

void Commands::pause(OperatorId from) {
  pacing_.pause(Pacing::Instant::clock::now(), core_.last_closed());
  answer(from, "paused " + place());
}

void Commands::pause_at(const std::string& breakpoint) {
  paused_at_ = breakpoint;
  pacing_.pause(Pacing::Instant::clock::now(), core_.last_closed());
}

void Commands::step(OperatorId from, std::int64_t ticks) {
  if (ticks < 1) return refuse(from, "step needs a number of ticks from 1");
  if (!stepping_.empty()) return refuse(from, "a step is under way already");
  pacing_.step(ticks, Pacing::Instant::clock::now(), core_.last_closed());
  paused_at_.clear();
  stepping_.push_back(from);
  hands_.settle();
}

void Commands::on_ticks() {
  if (stepping_.empty() || !core_.idle()) return;
  const bool nothing_due = !core_.next_due() && !core_.has_facts();
  if (pacing_.is_stepping() && !nothing_due && paused_at_.empty()) return;
  if (pacing_.is_stepping()) pacing_.pause(Pacing::Instant::clock::now(), core_.last_closed());
  std::string text = "paused " + place();
  if (!paused_at_.empty()) text += ", at the breakpoint " + paused_at_;
  if (nothing_due) text += "; nothing is due by itself";
  for (const OperatorId who : std::exchange(stepping_, {})) answer(who, text);
}

void Commands::go(OperatorId from) {
  const bool was_paused = pacing_.is_paused();
  pacing_.go(Pacing::Instant::clock::now());
  paused_at_.clear();
  answer(from, (was_paused ? "goes on " : "was not paused, ") + place());
  hands_.settle();
}

void Commands::pace(OperatorId from, std::int64_t pace_ms) {
  if (pace_ms < 0 || pace_ms > kMaxPaceMs) {
    return refuse(from, fmt::format("a pace is from 0 to {} ms a tick", kMaxPaceMs));
  }
  pacing_.set_pace(std::chrono::milliseconds(pace_ms), Pacing::Instant::clock::now(),
                   core_.last_closed());
  answer(from, pace_ms == 0 ? "as fast as it can, from now on"
                            : fmt::format("{} ms a tick from now on", pace_ms));
  hands_.settle();
}

// ---- processes ----

void Commands::start(OperatorId from, const wire::Command& command) {
  if (const std::string objection = objection_to_start(command); !objection.empty()) {
    return refuse(from, objection);
  }
  const std::optional<wire::ProcessSpec> spec = spec_of(command);
  if (!spec) {
    return refuse(from, fmt::format("nothing says what {} is: give --like PROCESS or --role ROLE",
                                    command.process()));
  }
  const std::optional<Role> role = role_from_string(spec->role());
  if (const std::string objection = objection_to_properties(*role, spec->properties());
      !objection.empty()) {
    return refuse(from, objection);
  }
  starting_[command.process()] = from;
  wire::Act act;
  act.set_process(command.process());
  if (core_.participants().contains(command.process())) {
    act.set_kind(wire::Act::KILL);
    hands_.ask_runner(act);
  }
  act.set_kind(wire::Act::START);
  act.set_role(spec->role());
  *act.mutable_properties() = spec->properties();
  hands_.ask_runner(act);
  hands_.settle();
}

// Empty if there is none.
std::string Commands::objection_to_start(const wire::Command& command) const {
  const std::string& name = command.process();
  if (std::string objection = objection_to_name(name); !objection.empty()) return objection;
  if (plan_.replay()) return "this is a replay: it takes nobody but those of its journal";
  if (!sessions_.has_runner()) {
    return "this clock starts no processes: start it as the others were started, with --clock and "
           "the address of this one";
  }
  if (starting_.contains(name)) return name + " is being started already";
  const auto alive = core_.participants().find(name);
  if (command.kind() == wire::Command::START && alive != core_.participants().end()) {
    return fmt::format("{} is there already, as pid {}; restart kills it first", name,
                       alive->second.hello.pid());
  }
  if (!command.role().empty() && !role_from_string(command.role())) {
    return fmt::format("unknown role \"{}\": broker, consumer, producer", command.role());
  }
  if (command.has_like() && !known(command.like())) return "there is no process " + command.like();
  return {};
}

// As it was started last, as the scenario has it, or like another one, with what was given on top.
std::optional<wire::ProcessSpec> Commands::spec_of(const wire::Command& command) const {
  std::optional<wire::ProcessSpec> spec =
      known(command.has_like() ? command.like() : command.process());
  if (command.has_role() && (!spec || spec->role() != command.role())) {
    spec.emplace().set_role(command.role());
  }
  if (!spec) return std::nullopt;
  spec->set_name(command.process());
  for (const wire::Property& property : command.properties()) set_property(*spec, property);
  return spec;
}

std::optional<wire::ProcessSpec> Commands::known(const std::string& name) const {
  const auto came = came_.find(name);
  if (came != came_.end()) return came->second;
  for (const wire::ProcessSpec& planned : plan_.processes()) {
    if (planned.name() == name) return planned;
  }
  return std::nullopt;
}

void Commands::on_joined(const ParticipantId& who, std::int64_t pid, Tick tick) {
  const auto participant = core_.participants().find(who.name);
  if (participant != core_.participants().end()) {
    wire::ProcessSpec& spec = came_[who.name];
    spec.set_name(who.name);
    spec.set_role(participant->second.hello.role());
    *spec.mutable_properties() = participant->second.hello.properties();
  }
  const auto starting = starting_.find(who.name);
  if (starting == starting_.end()) return;
  answer(starting->second, fmt::format("{} has joined at tick {} as pid {} (life {})", who.name,
                                       tick.value(), pid, who.incarnation.value()));
  starting_.erase(starting);
}

bool Commands::on_start_failed(const std::string& name, const std::string& detail) {
  const auto starting = starting_.find(name);
  if (starting == starting_.end()) return false;
  refuse(starting->second, fmt::format("{} ended before it joined: {}", name, detail));
  starting_.erase(starting);
  return true;
}

}  // namespace fencepost::clock
