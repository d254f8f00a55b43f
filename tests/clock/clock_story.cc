#include "tests/clock/clock_story.h"

#include <algorithm>

#include "common/events.h"

namespace fencepost::test {

ClockStory::ClockStory(wire::Plan plan)
    : core_(std::make_unique<clock::ClockCore>(
          std::move(plan), [this](const wire::CaptureRecord& record) { note(record); })) {}

ClockStory& ClockStory::hello(const std::string& name) {
  wire::Hello hello;
  hello.set_name(name);
  hello.set_role("probe");
  core_->hello(hello);
  drain();
  return *this;
}

ClockStory& ClockStory::open(std::int64_t paced) {
  core_->open(paced < 0 ? core_->last_closed() + TickSpan(1) : Tick(paced));
  drain();
  return *this;
}

wire::Frame ClockStory::frame_to(Life& life, const std::string& to) {
  wire::Frame frame;
  wire::Header* header = frame.mutable_header();
  header->set_source(life.id.name);
  header->set_source_incarnation(life.id.incarnation.value());
  header->set_sequence(++life.sequence);
  const std::size_t colon = to.find(':');
  header->set_destination(to.substr(0, colon));
  if (colon == std::string::npos) {
    header->set_correlation_id(++life.correlation);
    frame.mutable_heartbeat_request();
  } else {
    header->set_correlation_id(std::stoi(to.substr(colon + 1)));
    header->set_destination_incarnation(lives_.at(header->destination()).id.incarnation.value());
    frame.mutable_heartbeat_response();
  }
  return frame;
}

bool ClockStory::done(const std::string& name, const Did& did) {
  Life& life = lives_.at(name);
  wire::Done done;
  done.set_tick(life.owes);
  for (const std::string& to : did.sends)
    *done.add_emissions()->mutable_frame() = frame_to(life, to);
  if (!did.event.empty()) *done.add_emissions()->mutable_event() = events::make(did.event, {});
  if (did.wake) done.set_next_wake_tick(*did.wake);
  if (did.exit) done.set_exit_code(*did.exit);
  life.owes = -1;
  const bool taken = core_->done(life.id, std::move(done));
  drain();
  return taken;
}

ClockStory& ClockStory::gone(const std::string& name) {
  core_->gone(lives_.at(name).id);
  drain();
  return *this;
}

ClockStory& ClockStory::stopped(const std::string& name) {
  core_->stopped(lives_.at(name).id);
  drain();
  return *this;
}

ClockStory& ClockStory::continued(const std::string& name) {
  core_->continued(lives_.at(name).id);
  drain();
  return *this;
}

ClockStory& ClockStory::closing(const std::string& name) {
  core_->closing(lives_.at(name).id);
  drain();
  return *this;
}

ClockStory& ClockStory::lost(const std::string& name) {
  core_->start_lost(name, "killed by signal 9");
  drain();
  return *this;
}

ClockStory& ClockStory::quiet() {
  for (auto& [name, life] : lives_) {
    if (life.owes >= 0) done(name);
  }
  return *this;
}

std::vector<std::string> ClockStory::grants() { return std::exchange(grants_, {}); }
std::vector<std::string> ClockStory::acts() { return std::exchange(acts_, {}); }

bool ClockStory::captured(const std::string& line) const {
  return std::find(capture_.begin(), capture_.end(), line) != capture_.end();
}

void ClockStory::drain() {
  for (clock::Effect& effect : core_->take_effects()) {
    if (const auto* welcomed = std::get_if<clock::WelcomeTo>(&effect)) {
      lives_[welcomed->to.name] = Life{.id = welcomed->to};
    } else if (const auto* granted = std::get_if<clock::GrantTo>(&effect)) {
      const wire::Grant grant = clock::to_wire(*granted);
      std::string line = granted->to.name + "@" + std::to_string(grant.tick());
      for (const wire::Control& control : grant.control()) {
        line += " " + wire::Control::Kind_Name(control.kind());
      }
      for (const wire::DeliveryRef& item : grant.deliver()) {
        line += item.has_frame()
                    ? " <" + item.frame().source() + "." + std::to_string(item.frame().sequence())
                    : " <gone " + item.disconnected().peer();
      }
      grants_.push_back(line);
      lives_.at(granted->to.name).owes = grant.tick();
    } else if (const auto* physical = std::get_if<clock::Perform>(&effect)) {
      acts_.push_back(wire::Act::Kind_Name(physical->act.kind()) + " " + physical->act.process());
    } else if (const auto* decided = std::get_if<clock::AppendJournal>(&effect)) {
      const wire::Decision& decision = decided->decision;
      journal_.push_back(std::to_string(decision.tick()) + " " +
                         wire::Decision::Kind_Name(decision.kind()) + " " + decision.process() +
                         (decision.holding() ? " holding" : ""));
    } else if (const auto* away = std::get_if<clock::TurnAway>(&effect)) {
      turned_away_.push_back(away->name);
    } else if (const auto* ended = std::get_if<clock::Finished>(&effect)) {
      finished_ = *ended;
    }
  }
}

void ClockStory::note(const wire::CaptureRecord& record) {
  if (record.has_tick()) tick_ = record.tick();
  const std::string tick = std::to_string(tick_) + " ";
  if (record.has_lifecycle()) {
    capture_.push_back(tick + wire::Lifecycle::Kind_Name(record.lifecycle().kind()) + " " +
                       record.lifecycle().process() + (record.lifecycle().outside() ? "!" : ""));
  } else if (record.has_step()) {
    const wire::Step& step = record.step();
    capture_.push_back(tick + "step " + step.process() +
                       (step.has_own_tick() ? " of " + std::to_string(step.own_tick()) : ""));
  } else if (record.has_packet()) {
    const wire::Packet& packet = record.packet();
    const wire::Header& header = packet.frame().header();
    capture_.push_back(
        tick + header.source() + ">" + header.destination() + " " +
        wire::Packet::Fate_Name(packet.fate()) +
        (packet.has_arrival_tick() ? " " + std::to_string(packet.arrival_tick()) : ""));
  } else if (record.has_end()) {
    capture_.push_back(tick + "END");
  }
}

}  // namespace fencepost::test
