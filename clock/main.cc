// The clock: time, network conditions and capture of one run.
#include <spdlog/fmt/fmt.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <string>

#include "clock/service.h"
#include "common/host/process_log.h"
#include "proto/plan.pb.h"

namespace {

using namespace fencepost;

constexpr int kExitUnusable = 2;

struct CommandLine {
  std::string plan_file;
  std::string listen = "127.0.0.1:0";
  std::string out = ".";
  std::string port_file;
  std::string log_level = "info";
  std::int64_t pace_ms = 0;
  std::int64_t watchdog_seconds = 60;
};

void declare(CLI::App& app, CommandLine& line) {
  app.add_option(
      "--plan", line.plan_file,
      "the compiled scenario, as a run leaves it (plan.bin); without one the clock takes\n"
      "whoever comes, until it is ended with SIGTERM");
  app.add_option("--listen", line.listen, "host:port; port 0 is any free one")
      ->capture_default_str();
  app.add_option("--out", line.out, "directory for capture.bin and journal.yaml")
      ->capture_default_str();
  app.add_option("--pace", line.pace_ms, "wall milliseconds a tick; 0: as fast as it can")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{86'400'000}))
      ->capture_default_str();
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
      "started with --clock HOST:PORT. Mostly `fencepost run` starts it.\n");
}

wire::Plan load_plan(const std::string& path) {
  wire::Plan plan;
  if (path.empty()) {
    plan.set_name("by hand");
    plan.set_run_id("by-hand");
    return plan;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  if (!plan.ParseFromIstream(&file)) throw std::runtime_error(path + " is not a compiled scenario");
  return plan;
}

void write_port(const std::string& path, const std::string& address) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::trunc);
  file << address.substr(address.rfind(':') + 1) << '\n' << std::flush;
  if (!file) throw std::runtime_error("cannot write " + path);
}

int run_clock(const CommandLine& line) {
  ProcessLog log("clock", line.log_level);
  clock::ServiceOptions options;
  options.out_directory = line.out;
  options.a_tick = std::chrono::milliseconds(line.pace_ms);
  options.watchdog = std::chrono::seconds(line.watchdog_seconds);
  clock::ClockService service(load_plan(line.plan_file), options, log);
  const std::string address = service.listen(line.listen);
  write_port(line.port_file, address);
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
