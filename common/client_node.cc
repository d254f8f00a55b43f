#include "common/client_node.h"

#include "common/check.h"
#include "common/events.h"

namespace fencepost {
namespace {

// More rounds of timers that are set for the very tick in which they are set mean a program that
// spins.
constexpr int kTimerRoundsPerStepMax = 100'000;

}  // namespace

Client::Client(const NodeContext& context, Outbox& outbox, VirtualTime& time)
    : context_(context),
      outbox_(outbox),
      time_(time),
      client_id_(context.properties.get("client.id")) {
  if (client_id_.empty()) client_id_ = context.name;
}

TickSpan Client::ticks(std::string_view property) const {
  return ticks_of_ms(context_.properties.get_int(property), context_.tick_ms);
}

Task<Result<Answer>> Client::call(std::string destination, wire::Frame request, TickSpan timeout,
                                  const std::string* client_id) {
  const std::string& sender = client_id != nullptr ? *client_id : client_id_;
  const std::int32_t id = outbox_.request(destination, sender, std::move(request));
  const WaitId wait = time_.new_wait();
  calls_[id].wait = wait;
  const std::optional<Deadline> deadline = Deadline{now() + timeout, "request.timeout.ms"};
  co_await time_.suspend(wait, deadline);
  auto call = calls_.extract(id);
  CHECK(!call.empty(), "call {} has vanished", id);
  co_return std::move(call.mapped().outcome);
}

void Client::send(const std::string& destination, wire::Frame request,
                  const std::string* client_id) {
  outbox_.request(destination, client_id != nullptr ? *client_id : client_id_, std::move(request));
}

void Client::report_error(const ClientError& error, std::string_view where) {
  report(events::make(events::kClientError, {{"error", std::string(name_of(error.code))},
                                             {"exception", std::string(error.exception)},
                                             {"where", std::string(where)}}));
}

void Client::complete(const Answer& response) {
  const auto call = calls_.find(response->header().correlation_id());
  if (call == calls_.end()) return;  // too late: it was given up
  call->second.outcome = response;
  time_.wake(call->second.wait);
}

void Client::fail(const wire::Disconnected& disconnected) {
  for (const std::int32_t id : disconnected.correlation_ids()) {
    const auto call = calls_.find(id);
    if (call == calls_.end()) continue;
    call->second.outcome = ErrorCode::kNetworkException;
    time_.wake(call->second.wait);
  }
}

ClientNode::ClientNode(NodeContext context, MakeProgram make_program)
    : context_(std::move(context)),
      outbox_(context_.name, context_.incarnation),
      time_(outbox_),
      client_(context_, outbox_, time_),
      program_(make_program(client_)) {}

// The coroutines' frames refer to the program and the client, so they go first.
ClientNode::~ClientNode() { time_.abandon(); }

StepResult ClientNode::step(Tick now, std::span<const Delivery> inbox) {
  CHECK(!exit_code_, "{} is stepped after its end", context_.name);
  time_.set_now(now);
  if (!started_) start();
  std::size_t next = 0;
  while (next < inbox.size() && std::holds_alternative<wire::Control>(inbox[next].what)) {
    if (!exit_code_) deliver(inbox[next]);
    ++next;
  }
  if (!exit_code_) time_.fire_due();
  for (; next < inbox.size() && !exit_code_; ++next) deliver(inbox[next]);
  fire_what_is_due_by_now();
  StepResult result;
  result.emissions = outbox_.take();
  result.exit_code = exit_code_;
  if (!exit_code_) result.next_wake = time_.next_due();
  return result;
}

void ClientNode::fire_what_is_due_by_now() {
  for (int rounds = 0; !exit_code_ && time_.fire_due(); ++rounds) {
    CHECK(rounds < kTimerRoundsPerStepMax, "{} spins within tick {}", context_.name,
          time_.now().value());
  }
}

void ClientNode::start() {
  started_ = true;
  wire::Cause cause;
  cause.set_kind(wire::Cause::START);
  cause.set_tick(time_.now().value());
  outbox_.set_cause(std::move(cause));
  time_.spawn(run_program());
  time_.run();
}

Task<void> ClientNode::run_program() { exit_code_ = co_await program_->main(); }

void ClientNode::deliver(const Delivery& delivery) {
  if (const auto* frame = std::get_if<Answer>(&delivery.what)) {
    deliver_frame(*frame);
  } else if (const auto* control = std::get_if<wire::Control>(&delivery.what)) {
    deliver_control(*control);
  } else {
    deliver_disconnected(std::get<wire::Disconnected>(delivery.what));
  }
  time_.run();
}

void ClientNode::deliver_control(const wire::Control& control) {
  wire::Cause cause;
  cause.set_kind(control.kind() == wire::Control::CLOSE ? wire::Cause::CLOSE
                                                        : wire::Cause::COMMAND);
  cause.set_tick(time_.now().value());
  outbox_.set_cause(std::move(cause));
  program_->control(control);
}

void ClientNode::deliver_frame(const Answer& frame) {
  const wire::Header& header = frame->header();
  wire::Cause cause;
  cause.set_kind(wire::Cause::FRAME);
  cause.set_source(header.source());
  cause.set_incarnation(header.source_incarnation());
  cause.set_sequence(header.sequence());
  cause.set_tick(time_.now().value());
  outbox_.set_cause(std::move(cause));
  client_.complete(frame);
}

void ClientNode::deliver_disconnected(const wire::Disconnected& disconnected) {
  wire::Cause cause;
  cause.set_kind(wire::Cause::DISCONNECTED);
  cause.set_source(disconnected.peer());
  cause.set_incarnation(disconnected.peer_incarnation());
  cause.set_tick(time_.now().value());
  outbox_.set_cause(std::move(cause));
  client_.fail(disconnected);
}

}  // namespace fencepost
