// An administrator inside of a finished run.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <stdexcept>

#include "admin/admin_node.h"
#include "common/events.h"
#include "common/host/in_process_host.h"
#include "lab/admin_frames.h"
#include "lab/admin_session.h"
#include "lab/history.h"
#include "lab/run_scenario.h"

namespace fencepost::lab {
namespace {

constexpr const char* kName = "admin";
constexpr int kVirtualPort = 19092;  // as scenarios have it
constexpr int kStepsMax = 100'000;

std::string brokers_of(const wire::Plan& plan) {
  std::vector<std::string> servers;
  for (const wire::ProcessSpec& process : plan.processes()) {
    if (process.role() != "broker") continue;
    servers.push_back(fmt::format("{}:{}", process.name(), kVirtualPort));
  }
  return fmt::format("{}", fmt::join(servers, ","));
}

// Steps the administrator and whoever it asks, in turn, with a network that takes no time.
class Conversation {
 public:
  Conversation(InProcessHost& host, Node& admin, AdminSession& session)
      : host_(host), admin_(admin), session_(session), frames_(kName, session.facts) {}

  void run(Tick now);

 private:
  void take(wire::Emission& emission, Tick now);
  void ask(std::shared_ptr<const wire::Frame> request, Tick now);

  InProcessHost& host_;
  Node& admin_;
  AdminSession& session_;
  AdminFrames frames_;
  std::vector<Delivery> answers_;
};

void Conversation::run(Tick now) {
  for (int steps = 0; steps < kStepsMax; ++steps) {
    const std::vector<Delivery> inbox = std::move(answers_);
    answers_.clear();
    StepResult result = admin_.step(now, inbox);
    for (wire::Emission& emission : result.emissions) take(emission, now);
    if (result.exit_code) {
      session_.done = *result.exit_code == 0;
      return;
    }
    if (!answers_.empty()) continue;
    if (!result.next_wake) break;
    now = std::max(now, *result.next_wake);
  }
  session_.problem = "there is no answer";
}

void Conversation::take(wire::Emission& emission, Tick now) {
  if (emission.has_event() && emission.event().name() == events::kClientError) {
    session_.error = emission.event();
  }
  if (!emission.has_frame()) return;
  frames_.add(emission.frame());
  ask(std::make_shared<const wire::Frame>(std::move(*emission.mutable_frame())), now);
}

// What else a broker does in such a step is of no consequence: the run is over.
void Conversation::ask(std::shared_ptr<const wire::Frame> request, Tick now) {
  Node* const broker = host_.node(request->header().destination());
  if (broker == nullptr) {
    wire::Disconnected refused;
    refused.set_peer(request->header().destination());
    refused.add_correlation_ids(request->header().correlation_id());
    answers_.push_back({now, refused});
    return;
  }
  const std::vector<Delivery> inbox = {{now, std::move(request)}};
  StepResult result = broker->step(now, inbox);
  for (wire::Emission& emission : result.emissions) {
    if (!emission.has_frame() || emission.frame().header().destination() != kName) continue;
    frames_.add(emission.frame());
    answers_.push_back(
        {now, std::make_shared<const wire::Frame>(std::move(*emission.mutable_frame()))});
  }
}

NodeContext context_of(const wire::Plan& plan, const PropertyList& properties) {
  NodeContext context;
  context.name = kName;
  context.incarnation = Incarnation(1);
  context.tick_ms = TickLength(plan.tick_ms());
  context.properties = Properties(Role::kAdmin);
  context.properties.set("bootstrap.servers", brokers_of(plan), "the run");
  for (const auto& [name, value] : properties) context.properties.set(name, value, "-X");
  context.properties.validate();
  return context;
}

}  // namespace

AdminSession ask_past(wire::Plan plan, std::optional<Tick> at, const PropertyList& properties) {
  AdminSession session;
  GroupStates states;
  const std::unique_ptr<Node> admin = make_admin(context_of(plan, properties));
  bool has_tick = true;
  if (at) {
    has_tick = !plan.until().has_tick() || *at <= Tick(plan.until().tick());
    if (has_tick) plan.mutable_until()->set_tick(at->value());
  }
  Tick tick{0};
  InProcessHost host(plan, node_factories(), [&](const wire::CaptureRecord& record) {
    if (record.has_tick()) tick = Tick(record.tick());
    states.add(tick, record);
  });
  const InProcessResult result = host.run();
  if (result.failure) throw std::runtime_error("the run cannot be repeated: " + *result.failure);
  // Where nothing is due any more, the ticks up to `until` are empty.
  const bool cut_short = result.reason == kEndedByEvent || result.reason == "end";
  if (at && result.last_tick < *at && (!has_tick || cut_short)) {
    throw std::runtime_error(fmt::format("the run has no tick {}: its last one is {}", at->value(),
                                         result.last_tick.value()));
  }
  session.tick = result.last_tick;
  Conversation(host, *admin, session).run(result.last_tick);
  session.standings = states.groups();
  return session;
}

}  // namespace fencepost::lab
