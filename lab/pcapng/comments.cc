#include "lab/pcapng/comments.h"

#include <spdlog/fmt/fmt.h>

#include "lab/frame_facts.h"
#include "lab/packets/printable.h"

namespace fencepost::lab {

// "packet 123, tick 41, response 125; by timer session.timeout.ms, armed at tick 35 by packet 99 of
// C2; dropped by rule 3: {at: 30, drop: ...}"
std::string PacketComments::of(std::uint32_t number, Tick tick, const wire::Packet& packet) const {
  std::string text = fmt::format("packet {}, tick {}", number, tick.value());
  if (const std::uint32_t other = trace_.counterpart(number); other != 0) {
    text += fmt::format(", {} {}", is_response(packet.frame()) ? "request" : "response", other);
  }
  text += "; by " + because(number, packet);
  if (const std::string fared = fate(tick, packet); !fared.empty()) text += "; " + fared;
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

std::string PacketComments::because(std::uint32_t number, const wire::Packet& packet) const {
  const wire::Cause& cause = packet.cause();
  if (!cause.has_timer()) return origin(number, packet);
  return fmt::format("timer {}, armed at tick {} by {}", cause.timer(), cause.armed_tick(),
                     origin(number, packet));
}

std::string PacketComments::origin(std::uint32_t number, const wire::Packet& packet) const {
  const wire::Cause& cause = packet.cause();
  const std::uint32_t by = trace_.cause(number);
  switch (cause.kind()) {
    case wire::Cause::START:
      return "the start of " + packet.frame().header().source();
    case wire::Cause::CLOSE:
      return "SIGTERM";
    case wire::Cause::COMMAND:
      return fmt::format("a command in tick {}", cause.tick());
    case wire::Cause::FRAME:
      return by == 0 ? "a packet of " + cause.source()
                     : fmt::format("packet {} of {}", by, cause.source());
    case wire::Cause::DISCONNECTED:
      return fmt::format("the end of the connection to {}", cause.source());
  }
  return "";
}

}  // namespace fencepost::lab
