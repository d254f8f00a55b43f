#include "tests/common/client_world.h"

#include <algorithm>

namespace fencepost {
namespace {

NodeContext context_of(Role role, const ClientWorld::Settings& settings) {
  NodeContext context;
  context.name = role == Role::kProducer ? "P1" : "C1";
  context.incarnation = Incarnation(1);
  context.properties = Properties(role);
  context.properties.set("bootstrap.servers", "B1:19092", "test");
  for (const auto& [name, value] : settings) context.properties.set(name, value, "test");
  return context;
}

std::string api_name(const wire::Frame& frame) {
  const auto* field = wire::Frame::descriptor()->FindFieldByNumber(frame.payload_case());
  const std::string type = field->message_type()->name();
  return type.substr(0, type.size() - std::string("Request").size());
}

}  // namespace

ClientWorld::ClientWorld(NodeFactory factory, Role role, const Settings& settings)
    : node_(factory(context_of(role, settings))) {}

void ClientWorld::next(Api api, Reply reply) {
  scripts_[api].push_back([reply = std::move(reply)](const wire::Frame&) { return reply; });
}

std::optional<std::int64_t> ClientWorld::next_tick() const {
  std::optional<std::int64_t> next = wake_;
  if (!inboxes_.empty() && (!next || inboxes_.begin()->first < *next)) {
    next = inboxes_.begin()->first;
  }
  if (next) next = std::max({*next, now_ + 1, frozen_until_});
  return next;
}

void ClientWorld::run_to(std::int64_t tick) {
  while (!exit_code_ && node_) {
    const std::optional<std::int64_t> next = next_tick();
    if (!next || *next > tick) break;
    now_ = *next;
    step();
  }
  now_ = std::max(now_, tick);
}

void ClientWorld::step() {
  std::vector<Delivery> inbox;
  while (!inboxes_.empty() && inboxes_.begin()->first <= now_) {
    for (Delivery& delivery : inboxes_.begin()->second) inbox.push_back(std::move(delivery));
    inboxes_.erase(inboxes_.begin());
  }
  std::stable_partition(inbox.begin(), inbox.end(), [](const Delivery& delivery) {
    return std::holds_alternative<wire::Control>(delivery.what);
  });
  StepResult result = node_->step(Tick(now_), inbox);
  wake_.reset();
  if (result.next_wake) wake_ = result.next_wake->value();
  exit_code_ = result.exit_code;
  for (const wire::Emission& emission : result.emissions) take(emission);
}

void ClientWorld::take(const wire::Emission& emission) {
  if (emission.has_event()) {
    events_.push_back({now_, emission.event(), emission.cause()});
    return;
  }
  requests_.push_back({now_, emission.frame(), emission.cause()});
  reply_to(emission.frame());
}

void ClientWorld::reply_to(const wire::Frame& request) {
  const Api api = request.payload_case();
  Reply reply;
  if (auto& scripts = scripts_[api]; !scripts.empty()) {
    reply = scripts.front()(request);
    scripts.pop_front();
  } else if (standing_[api]) {
    reply = standing_[api](request);
  } else {
    reply = broker_.answer(request);
  }
  Delivery delivery;
  delivery.arrival = Tick(now_ + reply.ticks);
  if (reply.disconnected) {
    wire::Disconnected disconnected;
    disconnected.set_peer("B1");
    disconnected.add_correlation_ids(request.header().correlation_id());
    delivery.what = disconnected;
  } else if (reply.frame) {
    auto frame = std::make_shared<wire::Frame>(std::move(*reply.frame));
    wire::Header* header = frame->mutable_header();
    header->set_source("B1");
    header->set_source_incarnation(1);
    header->set_destination(request.header().source());
    header->set_sequence(next_sequence_++);
    header->set_correlation_id(request.header().correlation_id());
    delivery.what = std::shared_ptr<const wire::Frame>(std::move(frame));
  } else {
    return;
  }
  inboxes_[delivery.arrival.value()].push_back(std::move(delivery));
}

void ClientWorld::control(wire::Control::Kind kind, std::int64_t ticks) {
  wire::Control control;
  control.set_kind(kind);
  control.set_ticks(ticks);
  inboxes_[now_ + 1].push_back({Tick(now_ + 1), control});
}

void ClientWorld::call(const std::string& method, const std::vector<std::string>& arguments) {
  wire::Control control;
  control.set_kind(wire::Control::CALL);
  control.set_method(method);
  control.mutable_arguments()->Assign(arguments.begin(), arguments.end());
  inboxes_[now_ + 1].push_back({Tick(now_ + 1), control});
}

std::vector<ClientWorld::Sent> ClientWorld::requests_of(Api api) const {
  std::vector<Sent> chosen;
  for (const Sent& sent : requests_) {
    if (sent.frame.payload_case() == api) chosen.push_back(sent);
  }
  return chosen;
}

std::vector<ClientWorld::Told> ClientWorld::events_named(std::string_view name) const {
  std::vector<Told> chosen;
  for (const Told& told : events_) {
    if (told.event.name() == name) chosen.push_back(told);
  }
  return chosen;
}

std::string ClientWorld::conversation() const {
  std::string text;
  for (const Sent& sent : requests_) {
    if (sent.frame.has_heartbeat_request()) continue;
    if (!text.empty()) text += ' ';
    text += api_name(sent.frame);
  }
  return text;
}

}  // namespace fencepost
