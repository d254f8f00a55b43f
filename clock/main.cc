// The clock: time, network conditions and capture of one run.
#include <spdlog/fmt/fmt.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <string>

#include "clock/service.h"
#include "clock/standalone.h"
#include "common/host/doorway.h"
#include "common/host/process_log.h"
#include "proto/plan.pb.h"

namespace {

using namespace fencepost;

constexpr int kExitUnusable = 2;

struct CommandLine {
  std::string plan_file;
  clock::Standalone standalone;
  std::string listen = "127.0.0.1:0";
  std::string out;
  std::string port_file;
  std::string log_level = "info";
  std::int64_t pace_ms = 0;
  std::int64_t watchdog_seconds = 60;
  std::int64_t grace_ms = 0;
  bool stop_at_breakpoints = false;
};

void declare_plan(CLI::App& app, CommandLine& line) {
  CLI::Option* plan = app.add_option("--plan", line.plan_file,
                                     "the compiled scenario, as a run leaves it (plan.bin)");
  CLI::Option_group* alone = app.add_option_group(
      "Without a plan", "the clock takes whoever comes, until it is ended with SIGTERM");
  alone->add_option("--expect", line.standalone.expect, "B1,C1,...: tick 0 waits for these")
      ->delimiter(',');
  alone->add_option("--name", line.standalone.name, "of the run, for its capture")
      ->capture_default_str();
  alone->add_option("--seed", line.standalone.seed, "of all randomness")->capture_default_str();
  alone->add_option("--tick-ms", line.standalone.tick_ms, "virtual milliseconds of a tick")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{3'600'000}))
      ->capture_default_str();
  alone
      ->add_option("--topics", line.standalone.topics,
                   "orders:3,...: so that packets can call a partition o2")
      ->delimiter(',');
  alone
      ->add_option("--grace", line.grace_ms,
                   "milliseconds after which a process of another host or container that owes a\n"
                   "step counts as stopped, until it speaks; 0: it is waited for")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{86'400'000}))
      ->capture_default_str();
  alone->excludes(plan);
}

void declare(CLI::App& app, CommandLine& line) {
  declare_plan(app, line);
  app.add_option("--listen", line.listen, "host:port; port 0 is any free one")
      ->capture_default_str();
  app.add_option("--out", line.out,
                 "directory for capture.bin and journal.yaml (default: runs/NAME)");
  app.add_option("--pace", line.pace_ms, "wall milliseconds a tick; 0: as fast as it can")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{86'400'000}))
      ->capture_default_str();
  app.add_flag("--stop-at-breakpoints", line.stop_at_breakpoints,
               "a `pause` of the scenario waits for `fencepost go` or `step`");
  app.add_option("--port-file", line.port_file, "write the port to this file, once it listens");
  app.add_option("--watchdog", line.watchdog_seconds,
                 "give the run up when one tick waits so many seconds for somebody; 0: never")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{86'400}))
      ->capture_default_str();
  app.add_option("--log-level", line.log_level, "debug, info, warn, error or off")
      ->check([](const std::string& level) {
        return is_log_level(level) ? std::string() : "unknown level \"" + level + "\"";
      })
      ->capture_default_str();
  app.footer(
      "Prints \"listening on HOST:PORT\" and serves brokers, consumers and producers that are\n"
      "started with --clock HOST:PORT. Mostly `fencepost run` or `fencepost up` starts it.\n"
      "What it leaves in --out, `fencepost replay` repeats.\n\n"
      "Example:\n"
      "  clock --listen 127.0.0.1:19000 --out runs/mine --pace 250 --expect B1,C1\n");
}

wire::Plan load_plan(const std::string& path) {
  wire::Plan plan;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  if (!plan.ParseFromIstream(&file)) throw std::runtime_error(path + " is not a compiled scenario");
  return plan;
}

// The plan of a clock that nobody runs, which finds its directory itself.
wire::Plan prepare_plan(CommandLine& line, ProcessLog& log) {
  wire::Plan plan = clock::plan_of(line.standalone);
  if (line.out.empty()) line.out = "runs/" + line.standalone.name;
  const std::string kept = clock::make_room(line.out, plan);
  if (!kept.empty()) log->info("{} held a run; it is kept as {}", line.out, kept);
  return plan;
}

void write_port(const std::string& path, const std::string& address) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::trunc);
  file << address.substr(address.rfind(':') + 1) << '\n' << std::flush;
  if (!file) throw std::runtime_error("cannot write " + path);
}

// Where `fencepost ps` and the like look for it: the run's directory, as for a run with a runner.
// Who listens everywhere is called here.
void write_address(const std::string& directory, const std::string& address) {
  constexpr std::string_view kEverywhere = "0.0.0.0:";
  std::ofstream file(directory + "/clock.address", std::ios::trunc);
  file << (address.starts_with(kEverywhere) ? "127.0.0.1:" + address.substr(kEverywhere.size())
                                            : address)
       << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + directory + "/clock.address");
}

int run_clock(CommandLine line) {
  ProcessLog log("clock", line.log_level);
  wire::Plan plan = line.plan_file.empty() ? prepare_plan(line, log) : load_plan(line.plan_file);
  clock::ServiceOptions options;
  options.out_directory = line.out.empty() ? "." : line.out;
  options.a_tick = std::chrono::milliseconds(line.pace_ms);
  options.watchdog = std::chrono::seconds(line.watchdog_seconds);
  options.stop_at_breakpoints = line.stop_at_breakpoints;
  if (line.grace_ms > 0) options.grace = std::chrono::milliseconds(line.grace_ms);
  raise_file_limit();
  clock::ClockService service(std::move(plan), options, log);
  const std::string address = service.listen(line.listen);
  write_port(line.port_file, address);
  if (line.plan_file.empty()) write_address(options.out_directory, address);
  fmt::print("listening on {}\n", address);
  std::fflush(stdout);
  return service.run() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  CLI::App app{"The clock of a Fencepost run: virtual time, delivery of frames, capture.", "clock"};
  declare(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUnusable;
  }
  try {
    return run_clock(line);
  } catch (const std::exception& error) {
    fmt::print(stderr, "clock: {}\n", error.what());
    return kExitUnusable;
  }
}
