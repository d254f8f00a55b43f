#include "lab/diagram/process_tracks.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "common/events.h"
#include "lab/diagram/words.h"
#include "lab/frame_facts.h"
#include "lab/packets/info.h"
#include "lab/packets/marks.h"
#include "lab/packets/printable.h"

namespace fencepost::lab {
namespace {

constexpr std::int64_t kUsPerMs = 1000;

std::string errors_text(const wire::Frame& frame) {
  std::string text;
  for (const ErrorCode error : errors_in(frame)) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", name_of(error));
  }
  return text;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (!line.empty()) text += (text.empty() ? "" : ", ") + line;
  }
  return text;
}

std::string_view kind_of(bool response) { return response ? "Response" : "Request"; }

}  // namespace

ProcessTracks::ProcessTracks(TraceLines& out, const wire::CaptureHeader& header,
                             const std::vector<Actor>& cast, int first_process,
                             const std::map<std::string, std::string>& group_of)
    : out_(out),
      tick_us_(header.tick_ms() * kUsPerMs),
      names_(header.topics()),
      group_of_(group_of),
      next_process_(first_process) {
  for (const Actor& actor : cast) {
    Process& one = process(actor.name);
    out_.name_process(one.number, fmt::format("{} {}", actor.name, actor.role));
    out_.name_track({one.number, kLife}, "life");
    out_.name_track({one.number, kPackets}, "packets");
    if (!one.member) continue;
    out_.name_track({one.number, kBatches}, "batches");
    out_.name_track({one.number, kRecords}, "records");
  }
}

ProcessTracks::Process& ProcessTracks::process(const std::string& name) {
  const auto [at, is_new] = processes_.try_emplace(name);
  if (is_new) {
    at->second.number = next_process_++;
    at->second.member = group_of_.contains(name);
  }
  return at->second;
}

void ProcessTracks::add(std::int64_t tick, const wire::CaptureRecord& record) {
  if (tick != tick_) end_tick();
  tick_ = tick;
  switch (record.what_case()) {
    case wire::CaptureRecord::kLifecycle:
      return add_lifecycle(tick, record.lifecycle());
    case wire::CaptureRecord::kStep:
      step_process_ = record.step().process();
      step_own_tick_ =
          record.step().has_own_tick() ? std::optional(record.step().own_tick()) : std::nullopt;
      return;
    case wire::CaptureRecord::kReception:
      return add_reception(record.reception());
    case wire::CaptureRecord::kPacket:
      return add_packet(record.packet());
    case wire::CaptureRecord::kOccurrence:
      return add_event(tick, record.occurrence().event());
    case wire::CaptureRecord::kHeader:
    case wire::CaptureRecord::kFired:
    case wire::CaptureRecord::kEnd:
    case wire::CaptureRecord::WHAT_NOT_SET:
      return;
  }
}

void ProcessTracks::finish(std::int64_t last_tick) {
  end_tick();
  for (auto& [name, one] : processes_) {
    if (!one.stopped) end_all(one, (last_tick + 1) * tick_us_);
  }
}

// ---- lives ----

void ProcessTracks::add_lifecycle(std::int64_t tick, const wire::Lifecycle& life) {
  Process& one = process(life.process());
  const std::int64_t at_us = tick * tick_us_;
  const TrackId track{one.number, kLife};
  switch (life.kind()) {
    case wire::Lifecycle::JOIN:
      one.life = life.incarnation();
      one.stopped = false;
      begin(one, kLife, {at_us, fmt::format("life {}", life.incarnation()), {}});
      break;
    case wire::Lifecycle::KILL:
      end_all(one, at_us);
      break;
    case wire::Lifecycle::EXIT:
      // This tick is its last.
      end_all(one, at_us + tick_us_);
      break;
    case wire::Lifecycle::FREEZE:
      stop(one, at_us);
      break;
    case wire::Lifecycle::THAW:
      go_on(one, at_us);
      break;
    case wire::Lifecycle::CLOSE:
      break;
  }
  out_.instant(track, at_us, lifecycle_text(life), {{"tick", tick}});
}

void ProcessTracks::begin(Process& one, Track track, Open open) {
  end(one, track, open.from_us);
  one.open.insert_or_assign(track, std::move(open));
}

void ProcessTracks::end(Process& one, Track track, std::int64_t at_us) {
  const auto open = one.open.find(track);
  if (open == one.open.end()) return;
  Open& span = open->second;
  if (!one.stopped) {
    out_.span({one.number, track}, span.from_us, at_us, span.name, std::move(span.arguments));
  }
  one.open.erase(open);
}

void ProcessTracks::end_all(Process& one, std::int64_t at_us) {
  for (const Track track : {kLife, kBatches, kRecords}) end(one, track, at_us);
  one.batch.reset();
  one.stopped = false;
}

// What was open goes on afterwards.
void ProcessTracks::stop(Process& one, std::int64_t at_us) {
  if (one.stopped) return;
  for (auto& [track, span] : one.open) {
    out_.span({one.number, track}, span.from_us, at_us, span.name, span.arguments);
  }
  one.stopped = true;
}

void ProcessTracks::go_on(Process& one, std::int64_t at_us) {
  if (!one.stopped) return;
  one.stopped = false;
  for (auto& [track, span] : one.open) span.from_us = at_us;
}

// ---- what nodes report ----

void ProcessTracks::add_event(std::int64_t tick, const wire::Event& event) {
  Process& one = process(step_process_);
  const std::int64_t at_us = tick * tick_us_;
  if (one.member) add_batch_event(one, at_us, event);
  const bool of_group =
      event.name() == events::kGroupState || event.name() == events::kMemberRemoved;
  if (of_group) return;
  const std::string text = joined(note_of(event, names_));
  if (!text.empty()) out_.instant({one.number, kLife}, at_us, text, {{"tick", tick}});
}

