// Properties from environment variables, named as Kafka's images name them.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

#include "common/properties.h"
#include "common/properties_registry.h"

namespace fencepost {
namespace {

constexpr std::string_view kPrefix = "KAFKA_";
constexpr std::array kRoles = {Role::kBroker, Role::kConsumer, Role::kProducer, Role::kProbe,
                               Role::kAdmin};

// "SESSION_TIMEOUT_MS" is session.timeout.ms. A dash is two underscores in some images and three in
// others; no property has an underscore in its name, so both are understood.
std::string property_of(std::string_view variable) {
  std::string name;
  for (std::size_t i = 0; i < variable.size();) {
    if (variable[i] != '_') {
      const char c = variable[i++];
      name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      continue;
    }
    const std::size_t end = std::min(variable.find_first_not_of('_', i), variable.size());
    name += end - i == 1 ? '.' : '-';
    i = end;
  }
  return name;
}

std::string variable_of(std::string_view property) {
  std::string variable(kPrefix);
  for (const char c : property) {
    if (c == '.') {
      variable += '_';
    } else if (c == '-') {
      variable += "___";
    } else {
      variable += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return variable;
}

// One .env file serves all services, so the properties of others are in it, too.
bool is_anybodys(std::string_view property) {
  return std::ranges::any_of(kRoles,
                             [&](Role role) { return find_property(property, role) != nullptr; });
}

[[noreturn]] void fail_unknown(std::string_view variable, std::string_view property) {
  std::vector<std::string_view> names;
  for (const Role role : kRoles) {
    const std::vector<std::string_view> more = property_names(role);
    names.insert(names.end(), more.begin(), more.end());
  }
  const std::optional<std::string> meant = nearest(property, names);
  throw ConfigError(fmt::format(
      "{}: there is no property {}{}", variable, property,
      meant ? fmt::format("; did you mean {} ({})?", variable_of(*meant), *meant) : std::string()));
}

}  // namespace

void Properties::load_environment(std::span<const std::string_view> variables) {
  for (const std::string_view assignment : variables) {
    const std::size_t equals = std::min(assignment.find('='), assignment.size());
    const std::string_view variable = assignment.substr(0, equals);
    const std::string_view value = assignment.substr(std::min(equals + 1, assignment.size()));
    if (!variable.starts_with(kPrefix) || value.empty()) continue;
    const std::string property = property_of(variable.substr(kPrefix.size()));
    if (find_property(property, role_) != nullptr || is_meaningless_property(property)) {
      set(property, value, variable);
    } else if (!is_anybodys(property)) {
      fail_unknown(variable, property);
    }
  }
}

}  // namespace fencepost
