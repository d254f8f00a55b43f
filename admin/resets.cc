#include "admin/resets.h"

#include <algorithm>

namespace fencepost::admin {
namespace {

std::optional<Offset> at(const Offsets& offsets, const TopicPartition& where) {
  const auto found = offsets.find(where);
  return found == offsets.end() ? std::nullopt : std::optional(found->second);
}

Offset within(std::int64_t wanted, Offset first, Offset end) {
  return Offset(std::clamp(wanted, first.value(), end.value()));
}

}  // namespace

bool can_be_reset(const GroupFacts& group) {
  if (!group.described) return false;
  const std::string& state = group.described->group_state();
  return state == "Empty" || state == "Dead";
}

std::set<TopicPartition> reset_partitions(const AdminCommand& command, const GroupFacts& group,
                                          const Facts& facts) {
  std::set<TopicPartition> partitions;
  const auto add_topic = [&](const std::string& topic) {
    for (const auto& [where, leader] : facts.leaders) {
      if (where.topic == topic) partitions.insert(where);
    }
  };
  if (command.reset.kind == ResetTo::Kind::kGiven) {
    for (const auto& [where, offset] : command.reset.given) partitions.insert(where);
    return partitions;
  }
  for (const Target& target : command.targets) {
    if (target.partition) {
      partitions.insert({target.topic, *target.partition});
    } else {
      add_topic(target.topic);
    }
  }
  if (!command.targets.empty() || !group.committed) return partitions;
  for (const auto& [where, offset] : *group.committed) add_topic(where.topic);
  return partitions;
}

Offsets reset_offsets(const AdminCommand& command, const GroupFacts& group, const Facts& facts) {
  Offsets found;
  const Offsets none;
  const Offsets& committed = group.committed ? *group.committed : none;
  for (const TopicPartition& where : reset_partitions(command, group, facts)) {
    const auto first = at(facts.earliest, where);
    const auto end = at(facts.latest, where);
    if (!first || !end) continue;
    const auto current = at(committed, where);
    switch (command.reset.kind) {
      case ResetTo::Kind::kEarliest:
        found[where] = *first;
        break;
      case ResetTo::Kind::kLatest:
        found[where] = *end;
        break;
      case ResetTo::Kind::kCurrent:
        found[where] = current.value_or(*end);
        break;
      case ResetTo::Kind::kOffset:
        found[where] = within(command.reset.value, *first, *end);
        break;
      case ResetTo::Kind::kShiftBy:
        if (current) found[where] = within(current->value() + command.reset.value, *first, *end);
        break;
      case ResetTo::Kind::kTime:
      case ResetTo::Kind::kDuration:
        found[where] = at(facts.at_time, where).value_or(*end);
        break;
      case ResetTo::Kind::kGiven:
        found[where] = within(command.reset.given.at(where).value(), *first, *end);
        break;
    }
  }
  return found;
}

}  // namespace fencepost::admin