// A batch lasts until it is committed, or what was committed before it is processed; at the latest
// until poll returns the next one.
void ProcessTracks::add_batch_event(Process& one, std::int64_t at_us, const wire::Event& event) {
  const auto value = [&](std::string_view key) {
    return std::string(events::value_of(event, key));
  };
  if (event.name() == events::kPollReturned) {
    const auto count = parse_integer(value("count"));
    if (count.value_or(0) <= 0) return;
    one.batch = Batch{.records = static_cast<std::size_t>(*count)};
    begin(one, kBatches,
          {at_us, fmt::format("batch of {}", *count), {{"records", value("records")}}});
  } else if (event.name() == events::kRecordProcessing) {
    if (one.batch) one.batch->begun = true;
    begin(one, kRecords,
          {at_us, value("record"), {{"topic", value("topic")}, {"offset", value("offset")}}});
  } else if (event.name() == events::kRecordProcessed) {
    end(one, kRecords, at_us);
    if (one.batch && one.batch->records > 0) --one.batch->records;
    if (one.batch && one.batch->records == 0 && one.batch->commit_before) {
      end(one, kBatches, at_us);
    }
  } else if (event.name() == events::kOffsetsCommitted || event.name() == events::kCommitFailed) {
    if (event.name() == events::kOffsetsCommitted) {
      out_.instant({one.number, kBatches}, at_us, "commit", {{"offsets", value("offsets")}});
    }
    if (one.batch && !one.batch->begun) one.batch->commit_before = true;
    if (one.batch && one.batch->records == 0) end(one, kBatches, at_us);
  }
}

// ---- packets ----

void ProcessTracks::add_reception(const wire::Reception& reception) {
  if (!reception.has_sequence() || reception.sequence() == 0) return;
  const auto numbers = numbers_.find({reception.source(), reception.incarnation()});
  if (numbers == numbers_.end() || reception.sequence() > numbers->second.size()) return;
  items_[step_process_].push_back({.packet = numbers->second[reception.sequence() - 1],
                                   .received = true,
                                   .sent = {},
                                   .own_tick = step_own_tick_});
}

void ProcessTracks::add_packet(const wire::Packet& packet) {
  const wire::Header& header = packet.frame().header();
  const auto number = static_cast<std::uint32_t>(sent_.size());
  sent_.push_back({.api = api_of(packet.frame()),
                   .response = is_response(packet.frame()),
                   .errors = errors_text(packet.frame()),
                   .track = {},
                   .at_us = 0,
                   .source = header.source()});
  numbers_[{header.source(), header.source_incarnation()}].push_back(number);
  items_[step_process_].push_back(
      {.packet = number, .received = false, .sent = packet, .own_tick = step_own_tick_});
}

void ProcessTracks::end_tick() {
  for (const auto& [name, items] : items_) show(name, items);
  items_.clear();
}

// The packets of a process share the tick evenly, in their order. Should there be more of them than
// microseconds, those of one microsecond share a span.
void ProcessTracks::show(const std::string& name, const std::vector<Item>& items) {
  const TrackId track{process(name).number, kPackets};
  const auto count = static_cast<std::int64_t>(items.size());
  const std::int64_t begin_us = tick_ * tick_us_;
  std::int64_t last_us = -1;
  for (std::int64_t at = 0; at < count; ++at) {
    const std::int64_t from_us = begin_us + at * tick_us_ / count;
    std::optional<std::int64_t> to_us;
    if (from_us != last_us) {
      to_us = std::max(from_us + 1, begin_us + (at + 1) * tick_us_ / count);
    }
    last_us = from_us;
    const Item& item = items[static_cast<std::size_t>(at)];
    item.received ? show_received(item, track, from_us, to_us)
                  : show_sent(item, track, from_us, to_us);
  }
}

void ProcessTracks::show_sent(const Item& item, TrackId track, std::int64_t from_us,
                              std::optional<std::int64_t> to_us) {
  Sent& sent = sent_[item.packet];
  sent.track = track;
  sent.at_us = from_us;
  if (!to_us) return;
  const std::string fate = fate_text(Tick(tick_), item.sent);
  TraceLines::Arguments arguments{{"packet", item.packet},
                                  {"tick", tick_},
                                  {"info", printable(info_of(item.sent.frame(), names_))}};
  if (!fate.empty()) arguments["fate"] = fate;
  if (item.own_tick) arguments["own_tick"] = *item.own_tick;
  out_.span(track, from_us, *to_us,
            fmt::format("{} {} to {}{}", sent.api, kind_of(sent.response),
                        item.sent.frame().header().destination(),
                        fate.empty() ? "" : fmt::format(" [{}]", fate)),
            std::move(arguments));
}

void ProcessTracks::show_received(const Item& item, TrackId track, std::int64_t from_us,
                                  std::optional<std::int64_t> to_us) {
  const Sent& sent = sent_[item.packet];
  const std::string what = fmt::format("{} {}", sent.api, kind_of(sent.response));
  if (to_us) {
    TraceLines::Arguments arguments{{"packet", item.packet}, {"tick", tick_}};
    if (!sent.errors.empty()) arguments["error"] = sent.errors;
    out_.span(track, from_us, *to_us, fmt::format("{} from {}", what, sent.source),
              std::move(arguments));
  }
  if (!sent.errors.empty()) {
    out_.instant(track, from_us, fmt::format("{}: {}", sent.api, sent.errors));
  }
  out_.arrow(item.packet, sent.track, sent.at_us, track, from_us, what);
}

}  // namespace fencepost::lab
