#include "lab/overrides.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <optional>

#include "common/properties_registry.h"
#include "lab/node_reader.h"

namespace fencepost::lab {
namespace {

struct Override {
  std::string text;
  std::string target;  // a process or a role; empty: whoever knows the property
  std::string key;
  std::string value;
};

Override parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError(fmt::format("-X {}: not key=value or PROCESS:key=value", text));
  }
  Override one{
      .text = text, .target = "", .key = text.substr(0, equals), .value = text.substr(equals + 1)};
  const std::size_t colon = one.key.find(':');
  if (colon == std::string::npos) return one;
  one.target = one.key.substr(0, colon);
  one.key = one.key.substr(colon + 1);
  return one;
}

// Kafka's name, or one of ours with or without its "app."; nothing if the role does not know it.
std::optional<std::string> name_for(const std::string& key, Role role) {
  if (find_property(key, role) != nullptr || is_meaningless_property(key)) return key;
  if (find_property("app." + key, role) != nullptr) return "app." + key;
  return std::nullopt;
}

bool is_target(const Override& one, const wire::ProcessSpec& spec) {
  return one.target.empty() || one.target == spec.name() || one.target == spec.role();
}

void set(wire::ProcessSpec& spec, const std::string& name, const Override& one) {
  const std::string where = "-X " + one.text;
  Properties properties(role_from_string(spec.role()).value());
  for (const wire::Property& property : spec.properties()) {
    properties.set(property.name(), property.value(), "the scenario");
  }
  properties.set(name, one.value, where);
  spec.clear_properties();
  for (const auto& [property, value] : properties.explicit_values()) {
    wire::Property* added = spec.add_properties();
    added->set_name(property);
    added->set_value(value);
  }
}

// Together they may be wrong where each of them is right, so this comes last.
void validate(const wire::ProcessSpec& spec) {
  Properties properties(role_from_string(spec.role()).value());
  for (const wire::Property& property : spec.properties()) {
    properties.set(property.name(), property.value(), "the scenario");
  }
  try {
    properties.validate();
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", spec.name(), error.what()));
  }
}

[[noreturn]] void nobody_knows(const wire::Plan& plan, const Override& one) {
  std::vector<std::string> targets;
  std::vector<std::string_view> names;
  for (const wire::ProcessSpec& spec : plan.processes()) {
    targets.push_back(spec.name());
    targets.push_back(spec.role());
    if (!is_target(one, spec)) continue;
    for (const std::string_view name : property_names(role_from_string(spec.role()).value())) {
      names.push_back(name);
    }
  }
  const std::string what = names.empty() ? unknown_word("process", one.target, views(targets))
                                         : unknown_word("property", one.key, names);
  throw ConfigError(fmt::format("-X {}: {}", one.text, what));
}

}  // namespace

void override_properties(wire::Plan& plan, const std::vector<std::string>& assignments) {
  for (const std::string& text : assignments) {
    const Override one = parse_override(text);
    bool known = false;
    for (wire::ProcessSpec& spec : *plan.mutable_processes()) {
      if (!is_target(one, spec)) continue;
      const auto name = name_for(one.key, role_from_string(spec.role()).value());
      if (!name) continue;
      set(spec, *name, one);
      known = true;
    }
    if (!known) nobody_knows(plan, one);
  }
  for (const wire::ProcessSpec& spec : plan.processes()) validate(spec);
}

CLI::Option* add_overrides(CLI::App& command, std::vector<std::string>& assignments) {
  return command
      .add_option("-X", assignments,
                  "A property that is stronger than the scenario's: key=value, PROCESS:key=value\n"
                  "or ROLE:key=value. May be given several times")
      ->allow_extra_args(false);
}

}  // namespace fencepost::lab
