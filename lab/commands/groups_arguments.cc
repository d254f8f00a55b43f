#include "lab/commands/groups_arguments.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <stdexcept>

#include "broker/core/group_state.h"
#include "lab/commands/operator.h"
#include "lab/node_reader.h"
#include "lab/partition_names.h"

namespace fencepost::lab {
namespace {

void require(bool holds, const std::string& problem) {
  if (!holds) throw std::runtime_error(problem);
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ","));
}

void declare_what(CLI::App& command, GroupsArguments& arguments) {
  command.add_flag("--describe", arguments.describe, "Offsets, members or state of the groups");
  command.add_flag("--list", arguments.list, "The names of all groups");
  command.add_flag("--delete", arguments.remove, "Delete the groups, which must be Empty");
  command.add_flag("--delete-offsets", arguments.remove_offsets,
                   "Delete the group's committed offsets of a --topic");
  command.add_flag("--reset-offsets", arguments.reset,
                   "Move the committed offsets of groups without members");
  command.add_option("--group", arguments.groups, "Which group; may be repeated")
      ->allow_extra_args(false);
  command.add_flag("--all-groups", arguments.all_groups, "Every group there is");
}

void declare_views(CLI::App& command, GroupsArguments& arguments) {
  command.add_flag("--offsets", arguments.offsets, "--describe: offsets and lag (default)");
  command.add_flag("--members", arguments.members, "--describe: the members");
  command.add_flag("--verbose", arguments.verbose, "--members: with their assignments");
  command.add_flag("--more", arguments.more,
                   "--describe: what Kafka's tool lacks: generation, why the last rebalance was, "
                   "where logs begin");
  command
      .add_option_function<std::vector<std::string>>(
          "--state",
          [&arguments](const std::vector<std::string>& words) {
            arguments.state = true;
            for (const std::string& word : words) {
              for (const std::string_view state : split(word, ',')) {
                if (!state.empty()) arguments.states.emplace_back(state);
              }
            }
          },
          "--describe: the groups' states; --list: with states, or only groups in these")
      ->expected(0, 1)
      ->type_name("[STATES]");
}

void declare_reset(CLI::App& command, GroupsArguments& arguments) {
  command.add_option("--topic", arguments.topics, "TOPIC or TOPIC:0,1,2; may be repeated")
      ->allow_extra_args(false);
  command.add_flag("--all-topics", arguments.all_topics, "Every topic in which it has a commit");
  command.add_flag("--to-earliest", arguments.to_earliest, "Where the logs begin");
  command.add_flag("--to-latest", arguments.to_latest, "Where the logs end");
  command.add_flag("--to-current", arguments.to_current, "Where they are");
  command.add_option("--to-offset", arguments.to_offset, "This offset");
  command.add_option("--shift-by", arguments.shift_by, "So far on, or back if it is negative");
  command.add_option("--to-datetime", arguments.to_datetime,
                     "The first record since then: virtual ms, tick:N, or "
                     "1970-01-01T00:01:30.000, as virtual time begins in 1970");
  command.add_option("--by-duration", arguments.by_duration,
                     "The first record since so long ago, PT30S of virtual time");
  command.add_option("--from-file", arguments.from_file, "A file of TOPIC,PARTITION,OFFSET lines");
  command.add_flag("--dry-run", arguments.dry_run, "Only say what it comes to (default)");
  command.add_flag("--execute", arguments.execute, "Do it");
  command.add_flag("--export", arguments.as_csv, "Only say it, as lines for --from-file");
}

