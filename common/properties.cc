#include "common/properties.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>

#include "common/check.h"
#include "common/properties_registry.h"

namespace fencepost {
namespace {

// A value beyond it counts as it: for ever, yet sums of a few of them stay in range.
constexpr std::int64_t kLongMax = std::numeric_limits<std::int64_t>::max() / 8;
constexpr std::size_t kQuotedCharactersMax = 60;
constexpr std::size_t kWordMax = 200;  // longer words are no typing errors

struct RoleName {
  Role role;
  std::string_view name;
};
constexpr std::array kRoles = std::to_array<RoleName>({{Role::kBroker, "broker"},
                                                       {Role::kConsumer, "consumer"},
                                                       {Role::kProducer, "producer"},
                                                       {Role::kProbe, "probe"},
                                                       {Role::kAdmin, "admin"}});

struct ClassName {
  std::string_view java;
  std::string_view name;
};
constexpr std::array kAssignorClasses = std::to_array<ClassName>({
    {"org.apache.kafka.clients.consumer.CooperativeStickyAssignor", "cooperative-sticky"},
    {"org.apache.kafka.clients.consumer.RangeAssignor", "range"},
    {"org.apache.kafka.clients.consumer.RoundRobinAssignor", "roundrobin"},
    {"org.apache.kafka.clients.consumer.StickyAssignor", "sticky"},
    {"org.apache.kafka.coordinator.group.assignor.RangeAssignor", "range"},
    {"org.apache.kafka.coordinator.group.assignor.UniformAssignor", "uniform"},
});

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// What stands in a message: one line, of a bounded length, whatever was given.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kQuotedCharactersMax)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return text.size() > kQuotedCharactersMax ? out + "..." : out;
}

std::string quoted(std::string_view text) { return '"' + printable(text) + '"'; }

[[noreturn]] void fail(std::string_view where, std::string_view name, std::string_view problem) {
  throw ConfigError(fmt::format("{}: {}: {}", where, printable(name), problem));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> items;
  while (true) {
    const std::size_t end = text.find(separator);
    items.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return items;
    text.remove_prefix(end + 1);
  }
}

std::string one_of(std::string_view choices) {
  return fmt::format("{}", fmt::join(split(choices, ','), ", "));
}

// Where `value` is none of the choices.
[[noreturn]] void fail_choice(std::string_view where, const PropertyInfo& row,
                              std::string_view value) {
  const std::vector<std::string_view> choices = split(row.choices, ',');
  const std::optional<std::string> meant = nearest(value, choices);
  const std::string hint = meant ? fmt::format("; did you mean \"{}\"?", *meant) : std::string();
  fail(where, row.name,
       fmt::format("{} is not one of {}{}", quoted(value), one_of(row.choices), hint));
}

void check_choice(std::string_view where, const PropertyInfo& row, std::string_view value) {
  const std::vector<std::string_view> choices = split(row.choices, ',');
  if (std::ranges::find(choices, value) == choices.end()) fail_choice(where, row, value);
}

std::int64_t largest(const PropertyInfo& row) {
  return row.type == PropertyType::kInt ? std::numeric_limits<std::int32_t>::max()
                                        : std::numeric_limits<std::int64_t>::max();
}

std::int64_t parsed_number(std::string_view where, const PropertyInfo& row,
                           std::string_view value) {
  // Java's parseInt takes a sign of either kind, from_chars only a minus.
  std::string_view digits = value;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  std::int64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error == std::errc::result_out_of_range && stop == end) {
    fail(where, row.name, fmt::format("{} is out of range", quoted(value)));
  }
  if (error != std::errc() || stop != end) {
    fail(where, row.name, fmt::format("{} is not an integer", quoted(value)));
  }
  if (number < row.min) {
    fail(where, row.name,
         fmt::format("{} is too small; the smallest value is {}", number, row.min));
  }
  if (number > largest(row)) {
    fail(where, row.name,
         fmt::format("{} is too large; the largest value is {}", number, largest(row)));
  }
  return number;
}

std::string parsed_bool(std::string_view where, const PropertyInfo& row, std::string_view value) {
  std::string lower(value);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (lower != "true" && lower != "false") {
    fail(where, row.name, fmt::format("{} is not true or false", quoted(value)));
  }
  return lower;
}

std::string_view short_name(std::string_view assignor) {
  const auto row = std::ranges::find(kAssignorClasses, assignor, &ClassName::java);
  return row != kAssignorClasses.end() ? row->name : assignor;
}

