#include <spdlog/fmt/fmt.h>

#include "lab/frame_facts.h"
#include "lab/packets/info.h"
#include "lab/packets/marks.h"
#include "lab/packets/packet_lines.h"
#include "lab/packets/printable.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

constexpr std::string_view kFull = "{:>6} {:>6} {:>10}  {:<6} {:<11} {:<9} {:>6}  {}\n";
constexpr std::string_view kFullMark = "{:>6} {:>6} {:>10}  {:<6} {} {}\n";
constexpr std::string_view kLiveFront = "{:>6} {:>5} {:>9}  {:<6} {:<6} ";
constexpr std::size_t kLiveFrontWidth = 38;
constexpr std::size_t kNarrowest = 60;  // a terminal that is smaller breaks lines itself

constexpr std::string_view kCyan = "\x1b[36m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kYellow = "\x1b[1;33m";
constexpr std::string_view kMagenta = "\x1b[35m";
constexpr std::string_view kFaint = "\x1b[2m";

// What stands behind Info: how the packet fared, and its answer or request.
std::string brackets(const ListItem& item, const PacketTrace& trace) {
  const std::string fate = fate_text(item.tick, item.packet());
  std::string text = fate.empty() ? "" : " [" + fate + "]";
  if (const std::uint32_t other = trace.counterpart(item.number)) {
    const bool answers = is_response(item.packet().frame());
    text += fmt::format(" [{} {}]", answers ? "request" : "response", other);
  }
  return text;
}

std::string_view sign(const ListItem& item) {
  switch (item.kind) {
    case ListItem::Kind::kMember:
    case ListItem::Kind::kEvent:
      return "---";
    case ListItem::Kind::kPacket:
    case ListItem::Kind::kLife:
    case ListItem::Kind::kRule:
    case ListItem::Kind::kGroup:
    case ListItem::Kind::kEnd:
      return "***";
  }
  return "";
}

std::string_view colour_of_packet(const wire::Packet& packet) {
  const wire::Frame& frame = packet.frame();
  if (packet.fate() != wire::Packet::ARRIVES || !errors_in(frame).empty()) return kRed;
  if (is_routine(frame)) return kFaint;
  return is_response(frame) ? kGreen : kCyan;
}

std::string_view colour_of(const ListItem& item) {
  switch (item.kind) {
    case ListItem::Kind::kPacket:
      return colour_of_packet(item.packet());
    case ListItem::Kind::kLife:
    case ListItem::Kind::kRule:
    case ListItem::Kind::kEnd:
      return kYellow;
    case ListItem::Kind::kGroup:
      return kMagenta;
    case ListItem::Kind::kMember:
      return is_failure(item.record->occurrence().event()) ? kRed : kMagenta;
    case ListItem::Kind::kEvent:
      return kFaint;
  }
  return "";
}

std::string live(const std::string& front, const std::string& text, std::string_view colour,
                 const PacketList::Options& options) {
  std::string broken = text;
  if (options.width >= kNarrowest) {
    std::vector<std::string> words;
    for (const std::string_view word : split(text, ' ')) words.emplace_back(word);
    broken = wrapped(words, kLiveFrontWidth, options.width);
  }
  if (!options.colour) return front + broken + "\n";
  return fmt::format("{}{}{}\x1b[0m\n", colour, front, broken);
}

std::string live_line(const ListItem& item, const LineContext& context, const std::string& text) {
  const std::string time = seconds(item.tick, context.walk.tick_ms());
  std::string front;
  if (item.is_packet()) {
    const wire::Header& header = item.packet().frame().header();
    front = fmt::format(fmt::runtime(kLiveFront), item.number, item.tick.value(), time,
                        printable(header.source()), printable(header.destination()));
  } else {
    front = fmt::format(fmt::runtime(kLiveFront), "", item.tick.value(), time,
                        printable(item.process), sign(item));
  }
  return live(front, text, colour_of(item), context.options);
}

}  // namespace

std::string text_heading(const PacketList::Options& options) {
  if (options.layout == PacketLayout::kFull) {
    if (options.details) return "";
    return fmt::format(fmt::runtime(kFull), "No.", "Tick", "Time", "Source", "Destination",
                       "Protocol", "Length", "Info");
  }
  std::string hidden;
  if (options.filter.no_routine) {
    hidden =
        "not shown: Heartbeats that succeed, Fetch requests, Fetches that bring nothing (--all)\n";
  }
  if (!options.filter.only.empty()) {
    hidden += fmt::format("only packets of: {}\n", fmt::join(options.filter.only, ", "));
  }
  return hidden + fmt::format(fmt::runtime(kLiveFront), "No.", "Tick", "Time", "From", "To") +
         "What\n";
}

std::string text_line(const ListItem& item, const LineContext& context) {
  const std::string text = item.is_packet() ? info_of(item.packet().frame(), context.walk.names()) +
                                                  brackets(item, context.trace)
                                            : item.text;
  if (context.options.layout == PacketLayout::kLive) return live_line(item, context, text);
  const std::string time = seconds(item.tick, context.walk.tick_ms());
  if (!item.is_packet()) {
    return fmt::format(fmt::runtime(kFullMark), "", item.tick.value(), time,
                       printable(item.process), sign(item), text);
  }
  const wire::Frame& frame = item.packet().frame();
  return fmt::format(fmt::runtime(kFull), item.number, item.tick.value(), time,
                     printable(frame.header().source()), printable(frame.header().destination()),
                     kProtocol, frame.ByteSizeLong(), text);
}

std::string text_note(const std::string& text, const PacketList::Options& options) {
  return live(fmt::format(fmt::runtime(kLiveFront), "", "", "", "", "***"), printable(text),
              kYellow, options);
}

}  // namespace fencepost::lab
