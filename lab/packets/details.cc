#include <google/protobuf/descriptor.h>
#include <spdlog/fmt/fmt.h>

#include "lab/frame_facts.h"
#include "lab/packets/field_tree.h"
#include "lab/packets/info.h"
#include "lab/packets/marks.h"
#include "lab/packets/packet_lines.h"
#include "lab/packets/printable.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kChainMax = 12;  // packets; --packet shows the rest

std::string fate_of(const ListItem& item, const LineContext& context) {
  std::string text = fate_text(item.tick, item.packet());
  if (text.empty()) text = fmt::format("arrives at tick {}", item.packet().arrival_tick());
  if (item.packet().fate() != wire::Packet::ARRIVES) return text;
  const auto received = context.trace.received(item.number);
  if (!received) return text + (context.knows_all ? ", never taken" : "");
  return fmt::format("{}, taken at tick {}", text, received->value());
}

std::string cause_of(const ListItem& item, const PacketTrace& trace) {
  const wire::Cause& cause = item.packet().cause();
  const auto what = [&]() -> std::string {
    switch (cause.kind()) {
      case wire::Cause::START:
        return "its start";
      case wire::Cause::CLOSE:
        return "it was asked to close (SIGTERM)";
      case wire::Cause::COMMAND:
        return "a command";
      case wire::Cause::FRAME:
        if (const std::uint32_t number = trace.cause(item.number)) {
          return fmt::format("packet {} from {}", number, cause.source());
        }
        return "a packet from " + cause.source();
      case wire::Cause::DISCONNECTED:
        return "the end of its connection to " + cause.source();
    }
    return "";
  };
  std::string text = fmt::format("{}, at tick {}", what(), cause.tick());
  if (!cause.has_timer()) return printable(text);
  text = fmt::format("timer {}, at tick {}; armed at tick {} by {}", cause.timer(), cause.tick(),
                     cause.armed_tick(), what());
  return printable(text);
}

// "42 <- 30 <- 12": each packet was made while the one behind it was handled.
std::string chain_of(std::uint32_t number, const PacketTrace& trace) {
  std::string text = std::to_string(number);
  std::size_t length = 1;
  while ((number = trace.cause(number)) != 0) {
    if (++length > kChainMax) return text + " <- ...";
    text += fmt::format(" <- {}", number);
  }
  return length == 1 ? "" : text;
}

}  // namespace

std::string packet_details(const ListItem& item, const LineContext& context) {
  const wire::Frame& frame = item.packet().frame();
  const wire::Header& header = frame.header();
  std::string text =
      fmt::format("Packet {}, tick {} ({} s): {} -> {}, {}, {} bytes\n  {}\n", item.number,
                  item.tick.value(), seconds(item.tick, context.walk.tick_ms()),
                  printable(header.source()), printable(header.destination()), kProtocol,
                  frame.ByteSizeLong(), info_of(frame, context.walk.names()));
  const auto add = [&text](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {}: {}\n", name, value);
  };
  add("Fate", fate_of(item, context));
  if (const std::uint32_t other = context.trace.counterpart(item.number)) {
    add(is_response(frame) ? "Request" : "Response", std::to_string(other));
  }
  add("Cause", cause_of(item, context.trace));
  add("Chain", chain_of(item.number, context.trace));
  text += "  Header:\n" + tree_text(fields_of(header), 2 * kIndent);
  const auto* field =
      frame.GetDescriptor()->FindFieldByNumber(static_cast<int>(frame.payload_case()));
  if (field == nullptr) return text + "\n";
  text += fmt::format("  {}:\n", field->message_type()->name());
  return text + tree_text(fields_of(frame.GetReflection()->GetMessage(frame, field)), 2 * kIndent) +
         "\n";
}

}  // namespace fencepost::lab
