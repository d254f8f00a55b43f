#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lab/clock_client.h"
#include "lab/clusters.h"
#include "lab/commands/command.h"
#include "lab/commands/packet_options.h"
#include "lab/commands/run.h"
#include "lab/live_watch.h"
#include "lab/run_scenario.h"

namespace fencepost::lab {
namespace {

constexpr std::int64_t kPaceMs = 250;

struct UpArguments {
  std::string file;
  std::string name;
  std::string out;
  std::optional<std::uint64_t> seed;
  std::int64_t pace_ms = kPaceMs;
  PacketOptions packets;
};

// Who is started in tick 0.
std::set<std::string> first_comers(const wire::Plan& plan) {
  std::set<std::string> names;
  for (const wire::Rule& rule : plan.rules()) {
    if (!rule.has_at_tick() || rule.at_tick() != 0) continue;
    for (const wire::Action& action : rule.actions()) {
      if (action.kind() != wire::Action::START) continue;
      names.insert(action.processes().begin(), action.processes().end());
    }
  }
  return names;
}

// Somebody to practise on: the second member of a group if there is one.
std::optional<wire::ProcessStatus> victim(const wire::Plan& plan, const wire::Status& status) {
  std::vector<std::string> members;
  for (const wire::ProcessSpec& spec : plan.processes()) {
    const bool in_group = std::ranges::any_of(
        spec.properties(), [](const auto& property) { return property.name() == "group.id"; });
    if (in_group) members.push_back(spec.name());
  }
  std::optional<wire::ProcessStatus> found;
  for (const wire::ProcessStatus& process : status.processes()) {
    if (!process.has_pid() || process.state() == wire::ProcessStatus::GONE) continue;
    const auto place = std::ranges::find(members, process.name());
    if (!found || (place != members.end() && place - members.begin() <= 1)) found = process;
  }
  return found;
}

std::string try_text(const wire::ProcessStatus& process, const std::string& which) {
  const std::string row = "  {:<34} {}\n";
  const std::string command = own_command();
  const std::string& name = process.name();
  std::string text = "TRY, from another terminal:\n";
  const auto add = [&](const std::string& what, const std::string& about) {
    text += fmt::format(fmt::runtime(row), what, about);
  };
  const auto ours = [&](std::string_view what) {
    return fmt::format("{} {}{}", command, what, which);
  };
  add(fmt::format("kill -9 {}", process.pid()), name + " dies at once");
  add(fmt::format("kill -STOP {}", process.pid()), name + " hangs: a zombie, if it takes long");
  add(fmt::format("kill -CONT {}", process.pid()), name + " goes on");
  add(fmt::format("kill {}", process.pid()), name + " takes its leave and ends");
  add(ours("start " + name), "its next life; restart: kills it first");
  add(ours("status"), "how the groups are; ps: the processes");
  add(ours("pause"), "stops virtual time; step 5, go, pace 1000");
  return text + "Ctrl-C ends it, tells the story, and says how to replay it.\n";
}

// What is said of a cluster once it is up.
struct Greeting {
  wire::Plan plan;
  std::string name;
  std::string address;
  bool is_only_one = true;
};

std::string to_text(const Greeting& greeting, const wire::Status& status) {
  const std::string pace =
      status.pace_ms() == 0
          ? "as fast as it can"
          : fmt::format("a tick of {} virtual ms takes {} ms", status.tick_ms(), status.pace_ms());
  std::string text = fmt::format("{} is up; {}; the clock listens at {}\n\n", greeting.name, pace,
                                 greeting.address);
  text += table_of(status) + "\n";
  if (const auto process = victim(greeting.plan, status)) {
    text += try_text(*process, greeting.is_only_one ? "" : " --name " + greeting.name) + "\n";
  }
  return text;
}

// Shows it in a thread of its own: a terminal that does not read must not keep the runner from what
// it has to do.
class View {
 public:
  ~View() { join(); }

