#include "lab/diagram/cast.h"

#include <algorithm>
#include <tuple>

namespace fencepost::lab {
namespace {

int rank_of(const std::string& role) {
  if (role == "producer") return 0;
  if (role == "broker") return 1;
  if (role == "consumer") return 2;
  return 3;
}

// C10 comes after C2.
auto order_of(const Actor& actor) {
  return std::tuple(rank_of(actor.role), actor.name.size(), actor.name);
}

}  // namespace

std::vector<Actor> cast_of(const RunIndex& index) {
  std::map<std::string, std::string> roles;
  for (EntryId id = 0; id < index.entries().size(); ++id) {
    if (index.at(id).what != wire::CaptureRecord::kLifecycle) continue;
    const wire::CaptureRecord record = index.read(id);
    const wire::Lifecycle& life = record.lifecycle();
    if (life.kind() == wire::Lifecycle::JOIN) roles.try_emplace(life.process(), life.role());
  }
  std::vector<Actor> cast;
  for (const auto& [name, role] : roles) cast.push_back({name, role});
  std::ranges::sort(cast, {}, order_of);
  return cast;
}

}  // namespace fencepost::lab
