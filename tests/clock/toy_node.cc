#include "tests/clock/toy_node.h"

#include "common/events.h"

namespace fencepost::test {

ToyNode::ToyNode(NodeContext context)
    : context_(std::move(context)), outbox_(context_.name, context_.incarnation) {}

void ToyNode::absorb(std::uint64_t value) {
  state_ = (state_ ^ value) * 0x9e3779b97f4a7c15ULL;
  state_ ^= state_ >> 29;
}

void ToyNode::absorb(std::string_view text) {
  for (const char c : text) absorb(static_cast<unsigned char>(c));
}

void ToyNode::start() {
  wire::Cause cause;
  cause.set_kind(wire::Cause::START);
  outbox_.set_cause(cause);
  absorb(context_.name);
  absorb(context_.incarnation.value());
  absorb(context_.seed);
  for (const wire::StoredRow& row : context_.stored)
    absorb(static_cast<std::uint64_t>(row.base_offset()));
  started_ = true;
}

void ToyNode::take(const Delivery& delivery) {
  absorb(static_cast<std::uint64_t>(delivery.arrival.value()));
  if (const auto* control = std::get_if<wire::Control>(&delivery.what)) {
    if (control->kind() == wire::Control::CLOSE) exit_code_ = 0;
    absorb(7);
    return;
  }
  if (const auto* gone = std::get_if<wire::Disconnected>(&delivery.what)) {
    absorb(gone->peer());
    absorb(gone->peer_incarnation());
    for (const auto id : gone->correlation_ids()) absorb(static_cast<std::uint64_t>(id));
    return;
  }
  const wire::Frame& frame = *std::get<std::shared_ptr<const wire::Frame>>(delivery.what);
  absorb(frame.header().source());
  absorb(frame.header().sequence());
  if (frame.has_heartbeat_response()) {
    absorb(static_cast<std::uint64_t>(frame.heartbeat_response().error_code()));
    return;
  }
  absorb(frame.heartbeat_request().group_id());
  parked_.push_back(request_id_of(frame));
}

void ToyNode::act(Tick now) {
  absorb(static_cast<std::uint64_t>(now.value()));
  // Answers at once, or lets some requests wait for a later step.
  while (!parked_.empty() && (state_ + parked_.size()) % 3 != 0) {
    wire::Frame answer;
    answer.mutable_heartbeat_response()->set_error_code(static_cast<std::int32_t>(state_ & 0xffff));
    outbox_.respond(parked_.back(), std::move(answer));
    parked_.pop_back();
  }
  for (std::uint64_t i = 0; i < state_ % 3; ++i) {
    const std::string to(kToyNames[(state_ >> (8 + 2 * i)) % 4]);
    wire::Frame request;
    request.mutable_heartbeat_request()->set_group_id(std::to_string(state_ >> 16));
    outbox_.request(to, context_.name, std::move(request));
  }
  if (state_ % 4 == 1) {
    wire::StoredRow& row = rows_.emplace_back();
    row.set_topic("toy");
    row.set_base_offset(static_cast<std::int64_t>(state_ >> 40));
    row.set_batch(std::to_string(state_));
  }
  outbox_.report(events::make("toy.step", {{"low", std::to_string(state_ % 8)}}));
  wake_ = now + TickSpan(1 + static_cast<std::int64_t>((state_ >> 20) % 5));
  if ((state_ >> 24) % 61 == 0) exit_code_ = 3;
}

StepResult ToyNode::step(Tick now, std::span<const Delivery> inbox) {
  if (!started_) start();
  for (const Delivery& delivery : inbox) take(delivery);
  act(now);
  StepResult result;
  result.emissions = outbox_.take();
  result.rows = std::exchange(rows_, {});
  result.next_wake = wake_;
  result.exit_code = exit_code_;
  return result;
}

wire::Hello toy_hello(const std::string& name) {
  wire::Hello hello;
  hello.set_name(name);
  hello.set_role("probe");
  wire::Property* bootstrap = hello.add_properties();
  bootstrap->set_name("bootstrap.servers");
  bootstrap->set_value("A:19092");
  wire::Property* script = hello.add_properties();  // a probe has one; toys do not read it
  script->set_name("app.requests");
  script->set_value("[]");
  return hello;
}

NodeFactories toy_factories() {
  return {{"probe", [](NodeContext context) -> std::unique_ptr<Node> {
             return std::make_unique<ToyNode>(std::move(context));
           }}};
}

}  // namespace fencepost::test