  void begin(const std::string& address, LiveOptions options) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the main thread
    thread_ = std::thread([address, options = std::move(options)] {
      try {
        watch_live(address, options);
      } catch (const std::exception& error) {
        fmt::print(stderr, "the packets cannot be shown: {}\n", error.what());
      }
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

int report(const Scenario& scenario, const RunOutcome& outcome, const RunDirectory& directory) {
  if (outcome.failure) return report_void(scenario, outcome, directory);
  const std::string story = make_report(scenario, directory).story;
  const std::string closing = "ENDED BY HAND: what the scenario expects was not judged";
  leave_report(directory, story, closing);
  const std::string path = directory.path().string();
  fmt::print("\n{}\n{}\nrun directory {}\n", story, closing, path);
  fmt::print("replay it with: {} replay {}\n", own_command(), path);
  fmt::print("            or: {} replay {} --in-process\n", own_command(), path);
  fmt::print("capture sha256:{}\n", outcome.capture_sha256);
  return kExitHolds;
}

std::filesystem::path directory_of(const UpArguments& arguments, const wire::Plan& plan) {
  if (!arguments.out.empty()) return arguments.out;
  return std::filesystem::path("runs") / (arguments.name.empty() ? plan.name() : arguments.name);
}

// What is started by hand is ended by hand.
Scenario open_ended(Scenario scenario, const std::optional<std::uint64_t>& seed) {
  scenario.plan.clear_until();
  scenario.expectations = {};
  identify(scenario.plan, seed);
  return scenario;
}

int be_up(const UpArguments& arguments) {
  std::optional<Scenario> loaded = load_or_complain(arguments.file);
  if (!loaded) return kExitUnusable;
  PacketList::Options list = live_options(arguments.packets);
  FilterNames known;
  add_names(known, loaded->plan);
  check_names(list.filter, known);
  const Scenario scenario = open_ended(std::move(*loaded), arguments.seed);
  const RunDirectory directory(directory_of(arguments, scenario.plan));
  directory.prepare();
  directory.keep(scenario);
  for (const std::string& notice : notices_of(scenario.plan)) fmt::print(stderr, "{}\n", notice);

  fit_to_terminal(list);
  View view;
  RunSettings settings;
  settings.pace_ms = arguments.pace_ms;
  settings.by_hand = true;
  settings.on_clock = [&](const std::string& address) {
    const bool is_only_one = arguments.name.empty() && arguments.out.empty();
    LiveOptions options;
    options.list = list;
    options.awaited = first_comers(scenario.plan);
    options.greeting = [greeting = Greeting{.plan = scenario.plan,
                                            .name = directory.path().filename().string(),
                                            .address = address,
                                            .is_only_one = is_only_one}](const auto& status) {
      return to_text(greeting, status);
    };
    view.begin(address, std::move(options));
  };
  const RunOutcome outcome = run_plan(scenario.plan, settings, directory);
  view.join();
  for (const std::string& end : outcome.unexpected_ends) {
    if (end.find(" was killed by signal ") == std::string::npos) fmt::print(stderr, "{}\n", end);
  }
  return report(scenario, outcome, directory);
}

// It becomes a directory below runs/, and nothing else.
std::string check_name(const std::string& name) {
  const bool plain = std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
  });
  if (plain && !name.empty() && name != "." && name != "..") return {};
  return fmt::format(
      "\"{}\" is no name of a cluster: letters, digits, '-', '_' and '.' only (--out takes any "
      "directory)",
      name);
}

}  // namespace

void add_up(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<UpArguments>();
  CLI::App* command =
      app.add_subcommand("up", "Start a scenario's processes and leave them running");
  command->group("A cluster that is up");
  command->add_option("FILE", arguments->file, "The scenario (docs/scenarios.md)")->required();
  command
      ->add_option("--name", arguments->name,
                   "The name of this cluster, and runs/NAME (default: the scenario's)")
      ->check(CLI::Validator(check_name, "NAME"));
  command->add_option("--out", arguments->out, "The run directory (default: runs/NAME)");
  add_seed(*command, arguments->seed);
  command->add_option("--pace", arguments->pace_ms, "Wall time of a tick in ms (default: 250)")
      ->check(CLI::Range(0, 3'600'000));
  add_packet_options(*command, arguments->packets);
  command->footer(
      "Its packets are shown as they happen. Kill, stop and continue its processes from another\n"
      "terminal; Ctrl-C ends it. The timeline of the scenario happens, its `until` does not, a\n"
      "`pause` waits for you, and what it expects is not judged.\n"
      "Exit status: 0 ended in order, 2 unusable input, 3 the run is void.\n\n"
      "Examples:\n"
      "  fencepost up scenarios/hands-on.yaml\n"
      "  fencepost up my.yaml --pace 1000 --only JoinGroup,SyncGroup,C2\n"
      "  fencepost up my.yaml --name second      # beside the first\n");
  command->callback([arguments, &chosen] { chosen = [arguments] { return be_up(*arguments); }; });
}

}  // namespace fencepost::lab
