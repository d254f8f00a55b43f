#include "lab/packet_words.h"

#include <spdlog/fmt/fmt.h>

#include "lab/wording.h"

namespace fencepost::lab {

std::string fate_text(Tick tick, const wire::Packet& packet) {
  switch (packet.fate()) {
    case wire::Packet::ARRIVES: {
      const std::int64_t ticks = packet.arrival_tick() - tick.value();
      return ticks == 1 ? "" : fmt::format(" [arrives at tick {}]", packet.arrival_tick());
    }
    case wire::Packet::DROPPED:
      return " [dropped]";
    case wire::Packet::PARTITIONED:
      return " [lost: partition]";
    case wire::Packet::REFUSED:
      return " [refused: nobody there]";
    case wire::Packet::CLOSED:
      return " [lost: connection closed]";
  }
  return "";
}

std::string lifecycle_text(const wire::Lifecycle& lifecycle) {
  const std::string who = lifecycle.outside() ? " from outside" : "";
  switch (lifecycle.kind()) {
    case wire::Lifecycle::JOIN:
      return fmt::format("starts{}: {}, life {}", who, lifecycle.role(), lifecycle.incarnation());
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

std::string event_text(const wire::Event& event) {
  std::string text = event.name();
  for (const auto& attribute : event.attributes()) {
    text += fmt::format(" {}={}", attribute.key(), without_uuids(attribute.value()));
  }
  return text;
}

}  // namespace fencepost::lab
