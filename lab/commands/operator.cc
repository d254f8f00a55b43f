#include "lab/commands/operator.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "common/properties.h"
#include "lab/clock_client.h"
#include "lab/commands/command.h"
#include "lab/live_watch.h"
#include "lab/node_reader.h"

namespace fencepost::lab {
namespace {

// Of commands that take as long as they take: a process comes up, ticks pass.
constexpr std::chrono::hours kAsLongAsItTakes{24};

struct OperatorArguments {
  ClusterChoice cluster;
  std::string process;
  std::string like;
  std::string role;
  std::vector<std::string> properties;
  std::int64_t number = 1;
};

int answer(const Cluster& cluster, const wire::Command& command) {
  const wire::Reply reply = ask(cluster.address, command, kAsLongAsItTakes);
  if (reply.has_error()) {
    fmt::print(stderr, "fencepost: {}\n", reply.error());
    return kExitUnusable;
  }
  fmt::print("{}\n", reply.text());
  return kExitHolds;
}

int tell(const OperatorArguments& arguments, wire::Command command) {
  return answer(choose_cluster(arguments.cluster), command);
}

std::string first_line_of(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// The command `up` that has started this clock, if that can be seen from here: the clock's parent.
std::optional<std::int64_t> runner_of(std::int64_t clock_pid) {
  const std::string proc = "/proc/";
  // "PID (NAME) STATE PPID ...", where the name of another program may have blanks.
  std::istringstream stat(first_line_of(proc + std::to_string(clock_pid) + "/stat"));
  std::string name;
  std::string state;
  std::int64_t pid = 0;
  std::int64_t parent = 0;
  if (!(stat >> pid >> name >> state >> parent) || name != "(clock)") return std::nullopt;
  if (first_line_of(proc + std::to_string(parent) + "/comm") != "fencepost") return std::nullopt;
  return parent;
}

int list_processes(const OperatorArguments& arguments) {
  const Cluster cluster = choose_cluster(arguments.cluster);
  constexpr std::string_view kRow = "{:<8} {:<30}{:>9}  {}\n";
  fmt::print("{}", table_of(cluster.status));
  fmt::print(fmt::runtime(kRow), "clock", "", cluster.status.pid(), cluster.address);
  if (const auto runner = runner_of(cluster.status.pid())) {
    fmt::print(fmt::runtime(kRow), "up", "", *runner, "its Ctrl-C, or kill, ends the cluster");
  }
  return kExitHolds;
}

void check_known(const std::string& name, const wire::Status& status) {
  const std::vector<std::string> names = process_names(status);
  if (std::ranges::find(names, name) != names.end()) return;
  throw ClockError(unknown_word("process", name, views(names)));
}

// What can be said before anything is started: who is meant, and that the properties are some.
void check_start(const OperatorArguments& arguments, const wire::Command& command,
                 const wire::Status& status) {
  if (command.kind() == wire::Command::RESTART) check_known(arguments.process, status);
  if (!arguments.like.empty()) check_known(arguments.like, status);
  if (arguments.like.empty() && arguments.role.empty()) {
    const std::vector<std::string> names = process_names(status);
    if (std::ranges::find(names, arguments.process) == names.end()) {
      throw ClockError(unknown_word("process", arguments.process, views(names)) +
                       "; a new one needs --like NAME or --role ROLE");
    }
  }
  std::string role = arguments.role;
  const std::string& model = arguments.like.empty() ? arguments.process : arguments.like;
  for (const wire::ProcessStatus& process : status.processes()) {
    if (role.empty() && process.name() == model) role = process.role();
  }
  const std::optional<Role> known = role_from_string(role);
  if (!known) throw ClockError(fmt::format("unknown role \"{}\"", role));
  Properties checked(*known);
  for (const std::string& property : arguments.properties) checked.set_assignment(property, "-X");
}

int start_process(const OperatorArguments& arguments, wire::Command::Kind kind) {
  const Cluster cluster = choose_cluster(arguments.cluster);
  wire::Command command;
  command.set_kind(kind);
  command.set_process(arguments.process);
  if (!arguments.like.empty()) command.set_like(arguments.like);
  if (!arguments.role.empty()) command.set_role(arguments.role);
  check_start(arguments, command, cluster.status);
  for (const std::string& assignment : arguments.properties) {
    const std::size_t equals = assignment.find('=');
    wire::Property& property = *command.add_properties();
    property.set_name(assignment.substr(0, equals));
    property.set_value(assignment.substr(equals + 1));
  }
  return answer(cluster, command);
}

using Arguments = std::shared_ptr<OperatorArguments>;

// A command with its choice of a cluster; what it does is `run`.
template <class Run>
CLI::App* add_command(CLI::App& app, Chosen& chosen, const Arguments& arguments,
                      const std::string& name, const std::string& about, Run run) {
  CLI::App* command = app.add_subcommand(name, about);
  command->group("A cluster that is up");
  add_choice(*command, arguments->cluster);
  command->callback(
      [arguments, run, &chosen] { chosen = [arguments, run] { return run(*arguments); }; });
  return command;
}

void add_start(CLI::App& app, Chosen& chosen, wire::Command::Kind kind) {
  const auto arguments = std::make_shared<OperatorArguments>();
  const bool is_start = kind == wire::Command::START;
  CLI::App* command =
      add_command(app, chosen, arguments, is_start ? "start" : "restart",
                  is_start ? "Start a process that is not there, or a new one"
                           : "kill -9 a process if it is there, and start it again",
                  [kind](const OperatorArguments& given) { return start_process(given, kind); });
  command->add_option("NAME", arguments->process, "The process")->required();
  command->add_option("-X", arguments->properties, "name=value: a property on top; may be repeated")
      ->allow_extra_args(false);
  if (!is_start) {
    command->footer("Example:\n  fencepost restart C2 -X max.poll.records=1\n");
    return;
  }
  command->add_option("--like", arguments->like, "As this process: with its role and properties");
  command->add_option("--role", arguments->role, "broker, consumer or producer: of a new process");
  command->footer(
      "Examples:\n"
      "  fencepost start C2                       the one that was killed\n"
      "  fencepost start C4 --like C1             one more member of C1's group\n"
      "  fencepost start R1 --role consumer -X bootstrap.servers=B1:19092 -X "
      "app.assign=invoices\n");
}

wire::Command plain(wire::Command::Kind kind) {
  wire::Command command;
  command.set_kind(kind);
  return command;
}

void add_time(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, std::make_shared<OperatorArguments>(), "pause",
              "Stop virtual time; processes can still be killed, stopped and started",
              [](const auto& given) { return tell(given, plain(wire::Command::PAUSE)); })
      ->footer("Example:\n  fencepost pause && fencepost step 5 && fencepost go\n");
  const auto steps = std::make_shared<OperatorArguments>();
  CLI::App* step = add_command(app, chosen, steps, "step", "Let the next ticks happen, then pause",
                               [](const auto& given) {
                                 wire::Command command = plain(wire::Command::STEP);
                                 command.set_ticks(given.number);
                                 return tell(given, command);
                               });
  step->add_option("N", steps->number, "How many ticks (default: 1)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  step->footer("Returns when they have closed.\n\nExample:\n  fencepost step 10\n");
  add_command(app, chosen, std::make_shared<OperatorArguments>(), "go",
              "Go on after a pause or a breakpoint",
              [](const auto& given) { return tell(given, plain(wire::Command::GO)); })
      ->footer("Example:\n  fencepost go\n");
  const auto pace = std::make_shared<OperatorArguments>();
  CLI::App* command =
      add_command(app, chosen, pace, "pace", "Say how long a tick takes", [](const auto& given) {
        wire::Command told = plain(wire::Command::PACE);
        told.set_pace_ms(given.number);
        return tell(given, told);
      });
  command->add_option("MS", pace->number, "Wall time of a tick in ms; 0: as fast as it can")
      ->required()
      ->check(CLI::Range(0, 3'600'000));
  command->footer("Example:\n  fencepost pace 1000\n");
}

}  // namespace

void add_choice(CLI::App& command, ClusterChoice& choice) {
  CLI::Option* name =
      command.add_option("--name", choice.name, "Which cluster, if several are up (runs/NAME)");
  command.add_option("--clock", choice.clock, "Or where its clock listens, HOST:PORT")
      ->excludes(name);
}

std::vector<std::string> process_names(const wire::Status& status) {
  std::vector<std::string> names;
  for (const wire::ProcessStatus& process : status.processes()) names.push_back(process.name());
  return names;
}

void add_operator(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, std::make_shared<OperatorArguments>(), "ps",
              "List its processes with their process ids", list_processes)
      ->footer("Example:\n  fencepost ps\n");
  add_start(app, chosen, wire::Command::START);
  add_start(app, chosen, wire::Command::RESTART);
  add_time(app, chosen);
}

}  // namespace fencepost::lab
