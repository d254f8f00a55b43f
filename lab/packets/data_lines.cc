#include <google/protobuf/descriptor.h>
#include <spdlog/fmt/fmt.h>

#include "common/error_code.h"
#include "lab/frame_facts.h"
#include "lab/packets/field_tree.h"
#include "lab/packets/info.h"
#include "lab/packets/marks.h"
#include "lab/packets/packet_facts.h"
#include "lab/packets/packet_lines.h"
#include "lab/packets/printable.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

// One JSON object, its keys in the order in which they were added.
class JsonObject {
 public:
  JsonObject& raw(std::string_view key, const std::string& value) {
    text_ += fmt::format("{}{}:{}", text_.empty() ? "" : ",", json_text(key), value);
    return *this;
  }
  JsonObject& text(std::string_view key, std::string_view value) {
    return raw(key, json_text(printable(value)));
  }
  JsonObject& number(std::string_view key, std::int64_t value) {
    return raw(key, std::to_string(value));
  }
  template <class Number>
  JsonObject& number_or_null(std::string_view key, const std::optional<Number>& value) {
    return raw(key, value ? std::to_string(*value) : "null");
  }
  JsonObject& text_or_null(std::string_view key, const std::string& value) {
    return value.empty() ? raw(key, "null") : text(key, value);
  }
  JsonObject& flag(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  std::string str() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

std::optional<std::int64_t> known(std::uint32_t number) {
  return number == 0 ? std::nullopt : std::optional<std::int64_t>(number);
}

std::string cause_json(const wire::Cause& cause, std::uint32_t packet) {
  JsonObject object;
  object.text("kind", wire::Cause::Kind_Name(cause.kind())).number("tick", cause.tick());
  object.text_or_null("source", cause.source()).number_or_null("packet", known(packet));
  object.text_or_null("timer", cause.timer());
  object.number_or_null("armed_tick",
                        cause.has_timer() ? std::optional(cause.armed_tick()) : std::nullopt);
  return object.str();
}

std::string errors_json(const wire::Frame& frame) {
  std::string out;
  for (const ErrorCode code : errors_in(frame)) {
    out += (out.empty() ? "" : ",") + json_text(name_of(code));
  }
  return "[" + out + "]";
}

std::string fields_json(const wire::Frame& frame) {
  const auto* field =
      frame.GetDescriptor()->FindFieldByNumber(static_cast<int>(frame.payload_case()));
  std::vector<FieldNode> nodes;
  nodes.push_back({.name = "header", .children = fields_of(frame.header())});
  if (field != nullptr) {
    nodes.push_back({.name = field->message_type()->name(),
                     .children = fields_of(frame.GetReflection()->GetMessage(frame, field))});
  }
  return tree_json(nodes);
}

std::string packet_json(const ListItem& item, const LineContext& context) {
  const wire::Packet& packet = item.packet();
  const wire::Frame& frame = packet.frame();
  const wire::Header& header = frame.header();
  const PacketFacts facts = facts_of(frame);
  const PacketTrace& trace = context.trace;
  const bool arrives = packet.fate() == wire::Packet::ARRIVES;
  const auto received = trace.received(item.number);
  JsonObject object;
  object.text("kind", "packet").number("number", item.number).number("tick", item.tick.value());
  object.raw("time", seconds(item.tick, context.walk.tick_ms()));
  object.text("source", header.source()).text("destination", header.destination());
  object.text("protocol", kProtocol);
  object.number("length", static_cast<std::int64_t>(frame.ByteSizeLong()));
  object.text("info", info_of(frame, context.walk.names())).text("api", api_of(frame));
  object.flag("response", is_response(frame));
  object.number("incarnation", header.source_incarnation());
  object.number("correlation_id", header.correlation_id());
  object.text_or_null("group", fmt::format("{}", fmt::join(item.groups, ",")));
  object.text_or_null("member", facts.member).number_or_null("generation", facts.generation);
  object.raw("errors", errors_json(frame)).text("fate", fate_word(packet.fate()));
  object.number_or_null("arrival_tick",
                        arrives ? std::optional(packet.arrival_tick()) : std::nullopt);
  object.number_or_null("received_tick",
                        received ? std::optional(received->value()) : std::nullopt);
  object.number_or_null("rule", packet.has_rule() ? std::optional(packet.rule()) : std::nullopt);
  object.number_or_null("counterpart", known(trace.counterpart(item.number)));
  object.raw("cause", cause_json(packet.cause(), trace.cause(item.number)));
  if (context.options.details) object.raw("fields", fields_json(frame));
  return object.str();
}

std::string_view kind_word(ListItem::Kind kind) {
  switch (kind) {
    case ListItem::Kind::kPacket:
      return "packet";
    case ListItem::Kind::kLife:
      return "life";
    case ListItem::Kind::kRule:
      return "rule";
    case ListItem::Kind::kGroup:
      return "group";
    case ListItem::Kind::kMember:
    case ListItem::Kind::kEvent:
      return "event";
    case ListItem::Kind::kEnd:
      return "end";
  }
  return "";
}

std::string event_json(const wire::Event& event) {
  JsonObject object;
  for (const auto& attribute : event.attributes()) object.text(attribute.key(), attribute.value());
  return object.str();
}

std::string mark_json(const ListItem& item, const LineContext& context) {
  const wire::CaptureRecord& record = *item.record;
  JsonObject object;
  object.text("kind", kind_word(item.kind)).number("tick", item.tick.value());
  object.raw("time", seconds(item.tick, context.walk.tick_ms()));
  object.text_or_null("process", item.process).text("text", item.text);
  if (record.has_lifecycle()) {
    const wire::Lifecycle& life = record.lifecycle();
    object.text("what", wire::Lifecycle::Kind_Name(life.kind()));
    object.number("incarnation", life.incarnation()).flag("outside", life.outside());
  }
  if (record.has_fired()) object.number("rule", record.fired().rule());
  if (record.has_occurrence()) {
    object.text("event", record.occurrence().event().name());
    object.raw("attributes", event_json(record.occurrence().event()));
  }
  return object.str();
}

}  // namespace

std::string json_line(const ListItem& item, const LineContext& context) {
  return (item.is_packet() ? packet_json(item, context) : mark_json(item, context)) + "\n";
}

std::string json_note(const std::string& text) {
  return JsonObject().text("kind", "note").text("text", text).str() + "\n";
}

std::string tsv_heading() {
  return "number\ttick\ttime\tsource\tdestination\tprotocol\tlength\tinfo\tfate\tcounterpart\n";
}

std::string tsv_line(const ListItem& item, const LineContext& context) {
  if (!item.is_packet()) return "";
  const wire::Frame& frame = item.packet().frame();
  const std::uint32_t other = context.trace.counterpart(item.number);
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", item.number, item.tick.value(),
                     seconds(item.tick, context.walk.tick_ms()), printable(frame.header().source()),
                     printable(frame.header().destination()), kProtocol, frame.ByteSizeLong(),
                     info_of(frame, context.walk.names()), fate_word(item.packet().fate()),
                     other == 0 ? "" : std::to_string(other));
}

}  // namespace fencepost::lab
