#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "common/events.h"
#include "common/properties.h"
#include "lab/admin_session.h"
#include "lab/clock_client.h"
#include "lab/commands/command.h"
#include "lab/commands/groups_arguments.h"
#include "lab/commands/run.h"
#include "lab/group_tables.h"
#include "lab/replay_plan.h"

namespace fencepost::lab {
namespace {

// Of a run directory or of a scenario.
std::optional<wire::Plan> plan_of(const GroupsArguments& arguments) {
  if (!std::filesystem::is_directory(arguments.run)) {
    if (!std::filesystem::exists(arguments.run)) require_run(arguments.run);
    std::optional<Scenario> scenario = load_or_complain(arguments.run);
    if (!scenario) return std::nullopt;
    identify(scenario->plan, std::nullopt);
    return std::move(scenario->plan);
  }
  const RunDirectory directory(arguments.run);
  return plan_to_replay(directory, load_journal(directory.journal().string()));
}

// A broker that nobody has would be asked in vain.
void check_bootstrap(const GroupsArguments& arguments, const std::vector<std::string>& brokers) {
  const std::string& server = arguments.bootstrap_server;
  if (server.empty()) return;
  const std::string host = server.substr(0, server.rfind(':'));
  if (std::find(brokers.begin(), brokers.end(), host) != brokers.end()) return;
  throw std::runtime_error(fmt::format("--bootstrap-server: there is no broker {}; there are: {}",
                                       host, fmt::join(brokers, ", ")));
}

std::optional<AdminSession> ask_run(const GroupsArguments& arguments) {
  if (changes_something(arguments)) {
    throw std::runtime_error(
        "a run that is over cannot be changed: --run goes with what reads (--describe, --list, "
        "--reset-offsets without --execute)");
  }
  const std::optional<wire::Plan> plan = plan_of(arguments);
  if (!plan) return std::nullopt;
  std::vector<std::string> brokers;
  for (const wire::ProcessSpec& process : plan->processes()) {
    if (process.role() == "broker") brokers.push_back(process.name());
  }
  check_bootstrap(arguments, brokers);
  const auto at = arguments.at ? std::optional(Tick(*arguments.at)) : std::nullopt;
  return ask_past(*plan, at, properties_for(arguments, plan->tick_ms()));
}

AdminSession ask_up(const GroupsArguments& arguments) {
  const Cluster cluster = choose_cluster(arguments.cluster);
  std::vector<std::string> brokers;
  for (const wire::ProcessStatus& process : cluster.status.processes()) {
    if (process.role() == "broker") brokers.push_back(process.name());
  }
  check_bootstrap(arguments, brokers);
  return ask_cluster(cluster, properties_for(arguments, cluster.status.tick_ms()));
}

std::vector<std::string> groups_meant(const GroupsArguments& arguments, const admin::Facts& facts) {
  if (!arguments.groups.empty()) {
    std::vector<std::string> groups = arguments.groups;
    std::ranges::sort(groups);
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    return groups;
  }
  std::vector<std::string> groups;
  for (const auto& [group, entry] : facts.listed) groups.push_back(group);
  return groups;
}

GroupAnswer answer_of(const GroupsArguments& arguments, const AdminSession& session) {
  const admin::Facts& facts = session.facts;
  const std::vector<std::string> groups = groups_meant(arguments, facts);
  if (arguments.list) return list_groups(facts, arguments.state);
  if (arguments.remove) return deleted_groups(facts, groups);
  if (arguments.describe) {
    return describe_groups(facts, groups, view_of(arguments), session.standings);
  }
  Properties properties(Role::kAdmin);
  for (const auto& [name, value] : properties_for(arguments, 1)) properties.set(name, value, "-X");
  admin::AdminCommand command = admin::admin_command(properties);
  if (arguments.remove_offsets) return deleted_offsets(facts, command);
  return reset_groups(facts, command, groups, arguments.as_csv);
}

// The administrator gave up: what stands in the tables is not the whole truth.
std::string failure_of(const AdminSession& session) {
  if (!session.problem.empty()) return session.problem;
  if (session.done || !session.error) return {};
  const std::string where(events::value_of(*session.error, "where"));
  return fmt::format("{}: {} ({})", where, events::value_of(*session.error, "exception"),
                     events::value_of(*session.error, "error"));
}

int print(const GroupsArguments& arguments, const AdminSession& session) {
  GroupAnswer answer = answer_of(arguments, session);
  const std::string failure = failure_of(session);
  // An error of a single group or partition has its words already.
  const bool never_asked = answer.tables.empty() && answer.errors.empty();
  const bool gave_up = !session.problem.empty() || (!session.done && never_asked);
  if (gave_up) answer = {.tables = {}, .text = {}, .notes = {}, .errors = {failure}};
  for (const std::string& note : answer.notes) fmt::print(stderr, "\n{}\n", note);
  std::fflush(stderr);
  const bool json = arguments.format == "json";
  for (const std::string& error : answer.errors) {
    fmt::print(json ? stderr : stdout, "\nError: {}\n", error);
  }
  if (json) {
    fmt::print("{}", as_json(answer.tables));
  } else {
    for (const Table& table : answer.tables) fmt::print("\n{}", as_text(table));
    fmt::print("{}", answer.text);
  }
  return answer.errors.empty() ? kExitHolds : kExitFails;
}

int groups(const GroupsArguments& arguments) {
  properties_for(arguments, 1);  // mistakes come before anything is started
  if (arguments.run.empty()) return print(arguments, ask_up(arguments));
  const std::optional<AdminSession> session = ask_run(arguments);
  return session ? print(arguments, *session) : kExitUnusable;
}

}  // namespace

void add_groups(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<GroupsArguments>();
  CLI::App* command =
      app.add_subcommand("groups", "Describe, list, reset or delete groups, as Kafka's tool does");
  declare_groups(*command, *arguments);
  command->footer(
      "Options, columns and warnings are those of kafka-consumer-groups.sh. The requests are sent\n"
      "by a process of its own that joins the run, so a run in which somebody asked replays.\n"
      "Exit status: 0, 1 there is an Error (a group does not exist, has members, ...), 2 unusable\n"
      "input or no cluster.\n\n"
      "Examples:\n"
      "  fencepost groups --describe --group billing\n"
      "  fencepost groups --describe --all-groups --members --verbose\n"
      "  fencepost groups --run runs/commit-after-crash-k2 --at 60 --describe --group billing\n"
      "  fencepost groups --reset-offsets --group billing --topic orders:0 --to-earliest "
      "--execute\n");
  command->callback([arguments, &chosen] { chosen = [arguments] { return groups(*arguments); }; });
}

}  // namespace fencepost::lab
