#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "broker/core/group_state.h"
#include "lab/capture_feed.h"
#include "lab/clock_client.h"
#include "lab/commands/command.h"
#include "lab/commands/operator.h"
#include "lab/group_states.h"
#include "lab/live_watch.h"
#include "lab/node_reader.h"
#include "lab/packets/printable.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMaxTimeoutSeconds = 86'400;

struct StatusArguments {
  ClusterChoice cluster;
  std::string wait;
  std::string group;
  std::optional<std::int64_t> members;
  std::optional<std::int64_t> generation;
  std::string process;
  double timeout_seconds = 60;
};

// Follows the groups of a cluster by its capture.
class GroupWatch {
 public:
  explicit GroupWatch(const std::string& address) : clock_(address) {
    wire::Command command;
    command.set_kind(wire::Command::WATCH);
    clock_.send(command);
  }

  // Until nothing newer is known. False: not in time, or the run has ended.
  bool catch_up(Clock::time_point deadline) {
    wire::ClockMessage message;
    while (Clock::now() < deadline) {
      const auto left = deadline - Clock::now();
      const auto heard =
          clock_.receive(message, std::chrono::duration_cast<std::chrono::milliseconds>(left));
      if (heard == ClockClient::Heard::kEnd) ended_ = true;
      if (heard != ClockClient::Heard::kMessage) return false;
      if (message.has_refused())
        throw ClockError("the clock refuses: " + message.refused().reason());
      feed_.add(message.chunk().bytes(), [this](Tick tick, const wire::CaptureRecord& record) {
        states_.add(tick, record);
      });
      if (message.chunk().up_to_date()) return true;
    }
    return false;
  }
  bool has_ended() const { return ended_; }
  const std::map<std::string, GroupStanding>& groups() const { return states_.groups(); }

 private:
  ClockClient clock_;
  CaptureFeed feed_;
  GroupStates states_;
  bool ended_ = false;
};

std::string members_text(const GroupStanding& group) {
  if (group.members.empty()) return " none";
  return printable(fmt::format(" {}", fmt::join(member_names(group.members), " ")));
}

std::string group_text(const std::string& name, const GroupStanding& group) {
  std::string text =
      fmt::format("group {} is {} in generation {}, since tick {}: {}\n", printable(name),
                  printable(group.state), printable(group.generation), group.since.value(),
                  printable(without_uuids(group.reason)));
  text += fmt::format("  members    {}{}\n", group.members.size(), members_text(group));
  if (!group.rebalance_reason.empty()) {
    text += fmt::format("  rebalance  {}\n", printable(without_uuids(group.rebalance_reason)));
  }
  return text;
}

// Who is not running: a group whose coordinator is gone is where it was.
std::string absent_text(const wire::Status& status) {
  std::string text;
  for (const wire::ProcessStatus& process : status.processes()) {
    if (process.state() == wire::ProcessStatus::RUNNING) continue;
    text += fmt::format("{} is {}\n", printable(process.name()), state_text(process.state()));
  }
  return text;
}

std::string cluster_text(const Cluster& cluster) {
  const wire::Status& status = cluster.status;
  std::string pace =
      status.pace_ms() == 0 ? "as fast as it can" : fmt::format("{} ms a tick", status.pace_ms());
  if (status.has_paused_at()) {
    pace = "paused at the breakpoint " + status.paused_at();
  } else if (status.paused()) {
    pace = "paused";
  }
  std::string text =
      fmt::format("{}: tick {}, {} s of virtual time; {}\n", cluster.name, status.tick(),
                  seconds(Tick(std::max<std::int64_t>(status.tick(), 0)), status.tick_ms()), pace);
  text += absent_text(status);
  if (!status.waiting_for().empty()) {
    text += fmt::format("the clock waits for {}\n", fmt::join(status.waiting_for(), ", "));
  }
  return text;
}

bool is_meant(const StatusArguments& arguments, const std::string& group) {
  return arguments.group.empty() || arguments.group == group;
}

bool fits(const StatusArguments& arguments, const GroupStanding& group) {
  return (arguments.wait.empty() || group.state == arguments.wait) &&
         (!arguments.members || std::cmp_equal(group.members.size(), *arguments.members)) &&
         (!arguments.generation || group.generation == std::to_string(*arguments.generation));
}

// All groups that are meant are as wanted, and there is one.
bool holds(const StatusArguments& arguments, const GroupWatch& watch) {
  bool any = false;
  for (const auto& [name, group] : watch.groups()) {
    const bool is_gone = group.state == "Dead" && arguments.wait != "Dead";
    if (!is_meant(arguments, name) || is_gone) continue;
    if (!fits(arguments, group)) return false;
    any = true;
  }
  return any;
}

