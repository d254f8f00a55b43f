#include "broker/core/broker_node.h"

#include <utility>

#include "broker/core/broker_core.h"
#include "common/check.h"
#include "common/outbox.h"

namespace fencepost::broker {
namespace {

// More timers due within one step than this mean a timer that arms itself for now, for ever.
constexpr int kMaxTimersPerStep = 1'000'000;

wire::Cause cause_of_start(Tick now) {
  wire::Cause cause;
  cause.set_kind(wire::Cause::START);
  cause.set_tick(now.value());
  return cause;
}

wire::Cause cause_of(const wire::Frame& frame, Tick now) {
  wire::Cause cause;
  cause.set_kind(wire::Cause::FRAME);
  cause.set_source(frame.header().source());
  cause.set_incarnation(frame.header().source_incarnation());
  cause.set_sequence(frame.header().sequence());
  cause.set_tick(now.value());
  return cause;
}

bool closes(const Delivery& delivery) {
  const auto* const control = std::get_if<wire::Control>(&delivery.what);
  return control != nullptr && control->kind() == wire::Control::CLOSE;
}

class BrokerNode : public Node {
 public:
  explicit BrokerNode(const NodeContext& context)
      : outbox_(context.name, context.incarnation), core_(config_from(context)) {
    for (const wire::StoredRow& row : context.stored) core_.apply(row);
  }

  StepResult step(Tick now, std::span<const Delivery> inbox) override {
    CHECK(!ended_, "a step after the end");
    StepResult result;
    if (!started_) start(now, result);
    // A broker has nothing to hand over: SIGTERM ends it at once. What it has answered is durable.
    ended_ = std::ranges::any_of(inbox, closes);
    if (ended_) {
      result.exit_code = 0;
    } else {
      run_timers(now, result);
      for (const Delivery& delivery : inbox) deliver(delivery, now, result);
      run_timers(now, result);
      result.next_wake = core_.next_deadline();
    }
    result.emissions = outbox_.take();
    result.obsolete = core_.take_obsolete();
    return result;
  }

 private:
  void start(Tick now, StepResult& result) {
    started_ = true;
    const wire::Cause cause = cause_of_start(now);
    outbox_.set_cause(cause);
    perform(core_.start(now, cause), result);
  }

  void run_timers(Tick now, StepResult& result) {
    for (int fired = 0; std::optional<BrokerCore::Expired> expired = core_.advance(now); ++fired) {
      CHECK(fired < kMaxTimersPerStep, "timers at tick {}", now.value());
      outbox_.set_cause(std::move(expired->cause));
      perform(std::move(expired->effects), result);
    }
  }

  // Controls other than CLOSE mean nothing to a broker, nor does a client's end: what is parked for
  // it runs into its deadline, as in Kafka.
  void deliver(const Delivery& delivery, Tick now, StepResult& result) {
    const auto* const frame = std::get_if<std::shared_ptr<const wire::Frame>>(&delivery.what);
    if (frame == nullptr) return;
    const wire::Cause cause = cause_of(**frame, now);
    outbox_.set_cause(cause);
    perform(core_.handle(**frame, now, cause), result);
  }

  void perform(std::vector<Effect> effects, StepResult& result) {
    for (Effect& effect : effects) {
      if (auto* const respond = std::get_if<Respond>(&effect)) {
        outbox_.respond(respond->to, std::move(respond->response));
      } else if (auto* const append = std::get_if<Append>(&effect)) {
        result.rows.push_back(std::move(append->row));
      } else if (auto* const send = std::get_if<Send>(&effect)) {
        outbox_.request(send->to, "", std::move(send->request));
      } else {
        outbox_.report(std::move(std::get<Report>(effect).event));
      }
    }
  }

  Outbox outbox_;
  BrokerCore core_;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Node> make_broker(NodeContext context) {
  return std::make_unique<BrokerNode>(context);
}

}  // namespace fencepost::broker
