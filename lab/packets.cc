#include "lab/packets.h"

#include <spdlog/fmt/fmt.h>

#include <ostream>

#include "common/capture_file.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

constexpr std::string_view kFormat = "{:>6} {:>6} {:>10}  {:<6} {:<6} {:<9} {:>6}  {}\n";
constexpr std::string_view kNoteFormat = "{:>6} {:>6} {:>10}  {:<6} {}\n";

// How a packet fared, where it did not simply arrive in the next tick.
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

}  // namespace

std::string PacketList::heading() {
  return fmt::format(fmt::runtime(kFormat), "No.", "Tick", "Time", "Source", "Dest", "Protocol",
                     "Length", "Info");
}

std::string PacketList::note(Tick tick, const std::string& who, const std::string& text) const {
  return fmt::format(fmt::runtime(kNoteFormat), "", tick.value(), seconds(tick, tick_ms_), who,
                     text);
}

std::string PacketList::packet_line(Tick tick, const wire::Packet& packet) {
  const wire::Header& header = packet.frame().header();
  return fmt::format(fmt::runtime(kFormat), ++number_, tick.value(), seconds(tick, tick_ms_),
                     header.source(), header.destination(), "Fencepost",
                     packet.frame().ByteSizeLong(),
                     info_of(packet.frame(), names_) + fate_text(tick, packet));
}

std::string PacketList::line_of(Tick tick, const wire::CaptureRecord& record) {
  switch (record.what_case()) {
    case wire::CaptureRecord::kHeader:
      names_ = PartitionNames(record.header().topics());
      tick_ms_ = record.header().tick_ms();
      return "";
    case wire::CaptureRecord::kLifecycle:
      return note(tick, record.lifecycle().process(), "*** " + lifecycle_text(record.lifecycle()));
    case wire::CaptureRecord::kStep:
      process_ = record.step().process();
      return "";
    case wire::CaptureRecord::kPacket:
      return packet_line(tick, record.packet());
    case wire::CaptureRecord::kOccurrence:
      if (!options_.events) return "";
      return note(tick, process_, "--- " + event_text(record.occurrence().event()));
    case wire::CaptureRecord::kFired:
      return note(tick, "", "*** rule " + record.fired().text());
    case wire::CaptureRecord::kEnd:
      return note(tick, "", "*** end of the run: " + record.end().reason());
    case wire::CaptureRecord::kReception:
    case wire::CaptureRecord::WHAT_NOT_SET:
      return "";
  }
  return "";
}

void list_packets(const std::string& capture, std::ostream& out, PacketList::Options options) {
  CaptureReader reader(capture);
  PacketList list(options);
  out << PacketList::heading();
  while (out) {
    const auto record = reader.next();
    if (!record) break;
    out << list.line_of(Tick(reader.tick()), *record);
  }
}

}  // namespace fencepost::lab
