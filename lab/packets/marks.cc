#include "lab/packets/marks.h"

#include <spdlog/fmt/fmt.h>

#include <set>
#include <vector>

#include "common/events.h"
#include "lab/packets/printable.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

std::string partitions_of(const wire::Event& event, std::string_view key,
                          const PartitionNames& names) {
  std::set<TopicPartition> partitions;
  for (const std::string_view item : split(events::value_of(event, key), ',')) {
    if (const auto partition = parse_full_name(item)) partitions.insert(*partition);
  }
  return names.list(partitions);
}

std::string by_rule(const wire::Packet& packet, std::string_view before) {
  return packet.has_rule() ? fmt::format("{}rule {}", before, packet.rule()) : "";
}

}  // namespace

std::string fate_text(Tick tick, const wire::Packet& packet) {
  switch (packet.fate()) {
    case wire::Packet::ARRIVES:
      if (packet.arrival_tick() - tick.value() == 1) return by_rule(packet, "reordered: ");
      return fmt::format("arrives at tick {}{}", packet.arrival_tick(), by_rule(packet, ": "));
    case wire::Packet::DROPPED:
      return "dropped" + by_rule(packet, ": ");
    case wire::Packet::PARTITIONED:
      return "lost: partition" + by_rule(packet, ", ");
    case wire::Packet::REFUSED:
      return "refused: nobody there";
    case wire::Packet::CLOSED:
      return "lost: connection closed";
  }
  return "";
}

std::string_view fate_word(wire::Packet::Fate fate) {
  switch (fate) {
    case wire::Packet::ARRIVES:
      return "arrives";
    case wire::Packet::DROPPED:
      return "dropped";
    case wire::Packet::PARTITIONED:
      return "partitioned";
    case wire::Packet::REFUSED:
      return "refused";
    case wire::Packet::CLOSED:
      return "closed";
  }
  return "";
}

std::string lifecycle_text(const wire::Lifecycle& lifecycle) {
  const std::string who = lifecycle.outside() ? " from outside" : "";
  switch (lifecycle.kind()) {
    case wire::Lifecycle::JOIN:
      return printable(
          fmt::format("starts{}: {}, life {}", who, lifecycle.role(), lifecycle.incarnation()));
    case wire::Lifecycle::KILL:
      return "is killed (kill -9)" + who;
    case wire::Lifecycle::CLOSE:
      return "is asked to close (SIGTERM)" + who;
    case wire::Lifecycle::FREEZE:
      return fmt::format("is stopped (SIGSTOP){}{}", who,
                         lifecycle.holding() ? " in the middle of a step" : "");
    case wire::Lifecycle::THAW:
      return "goes on (SIGCONT)" + who;
    case wire::Lifecycle::EXIT:
      return fmt::format("ends with exit code {}", lifecycle.exit_code());
  }
  return "";
}

std::string rule_text(const wire::Fired& fired) {
  return printable(fmt::format("rule {}: {}", fired.rule(), fired.text()));
}

std::string group_state_text(const wire::Event& event) {
  const auto value = [&event](std::string_view key) {
    return without_uuids(events::value_of(event, key));
  };
  std::vector<std::string> ids;
  for (const std::string_view member : split(events::value_of(event, "members"), ',')) {
    ids.emplace_back(member);
  }
  return printable(fmt::format("group {} {} -> {} gen={} ({}) members=[{}]", value("group"),
                               value("from"), value("to"), value("generation"), value("reason"),
                               fmt::join(member_names(ids), " ")));
}

std::string member_text(const wire::Event& event, const PartitionNames& names) {
  const std::string& name = event.name();
  if (name == events::kPartitionsAssigned) {
    return printable(fmt::format("owns {} in generation {}", partitions_of(event, "owned", names),
                                 events::value_of(event, "generation")));
  }
  if (name == events::kPartitionsRevoked) {
    return printable("gives up " + partitions_of(event, "partitions", names));
  }
  if (name == events::kPartitionsLost) {
    return printable("has lost " + partitions_of(event, "partitions", names));
  }
  return is_failure(event) ? event_text(event) : "";
}

bool is_failure(const wire::Event& event) {
  return event.name() == events::kClientError || event.name() == events::kCommitFailed;
}

std::string event_text(const wire::Event& event) {
  std::string text = event.name();
  for (const auto& attribute : event.attributes()) {
    text += fmt::format(" {}={}", attribute.key(), without_uuids(attribute.value()));
  }
  return printable(text);
}

}  // namespace fencepost::lab
