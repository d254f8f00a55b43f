#include "lab/why/settings.h"

#include <algorithm>

#include "common/properties.h"
#include "lab/partition_names.h"

namespace fencepost::lab::why {
namespace {

const PropertyInfo* find_property(std::string_view name) {
  const auto all = all_properties();
  const auto found = std::ranges::find(all, name, &PropertyInfo::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

Settings::Settings(const wire::Plan* plan, std::int64_t tick_ms)
    : tick_ms_(std::max<std::int64_t>(tick_ms, 1)) {
  if (plan == nullptr) return;
  for (const wire::ProcessSpec& spec : plan->processes()) {
    Process& process = processes_[spec.name()];
    process.role = spec.role();
    for (const auto& property : spec.properties())
      process.values[property.name()] = property.value();
  }
  for (const wire::Decision& decision : plan->journal()) {
    if (decision.kind() != wire::Decision::JOIN || decision.role().empty()) continue;
    Process& process = processes_[decision.process()];
    process = {decision.role(), {}};
    for (const auto& property : decision.properties()) {
      process.values[property.name()] = property.value();
    }
  }
}

TickSpan Settings::ticks(std::int64_t ms) const {
  return TickSpan(ms / tick_ms_ + (ms % tick_ms_ > 0 ? 1 : 0));
}

Setting Settings::told(std::string_view property, std::int64_t ms) const {
  return {std::string(property), std::to_string(ms), false, ticks(ms)};
}

std::optional<Setting> Settings::of(const std::string& process, std::string_view property) const {
  const auto found = processes_.find(process);
  const PropertyInfo* const known = find_property(property);
  if (found == processes_.end() || known == nullptr) return {};
  const auto roles = split(known->roles, ',');
  if (std::ranges::find(roles, found->second.role) == roles.end()) return {};
  Setting setting;
  setting.property = property;
  const auto value = found->second.values.find(property);
  setting.by_default = value == found->second.values.end();
  setting.value = setting.by_default ? std::string(known->default_value) : value->second;
  const auto number = parse_integer(setting.value);
  if (number && property.ends_with(".ms")) setting.span = ticks(*number);
  if (number && property.ends_with(".minutes")) setting.span = ticks(*number * 60'000);
  return setting;
}

std::optional<Setting> Settings::of_broker(std::string_view property) const {
  const auto broker =
      std::ranges::find_if(processes_, [](const auto& one) { return one.second.role == "broker"; });
  if (broker == processes_.end()) return {};
  return of(broker->first, property);
}

}  // namespace fencepost::lab::why