std::string parsed_list(std::string_view where, const PropertyInfo& row, std::string_view value) {
  if (value.empty()) return {};
  std::vector<std::string_view> items = split(value, ',');
  for (std::string_view& item : items) {
    if (item.empty()) {
      fail(where, row.name, fmt::format("{} has an empty item", quoted(value)));
    }
    if (row.choices.empty()) continue;
    item = short_name(item);
    check_choice(where, row, item);
    if (std::ranges::count(items, item) > 1) {
      fail(where, row.name, fmt::format("{} is listed twice", quoted(item)));
    }
  }
  return fmt::format("{}", fmt::join(items, ","));
}

// The value as it is kept: checked, in one spelling.
std::string parsed(std::string_view where, const PropertyInfo& row, std::string_view value) {
  switch (row.type) {
    case PropertyType::kString:
      return std::string(value);
    case PropertyType::kInt:
    case PropertyType::kLong:
      return std::to_string(parsed_number(where, row, value));
    case PropertyType::kBool:
      return parsed_bool(where, row, value);
    case PropertyType::kList:
      return parsed_list(where, row, value);
    case PropertyType::kChoice:
      check_choice(where, row, value);
      return row.name == "acks" && value == "-1" ? "all" : std::string(value);
  }
  CHECK(false, "property {} has no type", row.name);
}

[[noreturn]] void fail_unknown(std::string_view where, std::string_view name, Role role) {
  for (const RoleName& other : kRoles) {
    const PropertyInfo* row = find_property(name, other.role);
    if (row == nullptr) continue;
    fail(where, name,
         fmt::format("{} {} has no such property; it belongs to: {}",
                     role == Role::kAdmin ? "an" : "a", to_string(role), one_of(row->roles)));
  }
  const std::optional<std::string> meant = nearest(name, property_names(role));
  const std::string hint = meant ? fmt::format("; did you mean \"{}\"?", *meant) : std::string();
  throw ConfigError(fmt::format("{}: unknown property {}{}", where, quoted(name), hint));
}

// How many insertions, removals, replacements and swaps of neighbours turn one word into the other.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before(right.size() + 1);
  std::vector<std::size_t> above(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[right.size()];
}

}  // namespace

std::string_view to_string(Role role) {
  return std::ranges::find(kRoles, role, &RoleName::role)->name;
}

std::optional<Role> role_from_string(std::string_view name) {
  const auto row = std::ranges::find(kRoles, name, &RoleName::name);
  if (row == kRoles.end()) return std::nullopt;
  return row->role;
}

std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kWordMax) return std::nullopt;
  std::optional<std::string> best;
  // One mistake in three letters, and never every letter.
  std::size_t limit = std::min(std::max<std::size_t>(word.size() / 3, 1) + 1, word.size());
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= limit) continue;
    limit = distance;
    best = candidate;
  }
  return best;
}

void Properties::set(std::string_view name, std::string_view value, std::string_view where) {
  const PropertyInfo* row = find_property(name, role_);
  if (row != nullptr) {
    values_.insert_or_assign(std::string(name), parsed(where, *row, trimmed(value)));
    return;
  }
  if (!is_meaningless_property(name)) fail_unknown(where, name, role_);
  values_.insert_or_assign(std::string(name), std::string());  // perhaps a password: not kept
  const auto place = std::ranges::lower_bound(ignored_, name);
  if (place == ignored_.end() || *place != name) ignored_.insert(place, std::string(name));
}

void Properties::set_assignment(std::string_view assignment, std::string_view where) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw ConfigError(
        fmt::format("{}: {} is not of the form NAME=VALUE", where, quoted(assignment)));
  }
  const std::string_view name = trimmed(assignment.substr(0, equals));
  if (name.empty()) {
    throw ConfigError(fmt::format("{}: {} has no name before '='", where, quoted(assignment)));
  }
  set(name, assignment.substr(equals + 1), where);
}

bool Properties::has(std::string_view name) const { return values_.contains(name); }

std::string Properties::get(std::string_view name) const {
  const PropertyInfo* row = find_property(name, role_);
  CHECK(row != nullptr, "a {} has no property {}", to_string(role_), name);
  const auto set = values_.find(name);
  return set != values_.end() ? set->second : std::string(row->default_value);
}

std::int64_t Properties::get_int(std::string_view name) const {
  const std::string text = get(name);
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  CHECK(error == std::errc() && stop == end, "{} is \"{}\"", name, text);
  return std::min(number, kLongMax);
}

bool Properties::get_bool(std::string_view name) const {
  const std::string text = get(name);
  CHECK(text == "true" || text == "false", "{} is \"{}\"", name, text);
  return text == "true";
}

std::vector<std::string> Properties::get_list(std::string_view name) const {
  const std::string text = get(name);
  if (text.empty()) return {};
  const std::vector<std::string_view> items = split(text, ',');
  return {items.begin(), items.end()};
}

}  // namespace fencepost