// A group whose coordinator is silent may have changed its mind, or lost it.
std::string doubt_text(const GroupStanding& group, const wire::Status& status) {
  for (const wire::ProcessStatus& process : status.processes()) {
    if (process.name() != group.coordinator) continue;
    if (process.state() == wire::ProcessStatus::RUNNING) return {};
    return fmt::format("  known last  its coordinator {} is {}\n", process.name(),
                       state_text(process.state()));
  }
  return {};
}

void print_groups(const StatusArguments& arguments, const GroupWatch& watch,
                  const wire::Status& status) {
  bool any = false;
  for (const auto& [name, group] : watch.groups()) {
    if (!is_meant(arguments, name)) continue;
    fmt::print("{}{}", group_text(name, group), doubt_text(group, status));
    any = true;
  }
  if (any) return;
  fmt::print("{}\n", arguments.group.empty() ? "no group yet" : "no group " + arguments.group);
}

std::string wanted_text(const StatusArguments& arguments) {
  std::string text = arguments.wait.empty() ? "as asked" : arguments.wait;
  if (arguments.members) text += " with " + counted(*arguments.members, "member");
  if (arguments.generation) text += fmt::format(" in generation {}", *arguments.generation);
  return text;
}

// While one waits, a lot can happen to the processes; the clock itself may have gone.
wire::Status status_now(const Cluster& cluster) {
  try {
    return ask_status(cluster.address);
  } catch (const ClockError&) {
    return cluster.status;
  }
}

int wait_for_groups(const StatusArguments& arguments, const Cluster& cluster) {
  const auto patience = std::chrono::duration<double>(arguments.timeout_seconds);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
  GroupWatch watch(cluster.address);
  bool reached = false;
  while (!reached && watch.catch_up(deadline)) reached = holds(arguments, watch);
  const wire::Status now = status_now(cluster);
  print_groups(arguments, watch, now);
  if (reached) return kExitHolds;
  fmt::print(stderr, "fencepost: not {}: {}\n", wanted_text(arguments),
             watch.has_ended() ? "the run has ended"
                               : fmt::format("{} s have passed", arguments.timeout_seconds));
  if (!watch.has_ended()) fmt::print(stderr, "{}", absent_text(now));
  return kExitFails;
}

int show_process(const StatusArguments& arguments, const Cluster& cluster) {
  for (const wire::ProcessStatus& process : cluster.status.processes()) {
    if (process.name() != arguments.process) continue;
    fmt::print("{} is {}\n", process.name(), state_text(process.state()));
    return process.state() == wire::ProcessStatus::GONE ? kExitFails : kExitHolds;
  }
  const std::vector<std::string> names = process_names(cluster.status);
  fmt::print(stderr, "fencepost: {}\n", unknown_word("process", arguments.process, views(names)));
  return kExitFails;
}

int show_status(const StatusArguments& arguments) {
  const Cluster cluster = choose_cluster(arguments.cluster);
  if (!arguments.process.empty()) return show_process(arguments, cluster);
  if (!arguments.wait.empty() || arguments.members || arguments.generation) {
    return wait_for_groups(arguments, cluster);
  }
  GroupWatch watch(cluster.address);
  watch.catch_up(Clock::now() + ClockClient::kPatience);
  fmt::print("{}", cluster_text(cluster));
  print_groups(arguments, watch, cluster.status);
  return kExitHolds;
}

std::string check_state(const std::string& word) {
  std::vector<std::string_view> states;
  for (const broker::GroupState state : broker::kAllGroupStates) {
    states.push_back(broker::name_of(state));
  }
  if (std::ranges::find(states, word) != states.end()) return {};
  return unknown_word("state", word, states) +
         fmt::format(" (a group is {})", fmt::join(states, ", "));
}

}  // namespace

void add_status(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<StatusArguments>();
  CLI::App* command = app.add_subcommand("status", "Say how its groups are, or wait for a state");
  command->group("A cluster that is up");
  add_choice(*command, arguments->cluster);
  command
      ->add_option("--wait", arguments->wait, "Return when the group is in this state, e.g. Stable")
      ->check(CLI::Validator(check_state, "STATE"));
  command->add_option("--group", arguments->group, "Which group (default: every one there is)");
  command->add_option("--members", arguments->members, "Return when it has so many members")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--generation", arguments->generation, "Return when it is in this generation")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--process", arguments->process, "Only say whether this process is there");
  command->add_option("--timeout", arguments->timeout_seconds, "Of the waiting, in s (default: 60)")
      ->check(CLI::Range(0.0, kMaxTimeoutSeconds));
  command->footer(
      "--wait, --members and --generation hold together, in the tick that closed last.\n"
      "Exit status: 0 it is so, 1 it was not in time, or the process is not there, 2 no "
      "cluster.\n\n"
      "Examples:\n"
      "  fencepost status\n"
      "  fencepost status --wait Stable --members 2      # after kill -9 of one of three\n"
      "  fencepost status --clock 127.0.0.1:19000 --process B1\n");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return show_status(*arguments); }; });
}

}  // namespace fencepost::lab
