#include "lab/packets.h"

#include <spdlog/fmt/fmt.h>

#include <ostream>
#include <stdexcept>

#include "common/capture_file.h"
#include "lab/frame_facts.h"
#include "lab/packets/info.h"
#include "lab/packet_words.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

constexpr std::string_view kFormat = "{:>6} {:>6} {:>10}  {:<6} {:<6} {:<9} {:>6}  {}\n";
constexpr std::string_view kNoteFormat = "{:>6} {:>6} {:>10}  {:<6} {}\n";

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
  ++number_;
  if (!is_of(packet.frame(), options_.only)) return "";
  return fmt::format(fmt::runtime(kFormat), number_, tick.value(), seconds(tick, tick_ms_),
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
  PacketList list(std::move(options));
  out << PacketList::heading();
  bool any = false;
  while (out) {
    const auto record = reader.next();
    if (!record && !any) throw std::runtime_error(capture + ": is empty, not a capture");
    if (!record) break;
    any = true;
    out << list.line_of(Tick(reader.tick()), *record);
  }
}

}  // namespace fencepost::lab
