#include "producer/source_plan.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace fencepost::producer {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view item = text.substr(0, end);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (!item.empty()) items.emplace_back(item);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return items;
}

std::optional<std::int64_t> to_count(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(std::string_view property, std::string_view item, std::string_view form) {
  throw ConfigError(fmt::format("{}: \"{}\" is not of the form {}", property, item, form));
}

// "orders-2" is partition 2 of orders, a bare topic each of its partitions. A topic's name may
// contain a dash, so what follows the last one counts only if it is a number.
RecordCount parse_target(std::string_view target) {
  RecordCount count;
  const std::size_t dash = target.rfind('-');
  if (dash != std::string_view::npos && dash > 0) {
    const std::optional<std::int64_t> index = to_count(target.substr(dash + 1));
    if (index && *index <= INT32_MAX) {
      count.topic = target.substr(0, dash);
      count.partition = PartitionId(static_cast<std::int32_t>(*index));
      return count;
    }
  }
  count.topic = target;
  return count;
}

RecordCount parse_count(std::string_view property, std::string_view item, char separator) {
  const std::size_t at = item.rfind(separator);
  const std::string_view form =
      separator == ':' ? "TOPIC-PARTITION:N or TOPIC:N" : "TOPIC-PARTITION=N or TOPIC=N";
  if (at == std::string_view::npos || at == 0) refuse(property, item, form);
  const std::optional<std::int64_t> records = to_count(item.substr(at + 1));
  if (!records) refuse(property, item, form);
  RecordCount count = parse_target(item.substr(0, at));
  count.records = *records;
  return count;
}

std::vector<ScheduledRound> parse_schedule(const std::string& text) {
  constexpr std::string_view kProperty = "app.schedule";
  std::vector<ScheduledRound> schedule;
  for (const std::string& item : split(text, ';')) {
    const std::size_t colon = item.find(':');
    const auto at = to_count(std::string_view(item).substr(0, std::min(colon, item.size())));
    if (colon == std::string::npos || !at) refuse(kProperty, item, "TICK:TOPIC-PARTITION=N,...");
    ScheduledRound round;
    round.at = Tick(*at);
    for (const std::string& part : split(std::string_view(item).substr(colon + 1), ',')) {
      round.counts.push_back(parse_count(kProperty, part, '='));
    }
    schedule.push_back(std::move(round));
  }
  std::stable_sort(schedule.begin(), schedule.end(),
                   [](const ScheduledRound& a, const ScheduledRound& b) { return a.at < b.at; });
  return schedule;
}

}  // namespace

std::vector<std::string> SourcePlan::topics() const {
  std::set<std::string> names;
  for (const RecordCount& count : totals) names.insert(count.topic);
  for (const ScheduledRound& round : schedule) {
    for (const RecordCount& count : round.counts) names.insert(count.topic);
  }
  return {names.begin(), names.end()};
}

std::string SourcePlan::short_name(const std::string& topic) const {
  const auto found = short_names.find(topic);
  return found == short_names.end() ? topic.substr(0, 1) : found->second;
}

SourcePlan source_plan(const Properties& properties, TickLength tick_ms) {
  SourcePlan plan;
  for (const std::string& item : properties.get_list("app.records")) {
    plan.totals.push_back(parse_count("app.records", item, ':'));
  }
  plan.schedule = parse_schedule(properties.get("app.schedule"));
  if (!plan.schedule.empty()) plan.totals.clear();
  plan.start = ticks_of_ms(properties.get_int("app.start.ms"), tick_ms);
  plan.interval = ticks_of_ms(properties.get_int("app.interval.ms"), tick_ms);
  plan.records_per_round = properties.get_int("app.batch.records");
  for (const std::string& item : properties.get_list("app.short.names")) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size()) {
      refuse("app.short.names", item, "TOPIC=NAME");
    }
    plan.short_names[item.substr(0, equals)] = item.substr(equals + 1);
  }
  return plan;
}

}  // namespace fencepost::producer
