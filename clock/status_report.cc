#include "clock/status_report.h"

#include <map>
#include <string>

namespace fencepost::clock {
namespace {

wire::ProcessStatus::State state_of(const Participant& participant) {
  if (participant.frozen || participant.fact_stopped) return wire::ProcessStatus::STOPPED;
  if (participant.closing || participant.fact_closing) return wire::ProcessStatus::CLOSING;
  return wire::ProcessStatus::RUNNING;
}

void describe_hello(const wire::Hello& hello, wire::ProcessStatus& process) {
  process.set_role(hello.role());
  process.set_pid(hello.pid());
  if (hello.has_listen_address()) process.set_listen_address(hello.listen_address());
}

}  // namespace

void describe_processes(const wire::Plan& plan, const ClockCore& core, const Sessions& sessions,
                        wire::Status& status) {
  std::map<std::string, wire::ProcessStatus> processes;
  for (const wire::ProcessSpec& spec : plan.processes()) {
    processes[spec.name()].set_role(spec.role());
    processes[spec.name()].set_state(wire::ProcessStatus::GONE);
  }
  for (const std::string& name : plan.expect_names()) {
    processes[name].set_state(wire::ProcessStatus::GONE);
  }
  for (const auto& [name, incarnation] : core.incarnations()) {
    processes[name].set_state(wire::ProcessStatus::GONE);
    processes[name].set_incarnation(incarnation);
  }
  for (const wire::Hello* hello : sessions.waiting()) {
    wire::ProcessStatus& process = processes[hello->name()];
    process.set_state(wire::ProcessStatus::WAITING);
    describe_hello(*hello, process);
  }
  for (const auto& [name, participant] : core.participants()) {
    wire::ProcessStatus& process = processes[name];
    process.set_state(state_of(participant));
    describe_hello(participant.hello, process);
  }
  for (auto& [name, process] : processes) {
    process.set_name(name);
    *status.add_processes() = std::move(process);
  }
}

}  // namespace fencepost::clock
