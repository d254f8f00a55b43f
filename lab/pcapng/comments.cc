#include "lab/pcapng/comments.h"

#include <spdlog/fmt/fmt.h>

#include "lab/packets/printable.h"

namespace fencepost::lab {

// "packet 123, tick 41, response 125; by timer session.timeout.ms, armed at tick 35 by packet 99 of
// C2; dropped by rule 3: {at: 30, drop: ...}"
std::string PacketComments::of(std::uint64_t record, const wire::Packet& packet) const {
  const auto id = index_.of_record(record);
  if (!id) return "";
  const IndexEntry& entry = index_.at(*id);
  std::string text = fmt::format("packet {}, tick {}", entry.number, entry.tick.value());
  if (entry.counterpart) {
    text += fmt::format(
        ", {} {}", packet.frame().header().has_destination_incarnation() ? "request" : "response",
        index_.at(*entry.counterpart).number);
  }
  text += "; by " + because(entry, packet.cause());
  if (const std::string fared = fate(entry.tick, packet); !fared.empty()) text += "; " + fared;
  return printable(text);
}

std::string PacketComments::fate(Tick tick, const wire::Packet& packet) const {
  std::string by;
  if (packet.has_rule()) {
    by = fmt::format("rule {}", packet.rule());
    const auto known = rules_.find(packet.rule());
    if (known != rules_.end()) by += ": " + known->second;
  }
  switch (packet.fate()) {
    case wire::Packet::ARRIVES:
      if (packet.arrival_tick() - tick.value() == 1) {
        return by.empty() ? "" : "reordered by " + by;
      }
      return fmt::format("arrives at tick {}{}", packet.arrival_tick(),
                         by.empty() ? "" : ", delayed by " + by);
    case wire::Packet::DROPPED:
      return "lost: dropped by " + by;
    case wire::Packet::PARTITIONED:
      return "lost: partition, by " + by;
    case wire::Packet::REFUSED:
      return "lost: refused, nobody there";
    case wire::Packet::CLOSED:
      return "lost: its connection has been closed";
  }
  return "";
}

std::string PacketComments::because(const IndexEntry& entry, const wire::Cause& cause) const {
  if (!cause.has_timer()) return origin(entry, cause);
  return fmt::format("timer {}, armed at tick {} by {}", cause.timer(), cause.armed_tick(),
                     origin(entry, cause));
}

std::string PacketComments::origin(const IndexEntry& entry, const wire::Cause& cause) const {
  const IndexEntry* const known = entry.cause ? &index_.at(*entry.cause) : nullptr;
  switch (cause.kind()) {
    case wire::Cause::START:
      return fmt::format("the start of {}", index_.processes().at(entry.process));
    case wire::Cause::CLOSE:
      return "SIGTERM";
    case wire::Cause::COMMAND:
      return fmt::format("a command in tick {}", cause.tick());
    case wire::Cause::FRAME:
      return known == nullptr ? "a packet of " + cause.source()
                              : fmt::format("packet {} of {}", known->number, cause.source());
    case wire::Cause::DISCONNECTED:
      return fmt::format("the end of the connection to {}", cause.source());
  }
  return "";
}

}  // namespace fencepost::lab
