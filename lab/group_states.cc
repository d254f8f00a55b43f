#include "lab/group_states.h"

#include "common/events.h"
#include "lab/partition_names.h"

namespace fencepost::lab {
namespace {

constexpr std::string_view kPreparing = "PreparingRebalance";

}  // namespace

void GroupStates::add(Tick tick, const wire::CaptureRecord& record) {
  if (record.has_step()) process_ = record.step().process();
  if (!record.has_occurrence()) return;
  const wire::Event& event = record.occurrence().event();
  if (event.name() != events::kGroupState) return;
  const auto value = [&event](std::string_view key) {
    return std::string(events::value_of(event, key));
  };
  GroupStanding& group = groups_[value("group")];
  group.state = value("to");
  group.generation = value("generation");
  group.reason = value("reason");
  group.since = tick;
  group.coordinator = process_;
  group.members.clear();
  for (const std::string_view member : split(events::value_of(event, "members"), ',')) {
    group.members.emplace_back(member);
  }
  if (group.state == kPreparing) group.rebalance_reason = group.reason;
}

}  // namespace fencepost::lab
