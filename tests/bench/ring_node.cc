#include "tests/bench/ring_node.h"

#include <spdlog/fmt/fmt.h>

namespace fencepost::bench {
namespace {

class RingNode : public Node {
 public:
  RingNode(NodeContext context, int ring)
      : name_(context.name), active_(name_.starts_with('n')), outbox_(name_, context.incarnation) {
    const int next = active_ ? (std::stoi(name_.substr(1)) + 1) % ring : 0;
    if (ring > 1) successor_ = active_name(next);
  }

  StepResult step(Tick now, std::span<const Delivery> inbox) override {
    for (const Delivery& delivery : inbox) {
      const auto* frame = std::get_if<std::shared_ptr<const wire::Frame>>(&delivery.what);
      if (frame == nullptr || !(*frame)->has_heartbeat_request()) continue;
      wire::Frame answer;
      answer.mutable_heartbeat_response()->set_error_code(0);
      outbox_.respond(request_id_of(**frame), std::move(answer));
    }
    StepResult result;
    if (active_) {
      result.next_wake = now + TickSpan(1);
      if (!successor_.empty()) ask();
    }
    result.emissions = outbox_.take();
    return result;
  }

 private:
  void ask() {
    wire::Frame request;
    wire::HeartbeatRequest* heartbeat = request.mutable_heartbeat_request();
    heartbeat->set_group_id("billing");
    heartbeat->set_generation_id(2);
    heartbeat->set_member_id("C1-00000000-0000-4000-8000-000000000000");
    outbox_.request(successor_, name_, std::move(request));
  }

  std::string name_;
  bool active_;
  std::string successor_;
  Outbox outbox_;
};

}  // namespace

std::string active_name(int index) { return fmt::format("n{:03}", index); }
std::string idle_name(int index) { return fmt::format("i{:03}", index); }

std::unique_ptr<Node> make_ring_node(NodeContext context, int ring) {
  return std::make_unique<RingNode>(std::move(context), ring);
}

}  // namespace fencepost::bench
