#include "tests/bench/ring_run.h"

#include <spdlog/fmt/fmt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "common/host/in_process_host.h"
#include "common/host/process_host.h"
#include "tests/bench/ring_node.h"

namespace fencepost::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Set once at start-up: a NodeFactory is a plain function and cannot carry it.
RingSize the_size;

// Measures the first node of the ring.
class Stopwatch : public Node {
 public:
  explicit Stopwatch(std::unique_ptr<Node> node) : node_(std::move(node)) {}
  StepResult step(Tick now, std::span<const Delivery> inbox) override {
    if (now.value() == kWarmUpTicks) begin_ = SteadyClock::now();
    if (now.value() == kWarmUpTicks + the_size.ticks) {
      const std::chrono::duration<double> spent = SteadyClock::now() - begin_;
      fmt::print("{:.3f}\n", static_cast<double>(the_size.ticks) / spent.count());
      std::fflush(stdout);
    }
    return node_->step(now, inbox);
  }

 private:
  std::unique_ptr<Node> node_;
  SteadyClock::time_point begin_;
};

std::unique_ptr<Node> make_participant(NodeContext context) {
  const bool first = context.name == active_name(0);
  std::unique_ptr<Node> node = make_ring_node(std::move(context), the_size.active);
  if (first) return std::make_unique<Stopwatch>(std::move(node));
  return node;
}

std::vector<std::string> names_of(const RingSize& size) {
  std::vector<std::string> names;
  for (int i = 0; i < size.active; ++i) names.push_back(active_name(i));
  for (int i = 0; i < size.idle; ++i) names.push_back(idle_name(i));
  return names;
}

wire::Plan plan_of(const RingSize& size) {
  wire::Plan plan;
  plan.set_name("ring");
  plan.set_run_id("ring");
  plan.mutable_until()->set_tick(kWarmUpTicks + size.ticks + 1);
  for (const std::string& name : names_of(size)) plan.add_expect_names(name);
  return plan;
}

Properties participant_properties() {
  Properties properties(Role::kProbe);
  properties.set("bootstrap.servers", "n000:19092", "bench");
  return properties;
}

pid_t spawn(const std::vector<std::string>& arguments, int output) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child > 0) return child;
  dup2(output, STDOUT_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

std::string wait_for_port(const std::filesystem::path& file) {
  std::string port;
  while (!(std::ifstream(file) >> port)) usleep(2000);
  return port;
}

}  // namespace

int participant_main(const std::string& name, const std::string& clock_address,
                     const RingSize& size) {
  the_size = size;
  ProcessLog log(name, "error");
  ProcessOptions options;
  options.name = name;
  options.clock_address = clock_address;
  if (name.starts_with('n')) options.listen_address = "127.0.0.1:0";
  options.connect_timeout = std::chrono::milliseconds(60000);
  options.properties = participant_properties();
  ProcessHost host(std::move(options), make_participant, log);
  return host.run();
}

double process_rate(const std::string& self, const std::string& clock_binary,
                    const RingSize& size) {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / fmt::format("fencepost-bench-{}", getpid());
  std::filesystem::create_directories(directory);
  const std::string plan_file = directory / "plan.bin";
  std::ofstream(plan_file, std::ios::binary) << plan_of(size).SerializeAsString();
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) throw std::runtime_error("pipe");
  const std::string port_file = directory / "port";
  std::vector<pid_t> children{spawn({clock_binary, "--plan", plan_file, "--out", directory,
                                     "--port-file", port_file, "--log-level", "error"},
                                    STDERR_FILENO)};
  const std::string address = "127.0.0.1:" + wait_for_port(port_file);
  for (const std::string& name : names_of(size)) {
    children.push_back(spawn({self, "participant", name, address, std::to_string(size.active),
                              std::to_string(size.ticks)},
                             pipe_ends[1]));
  }
  close(pipe_ends[1]);
  std::string output(64, '\0');
  const ssize_t bytes = read(pipe_ends[0], output.data(), output.size());
  close(pipe_ends[0]);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  std::filesystem::remove_all(directory);
  if (bytes <= 0) throw std::runtime_error("the ring ended without a result");
  return std::stod(output);
}

double in_process_rate(const RingSize& size) {
  wire::Plan plan = plan_of(size);
  plan.clear_expect_names();
  wire::Rule& rule = *plan.add_rules();
  rule.set_at_tick(0);
  rule.add_actions()->set_kind(wire::Action::START);
  for (const std::string& name : names_of(size)) {
    rule.mutable_actions(0)->add_processes(name);
    wire::ProcessSpec& spec = *plan.add_processes();
    spec.set_name(name);
    spec.set_role("probe");
    wire::Property& bootstrap = *spec.add_properties();
    bootstrap.set_name("bootstrap.servers");
    bootstrap.set_value("n000:19092");
  }
  const NodeFactories factories{{"probe", [&](NodeContext context) {
                                   return make_ring_node(std::move(context), size.active);
                                 }}};
  std::size_t bytes = 0;  // the capture is serialized here as well
  InProcessHost host(plan, factories, [&](const wire::CaptureRecord& record) {
    bytes += record.SerializeAsString().size();
  });
  const auto begin = SteadyClock::now();
  host.run();
  const std::chrono::duration<double> spent = SteadyClock::now() - begin;
  return bytes == 0 ? 0 : static_cast<double>(size.ticks + kWarmUpTicks) / spent.count();
}

BarrierSizes ring_message_sizes() {
  NodeContext context{.name = active_name(0),
                      .incarnation = Incarnation(1),
                      .properties = participant_properties(),
                      .stored = {}};
  const std::unique_ptr<Node> node = make_ring_node(std::move(context), 2);
  StepResult asked = node->step(Tick(0), {});
  const Delivery request{Tick(1), std::make_shared<const wire::Frame>(asked.emissions[0].frame())};
  StepResult both = node->step(Tick(1), {&request, 1});
  constexpr std::size_t kLength = 4;
  BarrierSizes sizes{};
  wire::ClockMessage done;
  done.mutable_done()->set_tick(1000);
  done.mutable_done()->set_next_wake_tick(1001);
  wire::ClockMessage grant;
  grant.mutable_grant()->set_tick(1000);
  for (const wire::Emission& emission : both.emissions) {
    *done.mutable_done()->add_emissions() = emission;
    wire::PeerMessage message;
    *message.mutable_frame() = emission.frame();
    (emission.frame().has_heartbeat_request() ? sizes.request : sizes.answer) =
        message.ByteSizeLong() + kLength;
    wire::DeliveryRef* item = grant.mutable_grant()->add_deliver();
    item->set_arrival_tick(1000);
    item->mutable_frame()->set_source(active_name(1));
    item->mutable_frame()->set_incarnation(1);
    item->mutable_frame()->set_sequence(1000);
  }
  sizes.grant = grant.ByteSizeLong() + kLength;
  sizes.done = done.ByteSizeLong() + kLength;
  return sizes;
}

}  // namespace fencepost::bench
