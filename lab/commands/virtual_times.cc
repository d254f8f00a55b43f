// Times as the options of Kafka's tool have them, in virtual ms.
#include <chrono>
#include <cstdio>
#include <string_view>

#include "lab/commands/groups_arguments.h"
#include "lab/partition_names.h"

namespace fencepost::lab {
namespace {

constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kLargest = 1'000'000'000'000;  // of a number in a duration

std::int64_t unit_of(char letter, bool in_time) {
  switch (letter) {
    case 'D':
      return in_time ? 0 : kDay;
    case 'H':
      return in_time ? kHour : 0;
    case 'M':
      return in_time ? kMinute : 0;
    case 'S':
      return in_time ? kSecond : 0;
    default:
      return 0;
  }
}

// YYYY-MM-DDTHH:mm:SS.sss, with or without the milliseconds, as UTC.
std::optional<std::int64_t> parse_iso(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int ms = 0;
  int used = 0;
  const int found = std::sscanf(text.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d%n", &year, &month, &day,
                                &hour, &minute, &second, &used);
  if (found != 6) return std::nullopt;
  std::string_view rest = std::string_view(text).substr(static_cast<std::size_t>(used));
  if (rest.starts_with('.') && rest.size() >= 4) {
    const auto fraction = parse_integer(rest.substr(1, 3));
    if (!fraction || *fraction < 0) return std::nullopt;
    ms = static_cast<int>(*fraction);
    rest.remove_prefix(4);
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok() || !(rest.empty() || rest == "Z")) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return days * kDay + hour * kHour + minute * kMinute + second * kSecond + ms;
}

}  // namespace

std::optional<std::int64_t> parse_virtual_time(const std::string& text, std::int64_t tick_ms) {
  constexpr std::string_view kTick = "tick:";
  const bool is_tick = text.starts_with(kTick);
  const auto number =
      parse_integer(std::string_view(text).substr(is_tick ? kTick.size() : std::size_t{0}));
  if (number) {
    if (*number < 0 || *number > kLargest) return std::nullopt;
    return is_tick ? *number * tick_ms : *number;
  }
  return is_tick ? std::nullopt : parse_iso(text);
}

std::optional<std::int64_t> parse_duration(const std::string& text) {
  std::string_view rest = text;
  if (!rest.starts_with('P')) return std::nullopt;
  rest.remove_prefix(1);
  std::int64_t total = 0;
  bool in_time = false;
  bool any = false;
  while (!rest.empty()) {
    if (rest.front() == 'T' && !in_time) {
      in_time = true;
      rest.remove_prefix(1);
      continue;
    }
    const std::size_t end = rest.find_first_of("DHMS");
    if (end == std::string_view::npos) return std::nullopt;
    const auto number = parse_integer(rest.substr(0, end));
    const std::int64_t unit = unit_of(rest[end], in_time);
    if (!number || *number < 0 || *number > kLargest || unit == 0) return std::nullopt;
    total += *number * unit;
    any = true;
    rest.remove_prefix(end + 1);
  }
  return any ? std::optional(total) : std::nullopt;
}

}  // namespace fencepost::lab
