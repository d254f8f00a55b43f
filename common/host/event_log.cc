#include "common/host/event_log.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

#include "common/events.h"

namespace fencepost {
namespace {

using events::value_of;

constexpr std::array kOfEveryRecord = {
    events::kLogAppended,  events::kOffsetCommitted,  events::kOffsetsCommitted,
    events::kPollReturned, events::kRecordProcessing, events::kRecordProcessed,
    events::kRecordRead,   events::kRecordSent,       events::kRecordAcknowledged,
};
constexpr std::array kErrors = {events::kClientError, events::kCommitFailed, events::kRecordFailed,
                                events::kPartitionsLost};

spdlog::level::level_enum level_of(std::string_view name) {
  if (std::ranges::find(kOfEveryRecord, name) != kOfEveryRecord.end()) return spdlog::level::debug;
  if (std::ranges::find(kErrors, name) != kErrors.end()) return spdlog::level::warn;
  return spdlog::level::info;
}

// One event is one line, whatever a name or a reason holds.
std::string value_text(std::string_view value) {
  std::string text;
  bool quoted = value.empty();
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    quoted = quoted || byte <= ' ' || c == '"' || c == '=';
    if (byte < ' ' || byte == 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
  }
  return quoted ? '"' + text + '"' : text;
}

std::string attributes_of(const wire::Event& event) {
  std::string text;
  for (const wire::Attribute& attribute : event.attributes()) {
    text += fmt::format(" {}={}", attribute.key(), value_text(attribute.value()));
  }
  return text;
}

std::string counted_members(std::string_view list) {
  const auto members = list.empty() ? 0 : 1 + std::ranges::count(list, ',');
  return fmt::format("{} member{}", members, members == 1 ? "" : "s");
}

// As Kafka's GroupCoordinator writes it; empty where it writes nothing.
std::string member_removed(const wire::Event& event) {
  const std::string_view member = value_of(event, "member");
  const std::string_view group = value_of(event, "group");
  const std::string_view why = value_of(event, "reason");
  if (why.starts_with(fmt::format("member {} left", member))) {
    return fmt::format("Member {} has left group {} through explicit `LeaveGroup` request", member,
                       group);
  }
  return fmt::format("Member {} in group {} has failed, removing it from the group (reason: {})",
                     member, group, why);
}

std::string group_state(const wire::Event& event) {
  const std::string_view to = value_of(event, "to");
  const std::string_view group = value_of(event, "group");
  const std::string_view generation = value_of(event, "generation");
  const std::string_view reason = value_of(event, "reason");
  if (to == "PreparingRebalance") {
    return fmt::format(
        "Preparing to rebalance group {} in state {} with old generation {} (reason: {})", group,
        value_of(event, "from"), generation, reason);
  }
  if (to == "CompletingRebalance") {
    return fmt::format("Stabilized group {} generation {} with {}", group, generation,
                       counted_members(value_of(event, "members")));
  }
  if (to == "Stable") {
    return fmt::format("Assignment received from leader for group {} for generation {}", group,
                       generation);
  }
  if (to == "Empty") {
    return fmt::format("Group {} with generation {} is now empty (reason: {})", group, generation,
                       reason);
  }
  return {};
}

std::string in_kafkas_words(const wire::Event& event) {
  if (event.name() == events::kMemberRemoved) return member_removed(event);
  if (event.name() == events::kGroupState) return group_state(event);
  return {};
}

}  // namespace

std::string event_line(const wire::Event& event) {
  const std::string words = in_kafkas_words(event);
  if (words.empty()) return event.name() + attributes_of(event);
  // On one line, whatever a reason holds.
  std::string line = event.name() + ": ";
  for (const char c : words) line += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return line;
}

void log_event(ProcessLog& log, const wire::Event& event) {
  const spdlog::level::level_enum level = level_of(event.name());
  if (!log->should_log(level)) return;
  log->log(level, "{}", event_line(event));
}

}  // namespace fencepost