void declare_where(CLI::App& command, GroupsArguments& arguments) {
  add_choice(command, arguments.cluster);
  command.add_option("--run", arguments.run,
                     "Instead of a cluster that is up: a run directory, or a scenario");
  command.add_option("--at", arguments.at, "--run: at the end of this tick (default: the last)")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--bootstrap-server", arguments.bootstrap_server,
                     "The broker to ask first, as B1 or B1:19092 (default: all)");
  command.add_option("--command-config,-c", arguments.command_config, "A .properties file");
  command.add_option("-X", arguments.properties, "name=value of Kafka's Admin client")
      ->allow_extra_args(false);
  command
      .add_option("--timeout", arguments.timeout_ms, "Virtual ms for all of it (default: 60000)")
      ->check(CLI::PositiveNumber);
  command.add_option("--format", arguments.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

// ---- what the administrator is told ----

std::vector<std::string> targets_of(const std::vector<std::string>& topics) {
  std::vector<std::string> targets;
  for (const std::string& text : topics) {
    const std::size_t colon = text.find(':');
    const std::string topic = text.substr(0, colon);
    if (colon == std::string::npos) {
      targets.push_back(topic);
      continue;
    }
    for (const std::string_view index : split(std::string_view(text).substr(colon + 1), ',')) {
      const auto number = parse_integer(index);
      require(number && *number >= 0, fmt::format("--topic {}: no list of partitions", text));
      targets.push_back(fmt::format("{}-{}", topic, *number));
    }
  }
  return targets;
}

// "orders,0,5" a line; with the group before it in Kafka's second form.
std::vector<std::string> offsets_in(const std::string& path, const std::string& group) {
  std::ifstream in(path);
  require(in.good(), path + ": cannot be read");
  std::vector<std::string> offsets;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) continue;
    std::vector<std::string_view> words = split(line, ',');
    if (words.size() == 4) {
      if (words.front() != group) continue;
      words.erase(words.begin());
    }
    const bool fits =
        words.size() == 3 && parse_integer(words[1]).has_value() && parse_integer(words[2]);
    require(fits, fmt::format("{}:{}: no TOPIC,PARTITION,OFFSET", path, number));
    offsets.push_back(fmt::format("{}-{}={}", words[0], words[1], words[2]));
  }
  require(!offsets.empty(), path + ": has no offsets");
  return offsets;
}

void add_reset(const GroupsArguments& arguments, std::int64_t tick_ms, PropertyList& properties) {
  const int ways = int{arguments.to_earliest} + int{arguments.to_latest} +
                   int{arguments.to_current} + int{arguments.to_offset.has_value()} +
                   int{arguments.shift_by.has_value()} + int{!arguments.to_datetime.empty()} +
                   int{!arguments.by_duration.empty()} + int{!arguments.from_file.empty()};
  require(ways == 1,
          "--reset-offsets needs one of --to-earliest, --to-latest, --to-current, --to-offset, "
          "--shift-by, --to-datetime, --by-duration, --from-file");
  require(int{arguments.dry_run} + int{arguments.execute} + int{arguments.as_csv} <= 1,
          "--dry-run, --execute and --export exclude each other");
  const bool scoped = !arguments.topics.empty() || arguments.all_topics;
  require(scoped || !arguments.from_file.empty(),
          "--reset-offsets needs --topic or --all-topics (or --from-file)");
  const auto set = [&](std::string_view to, std::optional<std::int64_t> value) {
    properties.emplace_back("app.reset.to", to);
    if (value) properties.emplace_back("app.reset.value", std::to_string(*value));
  };
  if (arguments.to_earliest) set("earliest", std::nullopt);
  if (arguments.to_latest) set("latest", std::nullopt);
  if (arguments.to_current) set("current", std::nullopt);
  if (arguments.to_offset) set("offset", arguments.to_offset);
  if (arguments.shift_by) set("shift-by", arguments.shift_by);
  if (!arguments.to_datetime.empty()) {
    const auto when = parse_virtual_time(arguments.to_datetime, tick_ms);
    require(when.has_value(), fmt::format("--to-datetime {}: virtual ms, tick:N or "
                                          "YYYY-MM-DDTHH:mm:SS.sss",
                                          arguments.to_datetime));
    set("time", when);
  }
  if (!arguments.by_duration.empty()) {
    const auto span = parse_duration(arguments.by_duration);
    require(span.has_value(),
            fmt::format("--by-duration {}: no duration as PT1H30M", arguments.by_duration));
    set("duration", span);
  }
  if (!arguments.from_file.empty()) {
    require(arguments.groups.size() == 1, "--from-file goes with one --group");
    set("given", std::nullopt);
    properties.emplace_back("app.reset.offsets",
                            joined(offsets_in(arguments.from_file, arguments.groups.front())));
  }
  properties.emplace_back("app.execute", arguments.execute ? "true" : "false");
}

