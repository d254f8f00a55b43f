// The registry behind Properties: which names are known, and to whom. For properties.cc and for
// whoever describes or checks names (help texts, scenarios).
#pragma once

#include <string_view>
#include <vector>

#include "common/properties.h"

namespace fencepost {

// The row of a property for processes of a role; null if they have none of that name.
const PropertyInfo* find_property(std::string_view name, Role role);

// Kafka knows it, but it means nothing here (serializers, security, ...): accepted, without effect.
bool is_meaningless_property(std::string_view name);

// Every name that a process of a role may be given, sorted: what a typing error is compared with.
std::vector<std::string_view> property_names(Role role);

}  // namespace fencepost
