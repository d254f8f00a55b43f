// The figures of DESIGN 10 that are about hosts, each as a ratio against a baseline of the same
// run:
//
//   speed_bench [--quick]
//
// Prints one line a figure, with the target and whether it is reached; exits with 1 if one is not.
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/bench/bare_barrier.h"
#include "tests/bench/ring_run.h"
#include "tests/bench/whole_runs.h"

namespace {
namespace fs = std::filesystem;

using namespace fencepost::bench;

struct Bench {
  std::string self;
  std::string clock;
  std::string fencepost;
  fs::path runs;           // where whole runs leave what they leave
  std::int64_t scale = 1;  // --quick divides the number of ticks by it
  bool all_reached = true;

  void report(const std::string& what, double ratio, double target, const std::string& figures) {
    const bool reached = ratio >= target;
    all_reached = all_reached && reached;
    fmt::print("{:<58} {:>8.2f}   target {:>6.2f}  {}   {}\n", what, ratio, target,
               reached ? "reached" : "MISSED ", figures);
    std::fflush(stdout);
  }
};

// The machine's speed drifts, so each figure is the median of pairs measured in turn.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void barrier(Bench& bench, int participants, std::int64_t ticks) {
  const BarrierSizes sizes = ring_message_sizes();
  std::vector<double> ratios;
  double ours = 0;
  double bare = 0;
  for (int round = 0; round < 3; ++round) {
    bare = bare_barrier_rate(participants, ticks / bench.scale, sizes);
    ours = process_rate(bench.self, bench.clock,
                        {.active = participants, .idle = 0, .ticks = ticks / bench.scale});
    ratios.push_back(ours / bare);
  }
  bench.report(fmt::format("process host / bare barrier, N = {}, all active", participants),
               median(ratios), 0.4, fmt::format("{:.0f} / {:.0f} ticks/s", ours, bare));
}

void idle_costs_nothing(Bench& bench) {
  const double all =
      process_rate(bench.self, bench.clock, {.active = 256, .idle = 0, .ticks = 200 / bench.scale});
  const double one = process_rate(bench.self, bench.clock,
                                  {.active = 1, .idle = 255, .ticks = 20000 / bench.scale});
  bench.report("N = 256: one active / all active", one / all, 100,
               fmt::format("{:.0f} / {:.0f} ticks/s", one, all));
}

void in_process(Bench& bench) {
  const RingSize size{.active = 16, .idle = 0, .ticks = 4000 / bench.scale};
  const double processes = process_rate(bench.self, bench.clock, size);
  const double inside = in_process_rate(size);
  bench.report("in-process host / process host, N = 16", inside / processes, 50,
               fmt::format("{:.0f} / {:.0f} ticks/s", inside, processes));
}

// The same scenario in both worlds, by the command, with everything that a run leaves.
void demos(Bench& bench) {
  const fs::path source(FENCEPOST_SOURCE_DIR);
  const std::string demo = source / "scenarios/demos/04-commit-after-crash-k2.yaml";
  const std::string out = bench.runs / "demo";
  const double seconds = run_command(bench.fencepost, {"run", demo, "--out", out}).seconds;
  bench.report("2 s / a demo over processes", 2 / seconds, 1, fmt::format("{:.2f} s", seconds));
  std::int64_t peak = 0;
  std::string figures;
  const WholeRun paced = run_command(bench.fencepost, {"run", demo, "--out", out, "--pace", "10"});
  for (const auto& [program, kib] : paced.peak_kib) {
    peak = std::max(peak, kib);
    figures += fmt::format("{} {} MB  ", program, kib / 1024);
  }
  bench.report("50 MB / the largest process of a demo", 50.0 * 1024 / static_cast<double>(peak), 1,
               figures);
}

void an_hour(Bench& bench) {
  const std::string hour = fs::path(FENCEPOST_SOURCE_DIR) / "tests/bench/hour.yaml";
  const std::string out = bench.runs / "hour";
  const double processes = run_command(bench.fencepost, {"run", hour, "--out", out}).seconds;
  const double inside =
      run_command(bench.fencepost, {"run", hour, "--in-process", "--out", out}).seconds;
  bench.report("30 s / an hour of ten consumers at Kafka's defaults", 30 / processes, 1,
               fmt::format("{:.1f} s; in process {:.1f} s", processes, inside));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 5 && arguments[0] == "participant") {
    return participant_main(
        arguments[1], arguments[2],
        {.active = std::stoi(arguments[3]), .idle = 0, .ticks = std::stoll(arguments[4])});
  }
  Bench bench;
  bench.self = fs::read_symlink("/proc/self/exe");
  bench.clock = fs::path(bench.self).parent_path() / "clock";
  bench.fencepost = fs::path(bench.self).parent_path() / "fencepost";
  bench.runs = fs::temp_directory_path() / fmt::format("fencepost-bench-runs-{}", getpid());
  if (arguments == std::vector<std::string>{"--quick"}) bench.scale = 10;
  try {
    barrier(bench, 4, 8000);
    barrier(bench, 16, 3000);
    barrier(bench, 64, 800);
    idle_costs_nothing(bench);
    in_process(bench);
    fs::create_directories(bench.runs);
    demos(bench);
    if (bench.scale == 1) an_hour(bench);
    fs::remove_all(bench.runs);
  } catch (const std::exception& error) {
    fmt::print(stderr, "speed_bench: {}\n", error.what());
    return 2;
  }
  return bench.all_reached ? 0 : 1;
}
