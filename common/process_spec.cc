#include "common/process_spec.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>

namespace fencepost {
namespace {

constexpr std::size_t kMaxNameLength = 64;
constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr std::string_view kNeverFirst = ".-";   // "..", and what looks like an option
constexpr std::string_view kReserved = "clock";  // has its log beside those of the others

using Values = std::map<std::string, std::string, std::less<>>;

Values raw_values(const WireProperties& properties) {
  Values values;
  for (const wire::Property& property : properties) values[property.name()] = property.value();
  return values;
}

// As a process says them in its Hello. What cannot be read stays as it is.
Values values_of(std::string_view role, const WireProperties& properties) {
  const std::optional<Role> known = role_from_string(role);
  if (!known) return raw_values(properties);
  try {
    Properties read(*known);
    for (const wire::Property& property : properties) {
      read.set(property.name(), property.value(), "");
    }
    return read.explicit_values();
  } catch (const ConfigError&) {
    return raw_values(properties);
  }
}

}  // namespace

std::string objection_to_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameLength ||
      name.find_first_not_of(kNameCharacters) != std::string_view::npos ||
      kNeverFirst.find(name.front()) != std::string_view::npos) {
    return fmt::format(
        "a name has 1 to {} of letters, digits, '.', '_' and '-', and begins with no '.' or '-'",
        kMaxNameLength);
  }
  if (name == kReserved) return "the clock has this name";
  return {};
}

std::string objection_to_properties(Role role, const WireProperties& properties) {
  try {
    Properties read(role);
    for (const wire::Property& property : properties) {
      read.set(property.name(), property.value(), property.name());
    }
    read.validate();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

bool same_properties(std::string_view role, const WireProperties& left,
                     const WireProperties& right) {
  return raw_values(left) == raw_values(right) || values_of(role, left) == values_of(role, right);
}

}  // namespace fencepost
