// What may stand behind a process that joins a run: its name, its role and its properties. The same
// rules hold for what scenarios and journals say, for what people ask for, and for what a process
// says of itself.
#pragma once

#include <string>
#include <string_view>

#include "common/properties.h"
#include "proto/clock.pb.h"

namespace fencepost {

using WireProperties = google::protobuf::RepeatedPtrField<wire::Property>;

// Why a process cannot have this name; empty if it can. The name stands in file names and on
// command lines.
std::string objection_to_name(std::string_view name);

// Why a process of this role cannot have these properties; empty if it can.
std::string objection_to_properties(Role role, const WireProperties& properties);

// Whether they mean the same, however they are ordered and written (short names of assignors).
bool same_properties(std::string_view role, const WireProperties& left,
                     const WireProperties& right);

}  // namespace fencepost
