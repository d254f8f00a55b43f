#include "lab/live_lines.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <set>

#include "common/events.h"
#include "lab/frame_facts.h"
#include "lab/packets/info.h"
#include "lab/packet_words.h"
#include "lab/packets.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

constexpr std::string_view kFront = "{:>6} {:>5} {:>9}  {:<6} {:<6} ";
constexpr std::size_t kFrontWidth = 38;
constexpr std::size_t kNarrowest = 60;  // a terminal that is smaller breaks lines itself

bool brings_nothing(const wire::FetchResponse& response) {
  for (const auto& topic : response.responses()) {
    for (const auto& partition : topic.partitions()) {
      for (const auto& batch : partition.records()) {
        if (batch.records_size() > 0) return false;
      }
    }
  }
  return true;
}

// What repeats all the time as long as nothing happens.
bool is_routine(const wire::Frame& frame) {
  switch (frame.payload_case()) {
    case wire::Frame::kHeartbeatRequest:
    case wire::Frame::kFetchRequest:
      return true;
    case wire::Frame::kHeartbeatResponse:
      return errors_in(frame).empty();
    case wire::Frame::kFetchResponse:
      return errors_in(frame).empty() && brings_nothing(frame.fetch_response());
    default:
      return false;
  }
}

std::string partitions_of(const wire::Event& event, std::string_view key,
                          const PartitionNames& names) {
  std::set<TopicPartition> partitions;
  for (const std::string_view item : split(events::value_of(event, key), ',')) {
    if (const auto partition = parse_full_name(item)) partitions.insert(*partition);
  }
  return names.list(partitions);
}

std::string members_of(const wire::Event& event) {
  std::vector<std::string> ids;
  for (const std::string_view member : split(events::value_of(event, "members"), ',')) {
    ids.emplace_back(member);
  }
  return ids.empty() ? " none" : fmt::format(" {}", fmt::join(member_names(ids), " "));
}

}  // namespace

std::string LiveLines::heading() const {
  std::string hidden;
  if (!options_.all) {
    hidden =
        "not shown: Heartbeats that succeed, Fetch requests, Fetches that bring nothing (--all)\n";
  }
  if (!options_.only.empty()) {
    hidden += fmt::format("only packets of: {}\n", fmt::join(options_.only, ", "));
  }
  return hidden + fmt::format(fmt::runtime(kFront), "No.", "Tick", "Time", "From", "To") + "What\n";
}

std::string LiveLines::line_of(Tick tick, const wire::CaptureRecord& record) {
  switch (record.what_case()) {
    case wire::CaptureRecord::kHeader:
      names_ = PartitionNames(record.header().topics());
      tick_ms_ = record.header().tick_ms();
      return "";
    case wire::CaptureRecord::kLifecycle:
      return lifecycle(tick, record.lifecycle());
    case wire::CaptureRecord::kStep:
      process_ = record.step().process();
      return "";
    case wire::CaptureRecord::kPacket:
      return packet(tick, record.packet());
    case wire::CaptureRecord::kOccurrence:
      return event(tick, record.occurrence().event());
    case wire::CaptureRecord::kFired:
      return line(
          Kind::kLife,
          fmt::format(fmt::runtime(kFront), "", tick.value(), seconds(tick, tick_ms_), "", "***"),
          "rule " + record.fired().text());
    case wire::CaptureRecord::kEnd:
      return note("the run has ended");
    case wire::CaptureRecord::kReception:
    case wire::CaptureRecord::WHAT_NOT_SET:
      return "";
  }
  return "";
}

std::string LiveLines::note(const std::string& text) const {
  return line(Kind::kLife, fmt::format(fmt::runtime(kFront), "", "", "", "", "***"), text);
}

std::string LiveLines::packet(Tick tick, const wire::Packet& packet) {
  ++number_;
  const wire::Frame& frame = packet.frame();
  const bool lost = packet.fate() != wire::Packet::ARRIVES;
  const bool routine = is_routine(frame);
  if (!is_of(frame, options_.only) || (routine && !lost && !options_.all)) return "";
  const std::string front =
      fmt::format(fmt::runtime(kFront), number_, tick.value(), seconds(tick, tick_ms_),
                  frame.header().source(), frame.header().destination());
  const Kind kind = lost || !errors_in(frame).empty() ? Kind::kError
                    : routine                         ? Kind::kQuiet
                    : is_response(frame)              ? Kind::kResponse
                                                      : Kind::kRequest;
  return line(kind, front, info_of(frame, names_) + fate_text(tick, packet));
}

std::string LiveLines::lifecycle(Tick tick, const wire::Lifecycle& lifecycle) const {
  return line(Kind::kLife,
              fmt::format(fmt::runtime(kFront), "", tick.value(), seconds(tick, tick_ms_),
                          lifecycle.process(), "***"),
              lifecycle_text(lifecycle));
}

std::string LiveLines::event(Tick tick, const wire::Event& event) const {
  std::string text = words_of(event);
  if (text.empty() && !options_.events) return "";
  const bool is_error =
      event.name() == events::kClientError || event.name() == events::kCommitFailed;
  const Kind kind = is_error ? Kind::kError : text.empty() ? Kind::kQuiet : Kind::kGroup;
  if (text.empty()) text = event_text(event);
  return line(
      kind,
      fmt::format(fmt::runtime(kFront), "", tick.value(), seconds(tick, tick_ms_), process_, "---"),
      text);
}

// Of the events that say how groups and their members fare; empty for others.
std::string LiveLines::words_of(const wire::Event& event) const {
  const auto value = [&event](std::string_view key) {
    return without_uuids(events::value_of(event, key));
  };
  const std::string& name = event.name();
  if (name == events::kGroupState) {
    return fmt::format("group {} is {}: {}; generation {}, members{}", value("group"), value("to"),
                       value("reason"), value("generation"), members_of(event));
  }
  if (name == events::kPartitionsAssigned) {
    return fmt::format("owns {} in generation {}", partitions_of(event, "owned", names_),
                       value("generation"));
  }
  if (name == events::kPartitionsRevoked) {
    return "gives up " + partitions_of(event, "partitions", names_);
  }
  if (name == events::kPartitionsLost) {
    return "has lost " + partitions_of(event, "partitions", names_);
  }
  if (name == events::kClientError || name == events::kCommitFailed) return event_text(event);
  return "";
}

std::string LiveLines::line(Kind kind, const std::string& front, const std::string& text) const {
  const auto colour = [kind]() -> std::string_view {
    switch (kind) {
      case Kind::kRequest:
        return "\x1b[36m";  // cyan
      case Kind::kResponse:
        return "\x1b[32m";  // green
      case Kind::kError:
        return "\x1b[1;31m";  // red
      case Kind::kLife:
        return "\x1b[1;33m";  // yellow
      case Kind::kGroup:
        return "\x1b[35m";  // magenta
      case Kind::kQuiet:
        return "\x1b[2m";  // faint
    }
    return "";
  };
  std::string broken = text;
  if (options_.width >= kNarrowest) {
    std::vector<std::string> words;
    for (const std::string_view word : split(text, ' ')) words.emplace_back(word);
    broken = wrapped(words, kFrontWidth, options_.width);
  }
  if (!options_.colour) return front + broken + "\n";
  return fmt::format("{}{}{}\x1b[0m\n", colour(), front, broken);
}

}  // namespace fencepost::lab
