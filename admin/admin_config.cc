#include "admin/admin_config.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace fencepost::admin {
namespace {

template <class Value>
struct Word {
  std::string_view name;
  Value value;
};

// The choices of app.admin, app.describe and app.reset.to (common/properties_registry.cc).
constexpr std::array kVerbs = std::to_array<Word<Verb>>({
    {"describe", Verb::kDescribe},
    {"list", Verb::kList},
    {"delete", Verb::kDelete},
    {"delete-offsets", Verb::kDeleteOffsets},
    {"reset-offsets", Verb::kResetOffsets},
    {"remove-members", Verb::kRemoveMembers},
    {"create-topics", Verb::kCreateTopics},
    {"create-partitions", Verb::kCreatePartitions},
    {"delete-topics", Verb::kDeleteTopics},
});
constexpr std::array kDepths = std::to_array<Word<Depth>>({
    {"state", Depth::kState},
    {"offsets", Depth::kOffsets},
    {"log-start", Depth::kLogStart},
});
constexpr std::array kResets = std::to_array<Word<ResetTo::Kind>>({
    {"earliest", ResetTo::Kind::kEarliest},
    {"latest", ResetTo::Kind::kLatest},
    {"current", ResetTo::Kind::kCurrent},
    {"offset", ResetTo::Kind::kOffset},
    {"shift-by", ResetTo::Kind::kShiftBy},
    {"time", ResetTo::Kind::kTime},
    {"duration", ResetTo::Kind::kDuration},
    {"given", ResetTo::Kind::kGiven},
});

template <class Value, std::size_t kSize>
Value value_of(const std::array<Word<Value>, kSize>& words, std::string_view name) {
  const auto found = std::ranges::find(words, name, &Word<Value>::name);
  if (found == words.end()) throw ConfigError(fmt::format("an admin needs app.admin"));
  return found->value;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// "orders:6" for property app.counts, "orders-0=5" for app.reset.offsets.
std::pair<std::string, std::int64_t> parse_pair(const std::string& item, char separator,
                                                std::string_view property) {
  const std::size_t at = item.rfind(separator);
  const auto number =
      at == std::string::npos ? std::nullopt : number_in(std::string_view(item).substr(at + 1));
  if (!number || at == 0 || *number < 0) {
    throw ConfigError(fmt::format("{}: \"{}\" is no name with a number", property, item));
  }
  return {item.substr(0, at), *number};
}

void require(bool holds, std::string_view problem) {
  if (!holds) throw ConfigError(std::string(problem));
}

ResetTo reset_of(const Properties& properties) {
  ResetTo reset;
  reset.kind = value_of(kResets, properties.get("app.reset.to"));
  reset.value = properties.get_int("app.reset.value");
  for (const std::string& item : properties.get_list("app.reset.offsets")) {
    const auto [name, offset] = parse_pair(item, '=', "app.reset.offsets");
    const Target target = parse_target(name);
    require(target.partition.has_value(), "app.reset.offsets: name partitions, as orders-0=5");
    reset.given[{target.topic, *target.partition}] = Offset(offset);
  }
  return reset;
}

void check(const AdminCommand& command) {
  const Verb verb = command.verb;
  const bool about_topics = verb == Verb::kCreateTopics || verb == Verb::kCreatePartitions;
  require(!about_topics || !command.counts.empty(), "app.counts is needed: orders:6");
  require(verb != Verb::kDeleteTopics || !command.targets.empty(), "app.targets is needed");
  const bool one_group = verb == Verb::kDeleteOffsets || verb == Verb::kRemoveMembers;
  require(!one_group || command.groups.size() == 1, "app.groups must name one group");
  require(verb != Verb::kDeleteOffsets || !command.targets.empty(), "app.targets is needed");
}

}  // namespace

Target parse_target(const std::string& text) {
  const std::size_t dash = text.rfind('-');
  if (dash == std::string::npos || dash == 0) return {text, std::nullopt};
  const auto number = number_in(std::string_view(text).substr(dash + 1));
  const bool is_index = number && *number >= 0 && *number <= INT32_MAX;
  if (!is_index) return {text, std::nullopt};
  return {text.substr(0, dash), PartitionId(static_cast<std::int32_t>(*number))};
}

AdminCommand admin_command(const Properties& properties) {
  AdminCommand command;
  command.verb = value_of(kVerbs, properties.get("app.admin"));
  command.depth = value_of(kDepths, properties.get("app.describe"));
  command.groups = properties.get_list("app.groups");
  command.states = properties.get_list("app.states");
  command.instances = properties.get_list("app.instances");
  command.execute = properties.get_bool("app.execute");
  command.reset = reset_of(properties);
  for (const std::string& target : properties.get_list("app.targets")) {
    command.targets.push_back(parse_target(target));
  }
  for (const std::string& item : properties.get_list("app.counts")) {
    const auto [topic, count] = parse_pair(item, ':', "app.counts");
    command.counts[topic] = static_cast<int>(count);
  }
  check(command);
  return command;
}

}  // namespace fencepost::admin