void check_kind(const GroupsArguments& arguments) {
  const int kinds = int{arguments.describe} + int{arguments.list} + int{arguments.remove} +
                    int{arguments.remove_offsets} + int{arguments.reset};
  require(kinds == 1,
          "groups needs one of --list, --describe, --delete, --reset-offsets, --delete-offsets");
  const bool named = !arguments.groups.empty();
  require(arguments.list || named != arguments.all_groups,
          named ? "--group and --all-groups exclude each other"
                : "say which groups with --group, or --all-groups");
  require(!arguments.remove_offsets || arguments.groups.size() == 1,
          "--delete-offsets goes with one --group");
  require(!arguments.remove_offsets || !arguments.topics.empty(),
          "--delete-offsets needs a --topic");
  const int views =
      int{arguments.offsets} + int{arguments.members} + int{arguments.state} + int{arguments.more};
  require(!arguments.describe || views <= 1,
          "--offsets, --members, --state and --more exclude each other");
  require(arguments.list || arguments.states.empty(), "--state with STATES goes with --list");
  require(!arguments.at || !arguments.run.empty(), "--at goes with --run");
}

void check_states(const std::vector<std::string>& states) {
  std::vector<std::string_view> known;
  for (const broker::GroupState state : broker::kAllGroupStates) {
    known.push_back(broker::name_of(state));
  }
  const auto lower = [](std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return small;
  };
  for (const std::string& state : states) {
    const bool is_one = std::ranges::any_of(
        known, [&](std::string_view one) { return lower(one) == lower(state); });
    require(is_one, unknown_word("state", state, known));
  }
}

}  // namespace

void declare_groups(CLI::App& command, GroupsArguments& arguments) {
  declare_what(command, arguments);
  declare_views(command, arguments);
  declare_reset(command, arguments);
  declare_where(command, arguments);
}

PropertyList properties_for(const GroupsArguments& arguments, std::int64_t tick_ms) {
  check_kind(arguments);
  PropertyList properties;
  const auto set = [&](std::string_view name, std::string value) {
    properties.emplace_back(name, std::move(value));
  };
  set("app.admin", arguments.describe ? "describe"
                   : arguments.list   ? "list"
                   : arguments.remove ? "delete"
                   : arguments.reset  ? "reset-offsets"
                                      : "delete-offsets");
  if (!arguments.groups.empty()) set("app.groups", joined(arguments.groups));
  if (arguments.list && !arguments.states.empty()) {
    check_states(arguments.states);
    set("app.states", joined(arguments.states));
  }
  if (arguments.describe && (arguments.members || arguments.state)) set("app.describe", "state");
  if (arguments.describe && arguments.more) set("app.describe", "log-start");
  const std::vector<std::string> targets = targets_of(arguments.topics);
  if (!targets.empty()) set("app.targets", joined(targets));
  if (arguments.reset) add_reset(arguments, tick_ms, properties);
  if (arguments.timeout_ms) set("default.api.timeout.ms", std::to_string(*arguments.timeout_ms));
  if (!arguments.bootstrap_server.empty()) {
    const bool has_port = arguments.bootstrap_server.find(':') != std::string::npos;
    set("bootstrap.servers", arguments.bootstrap_server + (has_port ? "" : ":19092"));
  }
  if (!arguments.command_config.empty()) {
    Properties file(Role::kAdmin);
    file.load_file(arguments.command_config);
    for (const auto& [name, value] : file.explicit_values()) set(name, value);
  }
  for (const std::string& assignment : arguments.properties) {
    Properties(Role::kAdmin).set_assignment(assignment, "-X");
    const std::size_t equals = assignment.find('=');
    set(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return properties;
}

bool changes_something(const GroupsArguments& arguments) {
  return arguments.remove || arguments.remove_offsets || (arguments.reset && arguments.execute);
}

GroupView view_of(const GroupsArguments& arguments) {
  if (arguments.more) return GroupView::kMore;
  if (arguments.state) return GroupView::kState;
  if (!arguments.members) return GroupView::kOffsets;
  return arguments.verbose ? GroupView::kAssignments : GroupView::kMembers;
}

}  // namespace fencepost::lab
