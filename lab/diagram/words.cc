#include "lab/diagram/words.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "common/events.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

using events::value_of;

std::string commas_to_blanks(std::string_view list) {
  std::string text(list);
  std::ranges::replace(text, ',', ' ');
  return text.empty() ? "-" : text;
}

std::vector<std::string> group_note(const wire::Event& event) {
  std::vector<std::string> lines = {fmt::format("group {}: {} to {}", value_of(event, "group"),
                                                value_of(event, "from"), value_of(event, "to"))};
  if (!value_of(event, "reason").empty()) {
    lines.push_back(without_uuids(value_of(event, "reason")));
  }
  if (value_of(event, "to") != "PreparingRebalance") {
    const std::vector<std::string_view> members = split(value_of(event, "members"), ',');
    std::vector<std::string> named;
    for (const std::string_view member : members) named.push_back(without_uuids(member));
    lines.push_back(fmt::format("generation {}, members {}", value_of(event, "generation"),
                                named.empty() ? "-" : fmt::format("{}", fmt::join(named, " "))));
  }
  return lines;
}

std::string call_text(const wire::Event& event) {
  return fmt::format("the application calls {}({})", value_of(event, "method"),
                     value_of(event, "arguments"));
}

}  // namespace

std::string short_partitions(std::string_view list, const PartitionNames& names) {
  std::string text;
  for (const std::string_view full : split(list, ',')) {
    const auto partition = parse_full_name(full);
    text +=
        (text.empty() ? "" : " ") + (partition ? names.short_name(*partition) : std::string(full));
  }
  return text.empty() ? "-" : text;
}

std::vector<std::string> note_of(const wire::Event& event, const PartitionNames& names) {
  const std::string& name = event.name();
  const auto partitions = [&](std::string_view key) {
    return short_partitions(value_of(event, key), names);
  };
  if (name == events::kGroupState) return group_note(event);
  if (name == events::kMemberRemoved) {
    return {fmt::format("{} is removed from group {}", without_uuids(value_of(event, "client")),
                        value_of(event, "group")),
            without_uuids(value_of(event, "reason"))};
  }
  if (name == events::kPartitionsAssigned) {
    const std::string added = partitions("partitions");
    const std::string owned = partitions("owned");
    if (added == owned) return {"is assigned " + added};
    return {"is assigned " + added, "and owns " + owned};
  }
  if (name == events::kPartitionsRevoked) return {"gives up " + partitions("partitions")};
  if (name == events::kPartitionsLost) return {"has lost " + partitions("partitions")};
  if (name == events::kCommitFailed) {
    return {"commit failed: " + std::string(value_of(event, "exception"))};
  }
  if (name == events::kClientError) {
    return {std::string(value_of(event, "exception")), std::string(value_of(event, "where"))};
  }
  if (name == events::kClientCalled) return {call_text(event)};
  if (name == events::kProduceRetry) {
    return {"sends again " + commas_to_blanks(value_of(event, "records")),
            std::string(value_of(event, "reason"))};
  }
  if (name == events::kRecordFailed) {
    return {fmt::format("{} could not be sent", value_of(event, "record")),
            std::string(value_of(event, "error"))};
  }
  return {};
}

bool is_told_by_lives(const wire::Rule& rule) {
  return std::ranges::all_of(rule.actions(), [](const wire::Action& action) {
    switch (action.kind()) {
      case wire::Action::START:
      case wire::Action::KILL:
      case wire::Action::STOP:
      case wire::Action::CONT:
      case wire::Action::CLOSE:
      case wire::Action::RESTART:
        return true;
      case wire::Action::SLOW:
      case wire::Action::PAUSE:
      case wire::Action::DROP:
      case wire::Action::DELAY:
      case wire::Action::REORDER:
      case wire::Action::PARTITION:
      case wire::Action::HEAL:
      case wire::Action::CALL:
        return false;
    }
    return false;
  });
}

}  // namespace fencepost::lab
