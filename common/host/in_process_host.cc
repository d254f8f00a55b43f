#include "common/host/in_process_host.h"

#include "common/check.h"
#include "common/row_digest.h"

namespace fencepost {

Properties properties_of(const wire::ProcessSpec& spec) {
  const std::optional<Role> role = role_from_string(spec.role());
  if (!role) throw ConfigError(spec.name() + ": unknown role \"" + spec.role() + "\"");
  Properties properties(*role);
  for (const wire::Property& property : spec.properties()) {
    properties.set(property.name(), property.value(), spec.name());
  }
  properties.validate();
  return properties;
}

InProcessHost::InProcessHost(wire::Plan plan, NodeFactories factories, clock::CaptureSink capture,
                             JournalSink journal)
    : plan_(std::move(plan)),
      factories_(std::move(factories)),
      journal_(std::move(journal)),
      core_(plan_, std::move(capture)) {}

InProcessHost::~InProcessHost() = default;

InProcessResult InProcessHost::run(const std::function<bool()>& stop) {
  while (!finished_) {
    std::vector<clock::Effect> effects = core_.take_effects();
    for (clock::Effect& effect : effects) handle(effect);
    if (!effects.empty()) continue;
    if (core_.finished()) break;
    CHECK(core_.idle(), "the clock waits for {}",
          core_.waiting_for().empty() ? "nothing" : core_.waiting_for().front());
    // The word that the clock has for an end by hand, which a replay of the journal has too.
    if (stop && stop()) core_.end("end");
    if (!core_.next_due()) core_.end("nothing is due any more");
    core_.open(core_.last_closed() + TickSpan(1));
  }
  return {.reason = finished_->reason,
          .disturbed = finished_->disturbed,
          .failure = finished_->failure,
          .last_tick = core_.last_closed()};
}

Node* InProcessHost::node(const std::string& name) {
  const auto node = nodes_.find(name);
  if (node == nodes_.end()) return nullptr;
  const auto participant = core_.participants().find(name);
  const bool stopped = participant != core_.participants().end() && participant->second.frozen;
  return stopped ? nullptr : node->second.get();
}

void InProcessHost::handle(clock::Effect& effect) {
  if (auto* welcomed = std::get_if<clock::WelcomeTo>(&effect)) {
    welcome(*welcomed);
  } else if (auto* granted = std::get_if<clock::GrantTo>(&effect)) {
    step(*granted);
  } else if (auto* physical = std::get_if<clock::Perform>(&effect)) {
    perform(physical->act);
  } else if (auto* decided = std::get_if<clock::AppendJournal>(&effect)) {
    if (journal_) journal_(decided->decision);
  } else if (auto* finished = std::get_if<clock::Finished>(&effect)) {
    finished_ = *finished;
  }
  // Nobody lacks a frame here, and nobody watches: SupplyTo and PausePacing have nothing to do.
}

void InProcessHost::perform(const wire::Act& act) {
  if (act.kind() == wire::Act::START) {
    start(act);
    return;
  }
  const clock::ParticipantId who = core_.participants().at(act.process()).id;
  switch (act.kind()) {
    case wire::Act::START:
      break;
    case wire::Act::KILL:
      nodes_.erase(who.name);
      core_.gone(who);
      break;
    case wire::Act::STOP:
      core_.stopped(who);
      break;
    case wire::Act::CONT:
      core_.continued(who);
      break;
    case wire::Act::CLOSE:
      core_.closing(who);
      break;
  }
}

void InProcessHost::start(const wire::Act& act) {
  wire::ProcessSpec spec;
  for (const wire::ProcessSpec& known : plan_.processes()) {
    if (known.name() == act.process()) spec = known;
  }
  if (act.has_role()) {
    spec.set_name(act.process());
    spec.set_role(act.role());
    *spec.mutable_properties() = act.properties();
  }
  wire::Hello hello;
  hello.set_name(act.process());
  hello.set_role(spec.role());
  *hello.mutable_properties() = spec.properties();
  starting_[act.process()] = std::move(spec);
  core_.hello(hello);
}

void InProcessHost::welcome(const clock::WelcomeTo& effect) {
  auto starting = starting_.extract(effect.to.name);
  CHECK(!starting.empty(), "{} is welcomed and was not started", effect.to.name);
  const wire::ProcessSpec spec = std::move(starting.mapped());
  const auto factory = factories_.find(spec.role());
  if (factory == factories_.end()) {
    throw ConfigError(spec.name() + ": unknown role \"" + spec.role() + "\"");
  }
  NodeContext context{.name = effect.to.name,
                      .incarnation = effect.to.incarnation,
                      .seed = effect.welcome.seed(),
                      .tick_ms = TickLength(effect.welcome.tick_ms()),
                      .properties = properties_of(spec),
                      .stored = stored_[effect.to.name].load()};
  nodes_[effect.to.name] = factory->second(std::move(context));
}

void InProcessHost::step(clock::GrantTo& effect) {
  std::vector<Delivery> inbox;
  inbox.reserve(effect.controls.size() + effect.deliveries.size());
  for (const wire::Control& control : effect.controls) inbox.push_back({effect.tick, control});
  for (clock::InFlight& item : effect.deliveries) {
    if (item.frame) {
      inbox.push_back({item.arrival, std::move(item.frame)});
    } else {
      inbox.push_back({item.arrival, *item.disconnected});
    }
  }
  StepResult result = nodes_.at(effect.to.name)->step(effect.tick, inbox);
  wire::Done done;
  done.set_tick(effect.tick.value());
  done.mutable_emissions()->Reserve(static_cast<int>(result.emissions.size()));
  for (wire::Emission& emission : result.emissions) done.add_emissions()->Swap(&emission);
  if (!result.rows.empty()) done.set_rows_digest(rows_digest(result.rows));
  // A step that is run here is accepted: nothing can happen to it between its end and its tick's.
  stored_[effect.to.name].append(std::move(result.rows), result.obsolete);
  if (result.next_wake) done.set_next_wake_tick(result.next_wake->value());
  if (result.exit_code) {
    done.set_exit_code(*result.exit_code);
    nodes_.erase(effect.to.name);
  }
  CHECK(core_.done(effect.to, std::move(done)), "{} ran a step that it does not owe",
        effect.to.name);
}

}  // namespace fencepost
