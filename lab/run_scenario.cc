#include "lab/run_scenario.h"

#include <spdlog/fmt/fmt.h>

#include <chrono>
#include <fstream>

#include "admin/admin_node.h"
#include "broker/core/broker_node.h"
#include "clock/core/journal.h"
#include "common/capture_file.h"
#include "common/host/in_process_host.h"
#include "common/properties_registry.h"
#include "consumer/consumer_node.h"
#include "lab/interruption.h"
#include "lab/runner.h"
#include "probe/probe_node.h"
#include "producer/producer_node.h"

namespace fencepost::lab {
namespace {

RunOutcome run_in_one_process(const wire::Plan& plan, const RunSettings& settings,
                              const RunDirectory& directory) {
  constexpr std::int64_t kRecordsBetween = 20'000;  // two reports of progress
  CaptureWriter capture(directory.capture().string());
  std::ofstream journal(directory.journal(), std::ios::trunc);
  journal << clock::journal_header(plan, "scenario.yaml");
  std::int64_t records = 0;
  Tick tick{0};
  InProcessHost host(
      plan, node_factories(),
      [&](const wire::CaptureRecord& record) {
        capture.append(record);
        if (record.has_tick()) tick = Tick(record.tick());
        if (++records % kRecordsBetween == 0 && settings.on_progress) settings.on_progress(tick);
      },
      [&](const wire::Decision& decision) {
        journal << clock::journal_line(decision, plan.tick_ms());
      });
  const Interruption interruption;
  const InProcessResult result = host.run([] { return Interruption::has_come(); });
  capture.flush();
  RunOutcome outcome;
  outcome.capture_sha256 = capture.sha256();
  outcome.disturbed = result.disturbed;
  outcome.interrupted = Interruption::has_come();
  outcome.failure = result.failure;
  outcome.last_tick = result.last_tick;
  return outcome;
}

RunOutcome run_in_processes(const wire::Plan& plan, const RunSettings& settings,
                            const RunDirectory& directory) {
  RunOptions options;
  options.binaries = directory_of_binaries();
  options.out = directory.path().string();
  options.pace = std::chrono::milliseconds(settings.pace_ms);
  options.on_clock = settings.on_clock;
  options.on_progress = settings.on_progress;
  if (settings.by_hand) {
    options.stop_at_breakpoints = true;
    options.watchdog = std::chrono::seconds(0);
  }
  const RunResult result = run_over_processes(plan, options);
  RunOutcome outcome;
  outcome.capture_sha256 = result.capture_sha256;
  outcome.disturbed = result.disturbed;
  outcome.interrupted = result.interrupted;
  outcome.failure = result.failure;
  outcome.unexpected_ends = result.unexpected_ends;
  outcome.supplies = result.supplies;
  outcome.last_tick = result.last_tick;
  return outcome;
}

}  // namespace

NodeFactories node_factories() {
  return {{"broker", broker::make_broker},
          {"consumer", make_consumer},
          {"producer", make_producer},
          {"probe", make_probe},
          {"admin", make_admin}};
}

std::vector<std::string> notices_of(const wire::Plan& plan) {
  std::vector<std::string> notices;
  for (const wire::ProcessSpec& spec : plan.processes()) {
    std::vector<std::string_view> ignored;
    for (const wire::Property& property : spec.properties()) {
      if (is_meaningless_property(property.name())) ignored.push_back(property.name());
    }
    if (ignored.empty()) continue;
    notices.push_back(fmt::format("{}: ignored, without a meaning here: {}", spec.name(),
                                  fmt::join(ignored, ", ")));
  }
  return notices;
}

RunOutcome run_plan(const wire::Plan& plan, const RunSettings& settings,
                    const RunDirectory& directory) {
  return settings.world == World::kInProcess ? run_in_one_process(plan, settings, directory)
                                             : run_in_processes(plan, settings, directory);
}

}  // namespace fencepost::lab
