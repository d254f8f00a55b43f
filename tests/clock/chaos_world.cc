#include "tests/clock/chaos_world.h"

#include <algorithm>

#include "common/capture_file.h"
#include "common/row_digest.h"

namespace fencepost::test {

ChaosWorld::ChaosWorld(wire::Plan plan, std::uint64_t seed, bool faults, Omit omit)
    : plan_(std::move(plan)),
      random_(seed, "world", Incarnation(0), "chaos"),
      faults_(faults),
      omit_(omit),
      core_(plan_,
            [this](const wire::CaptureRecord& record) { append_framed(leaves_.capture, record); }) {
}

ChaosWorld::Process* ChaosWorld::living(const std::string& name) {
  for (const auto& process : processes_) {
    if (process->name == name && process->alive) return process.get();
  }
  return nullptr;
}

Leaves ChaosWorld::run() {
  int idle_rounds = 0;
  while (!finished_) {
    drain();
    if (finished_) break;
    if (faults_ && draw(40) == 0) disturb();
    if (core_.idle() && draw(3) == 0 && (core_.next_due() || core_.has_facts())) {
      core_.open(core_.last_closed() + TickSpan(1 + static_cast<std::int64_t>(draw(3))));
      idle_rounds = 0;
      continue;
    }
    idle_rounds = act_once() ? 0 : idle_rounds + 1;
    if (idle_rounds > 400) {
      leaves_.failure = "hang after tick " + std::to_string(core_.last_closed().value());
      for (const std::string& who : core_.waiting_for()) *leaves_.failure += ", waits for " + who;
      break;
    }
  }
  return std::move(leaves_);
}

void ChaosWorld::drain() {
  while (true) {
    std::vector<clock::Effect> effects = core_.take_effects();
    if (effects.empty()) return;
    for (clock::Effect& effect : effects) handle(effect);
  }
}

// One process does one thing, or the clock reads one message. False if there was nothing to do.
bool ChaosWorld::act_once() {
  const std::size_t count = processes_.size();
  if (count == 0) return false;
  const std::size_t first = draw(count);
  for (std::size_t i = 0; i < count; ++i) {
    Process& process = *processes_[(first + i) % count];
    const bool worked = draw(2) == 0 ? work(process) || read_at_clock(process)
                                     : read_at_clock(process) || work(process);
    if (worked) return true;
  }
  return false;
}

bool ChaosWorld::work(Process& process) {
  if (!process.alive || process.stopped) return false;
  if (process.stepped) {
    write_something(process);
    return true;
  }
  if (process.exits) {
    process.alive = false;
    return true;
  }
  return !process.grants.empty() && begin_step(process);
}

// Runs the node once every frame that the Grant names is there.
bool ChaosWorld::begin_step(Process& process) {
  const wire::Grant& grant = process.grants.front();
  std::vector<Delivery> inbox;
  wire::ClockMessage need;
  for (const wire::Control& control : grant.control())
    inbox.push_back({Tick(grant.tick()), control});
  for (const wire::DeliveryRef& reference : grant.deliver()) {
    const Tick arrival(reference.arrival_tick());
    if (reference.has_disconnected()) {
      inbox.push_back({arrival, reference.disconnected()});
      continue;
    }
    const auto cached = process.cache.find(
        {reference.frame().source() + "/" + std::to_string(reference.frame().incarnation()),
         reference.frame().sequence()});
    if (cached == process.cache.end()) {
      *need.mutable_need()->add_frames() = reference.frame();
    } else {
      inbox.push_back({arrival, std::make_shared<const wire::Frame>(cached->second)});
    }
  }
  if (need.has_need()) {
    if (process.needed) return false;
    process.needed = true;
    process.to_clock.push_back(std::move(need));
    return true;
  }
  process.stepped = process.node->step(Tick(grant.tick()), inbox);
  process.needed = false;
  process.frames_written = 0;
  process.rows_written = false;
  return true;
}

// First the rows, then each frame, then Done: a kill may come between any two.
void ChaosWorld::write_something(Process& process) {
  StepResult& result = *process.stepped;
  const Tick tick(process.grants.front().tick());
  if (!process.rows_written) {
    for (const wire::StoredRow& row : result.rows) disks_[process.name].emplace_back(tick, row);
    process.rows_written = true;
    return;
  }
  while (process.frames_written < result.emissions.size()) {
    const wire::Emission& emission = result.emissions[process.frames_written++];
    if (!emission.has_frame()) continue;
    send_frame(emission.frame());
    return;
  }
  wire::ClockMessage message;
  wire::Done* done = message.mutable_done();
  done->set_tick(tick.value());
  for (wire::Emission& emission : result.emissions) *done->add_emissions() = std::move(emission);
  if (!result.rows.empty()) done->set_rows_digest(rows_digest(result.rows));
  if (result.next_wake) done->set_next_wake_tick(result.next_wake->value());
  if (result.exit_code) {
    process.exits = true;
    if (omit_ != Omit::kExit) done->set_exit_code(*result.exit_code);
  }
  process.to_clock.push_back(std::move(message));
  process.grants.pop_front();
  process.stepped.reset();
}

// A peer's frame may sit in a buffer that dies with its sender, or arrive at a process that is
// gone.
void ChaosWorld::send_frame(const wire::Frame& frame) {
  Process* receiver = living(frame.header().destination());
  if (receiver == nullptr || draw(5) == 0) return;
  receiver
      ->cache[{frame.header().source() + "/" + std::to_string(frame.header().source_incarnation()),
               frame.header().sequence()}] = frame;
}

bool ChaosWorld::read_at_clock(Process& process) {
  if (process.to_clock.empty()) {
    if (process.alive || process.eof_read) return false;
    process.eof_read = true;
    if (process.id) {
      core_.gone(*process.id);
    } else {
      core_.hello_withdrawn(process.name);
    }
    return true;
  }
  const wire::ClockMessage message = std::move(process.to_clock.front());
  process.to_clock.pop_front();
  if (message.has_hello()) {
    core_.hello(message.hello());
  } else if (message.has_done()) {
    core_.done(*process.id, message.done());
  } else if (message.has_need() && omit_ != Omit::kNeed) {
    core_.need(*process.id, message.need());
  } else if (message.has_closing()) {
    core_.closing(*process.id);
  }
  return true;
}

void ChaosWorld::handle(clock::Effect& effect) {
  if (auto* welcomed = std::get_if<clock::WelcomeTo>(&effect)) {
    welcome(*welcomed);
  } else if (auto* granted = std::get_if<clock::GrantTo>(&effect)) {
    Process* process = living(granted->to.name);
    if (process != nullptr && process->id == granted->to) {
      process->grants.push_back(clock::to_wire(*granted));
    }
  } else if (auto* supplied = std::get_if<clock::SupplyTo>(&effect)) {
    ++leaves_.supplies;
    Process* process = living(supplied->to.name);
    if (process == nullptr || process->id != supplied->to) return;
    for (const wire::Frame& frame : supplied->supply.frames()) {
      process->cache[{
          frame.header().source() + "/" + std::to_string(frame.header().source_incarnation()),
          frame.header().sequence()}] = frame;
    }
  } else if (auto* physical = std::get_if<clock::Perform>(&effect)) {
    perform(physical->act);
  } else if (auto* decided = std::get_if<clock::AppendJournal>(&effect)) {
    if (decided->decision.holding()) {
      ++leaves_.held;
      if (omit_ == Omit::kHold) decided->decision.clear_holding();
    }
    leaves_.journal.push_back(decided->decision);
  } else if (auto* finished = std::get_if<clock::Finished>(&effect)) {
    leaves_.failure = finished->failure;
    finished_ = true;
  }
}

void ChaosWorld::welcome(const clock::WelcomeTo& effect) {
  Process* process = nullptr;
  for (const auto& candidate : processes_) {
    if (candidate->name == effect.to.name && !candidate->id) process = candidate.get();
  }
  process->id = effect.to;
  std::vector<Row>& disk = disks_[effect.to.name];
  if (omit_ != Omit::kStorage) {
    const Tick last(effect.welcome.has_last_committed_tick() ? effect.welcome.last_committed_tick()
                                                             : -1);
    std::erase_if(disk, [&](const Row& row) { return row.first > last; });
  }
  NodeContext context{.name = effect.to.name,
                      .incarnation = effect.to.incarnation,
                      .seed = effect.welcome.seed(),
                      .tick_ms = TickLength(effect.welcome.tick_ms()),
                      .properties = Properties(Role::kProbe),
                      .stored = {}};
  for (const Row& row : disk) context.stored.push_back(row.second);
  process->node = std::make_unique<ToyNode>(std::move(context));
}

void ChaosWorld::perform(const wire::Act& act) {
  Process* process = living(act.process());
  if (act.kind() == wire::Act::START) {
    // One whose last step has been accepted may still be on its way out.
    if (process != nullptr && process->exits) process->alive = false;
    if (living(act.process()) == nullptr) spawn(act.process());
    return;
  }
  if (process == nullptr || !process->id) return;
  switch (act.kind()) {
    case wire::Act::START:
      break;
    case wire::Act::KILL:
      kill(*process);
      break;
    case wire::Act::STOP:
      process->stopped = true;
      core_.stopped(*process->id);
      break;
    case wire::Act::CONT:
      process->stopped = false;
      core_.continued(*process->id);
      break;
    case wire::Act::CLOSE:
      process->to_clock.emplace_back().mutable_closing();
      break;
  }
}

void ChaosWorld::spawn(const std::string& name) {
  processes_.push_back(std::make_unique<Process>());
  Process& process = *processes_.back();
  process.name = name;
  *process.to_clock.emplace_back().mutable_hello() = toy_hello(name);
}

void ChaosWorld::kill(Process& process) {
  process.alive = false;
  // What it wrote last may die with it, but never a message in front of one that is read.
  while (!process.to_clock.empty() && draw(2) == 0) process.to_clock.pop_back();
}

void ChaosWorld::disturb() {
  const std::string name(kToyNames[draw(4)]);
  Process* process = living(name);
  if (process == nullptr) {
    const bool unread = std::any_of(processes_.begin(), processes_.end(), [&](const auto& old) {
      return old->name == name && !old->id && !old->eof_read;
    });
    if (!unread) spawn(name);
    return;
  }
  if (!process->id) return;
  const std::uint64_t choice = draw(10);
  if (choice < 2) {
    ++leaves_.kills;
    if (!process->grants.empty()) ++leaves_.kills_in_step;
    kill(*process);
  } else if (choice < 5) {
    process->stopped = true;
    core_.stopped(*process->id);
  } else if (choice < 9) {
    process->stopped = false;
    core_.continued(*process->id);
  } else if (!process->stopped) {
    process->to_clock.emplace_back().mutable_closing();
  }
}

}  // namespace fencepost::test
