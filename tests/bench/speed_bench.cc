// The figures of DESIGN 10 that are about hosts, each as a ratio against a baseline of the same
// run:
//
//   speed_bench [--quick]
//
// Prints one line a figure, with the target and whether it is reached; exits with 1 if one is not.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/bench/bare_barrier.h"
#include "tests/bench/ring_run.h"

namespace {

using namespace fencepost::bench;

struct Bench {
  std::string self;
  std::string clock;
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

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 5 && arguments[0] == "participant") {
    return participant_main(
        arguments[1], arguments[2],
        {.active = std::stoi(arguments[3]), .idle = 0, .ticks = std::stoll(arguments[4])});
  }
  Bench bench;
  bench.self = std::filesystem::read_symlink("/proc/self/exe");
  bench.clock = std::filesystem::path(bench.self).parent_path() / "clock";
  if (arguments == std::vector<std::string>{"--quick"}) bench.scale = 10;
  try {
    barrier(bench, 4, 8000);
    barrier(bench, 16, 3000);
    barrier(bench, 64, 800);
    idle_costs_nothing(bench);
    in_process(bench);
  } catch (const std::exception& error) {
    fmt::print(stderr, "speed_bench: {}\n", error.what());
    return 2;
  }
  return bench.all_reached ? 0 : 1;
}
