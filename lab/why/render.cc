#include "lab/why/render.h"

#include <spdlog/fmt/fmt.h>

#include <boost/json.hpp>
#include <stdexcept>

#include "lab/packets/info.h"
#include "lab/packets/marks.h"
#include "lab/packets/printable.h"
#include "lab/wording.h"

namespace fencepost::lab::why {
namespace {

namespace json = boost::json;

json::object setting_json(const Setting& setting) {
  json::object object{{"property", setting.property}, {"value", setting.value}};
  object["default"] = setting.by_default;
  if (setting.span) object["ticks"] = setting.span->value();
  return object;
}

// Record and packet numbers, so that a person finds it again.
void place(json::object& object, const Moment& when, const History& history,
           const RunIndex* index) {
  object["tick"] = when.tick.value();
  object["ms"] = when.tick.value() * history.header.tick_ms();
  if (when.record == 0) return;
  object["record"] = when.record;
  if (index == nullptr) return;
  auto entry = index->of_record(when.record);
  // An event came with a packet.
  while (entry && index->at(*entry).number == 0) entry = index->at(*entry).cause;
  if (entry) object["packet"] = index->at(*entry).number;
}

void put(json::object& object, std::string_view key, const std::string& value) {
  if (!value.empty()) object[key] = printable(value);
}

json::object link_json(const Link& link, const History& history, const RunIndex* index) {
  json::object object{{"kind", info(link.kind).name}};
  place(object, link.when, history, index);
  put(object, "process", link.process);
  put(object, "subject", link.subject);
  put(object, "other", link.other);
  put(object, "detail", link.detail);
  put(object, "by", link.by);
  if (link.since) object["since"] = link.since->value();
  if (link.until) object["until"] = link.until->value();
  if (link.setting) object["setting"] = setting_json(*link.setting);
  object["text"] = printable(clause(link));
  return object;
}

json::object explanation_json(const Explanation& one, const History& history,
                              const RunIndex* index) {
  json::object object{{"what", name_of(one.what)}};
  place(object, one.when, history, index);
  put(object, "group", one.group);
  put(object, "subject", one.subject);
  put(object, "process", one.process);
  put(object, "error", one.error);
  put(object, "exception", one.exception);
  put(object, "api", one.api);
  if (one.what == What::kError) object["count"] = one.count;
  if (one.number > 0) object["number"] = one.number;
  if (!one.generations.empty()) {
    json::array numbers;
    for (const Generation generation : one.generations) numbers.push_back(generation.value());
    object["generations"] = std::move(numbers);
  }
  if (one.wasted) object["wasted"] = *one.wasted;
  if (one.cost) object["cost"] = *one.cost;
  json::array chains;
  for (const Chain& chain : one.causes) {
    json::array links;
    for (const Link& link : chain) links.push_back(link_json(link, history, index));
    chains.push_back(std::move(links));
  }
  object["because"] = std::move(chains);
  object["explained"] = one.explained();
  json::array sentences;
  for (const std::string& sentence : one.sentences)
    sentences.push_back(json::string(printable(sentence)));
  object["sentences"] = std::move(sentences);
  return object;
}

// ---- packets ----

struct ChainLine {
  std::uint32_t number = 0;  // of a packet
  Tick tick;
  std::string process;
  std::string text;
  std::string through;  // the timer through which it came from the next line
};

const wire::Cause* cause_of(const wire::CaptureRecord& record) {
  if (record.has_packet()) return &record.packet().cause();
  if (record.has_occurrence()) return &record.occurrence().cause();
  return nullptr;
}

// While it was stopped its timers were not heard.
std::string stopped_text(const std::string& process, Tick from, Tick to, const History& history) {
  std::string text;
  for (const LifecycleFact& fact : history.lifecycles) {
    const bool its = fact.what.process() == process && fact.what.kind() == wire::Lifecycle::FREEZE;
    if (!its || fact.when.tick < from || fact.when.tick > to) continue;
    text += fmt::format(", stopped (SIGSTOP) at tick {}", fact.when.tick.value());
  }
  return text;
}

std::string timer_text(const wire::Cause& cause, const std::string& process, Tick fired,
                       const Causes& causes) {
  if (!cause.has_timer()) return "";
  std::string text = fmt::format("timer {}, armed at tick {}", cause.timer(), cause.armed_tick());
  const auto setting = causes.settings().of(process, cause.timer());
  if (setting) text += ", " + setting_text(setting);
  return text + stopped_text(process, Tick(cause.armed_tick()), fired, causes.history());
}

std::vector<ChainLine> lines_of(const RunIndex& index, std::uint64_t packet, const Causes& causes) {
  const auto first = index.packet(packet);
  if (!first) {
    throw std::runtime_error(fmt::format("there is no packet {}: the run has packets 1 to {}",
                                         packet, index.packet_count()));
  }
  const PartitionNames names(index.header().topics());
  std::vector<ChainLine> lines;
  for (const EntryId id : index.chain(*first)) {
    const wire::CaptureRecord record = index.read(id);
    ChainLine line;
    line.number = index.at(id).number;
    line.tick = index.at(id).tick;
    line.process = index.process_of(id);
    if (record.has_packet()) {
      const wire::Header& header = record.packet().frame().header();
      line.process = fmt::format("{} -> {}", header.source(), header.destination());
      line.text = info_of(record.packet().frame(), names);
    } else if (record.has_lifecycle()) {
      line.text = lifecycle_text(record.lifecycle());
    } else if (record.has_fired()) {
      line.process = "rule";
      line.text = record.fired().text();
    } else if (record.has_occurrence()) {
      line.text = event_text(record.occurrence().event());
    }
    const wire::Cause* const cause = cause_of(record);
    if (cause != nullptr)
      line.through = timer_text(*cause, index.process_of(id), line.tick, causes);
    line.text = printable(line.text);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::string to_text(const std::vector<Explanation>& some, std::int64_t tick_ms, std::size_t width) {
  constexpr std::size_t kIndent = 22;
  std::string out;
  for (const Explanation& one : some) {
    const std::int64_t tick = one.when.tick.value();
    out += fmt::format("{:>6} {:>10} ms  ", tick, tick * tick_ms);
    std::vector<std::string> words;
    for (const std::string& sentence : one.sentences) {
      const std::string text = printable(sentence);
      for (const std::string_view word : split(text, ' ')) words.emplace_back(word);
    }
    out += width == 0 ? fmt::format("{}", fmt::join(words, " ")) : wrapped(words, kIndent, width);
    out += "\n";
  }
  return out;
}

std::string to_json(const std::vector<Explanation>& some, const History& history,
                    const RunIndex* index) {
  json::array array;
  for (const Explanation& one : some) array.push_back(explanation_json(one, history, index));
  return json::serialize(array) + "\n";
}

std::vector<Explanation> errors_in_packet(const Explainer& explainer, const RunIndex& index,
                                          std::uint64_t packet) {
  const auto id = index.packet(packet);
  if (!id) return {};
  const wire::CaptureRecord record = index.read(*id);
  const wire::Frame& frame = record.packet().frame();
  const std::string text = info_of(frame, PartitionNames(index.header().topics()));
  std::vector<Explanation> found;
  for (Explanation& one : explainer.errors()) {
    const bool its = one.subject == frame.header().destination() && !one.api.empty() &&
                     text.starts_with(one.api + " Response") &&
                     text.find(one.error) != std::string::npos &&
                     one.when.tick <= index.at(*id).tick && index.at(*id).tick <= one.last.tick;
    if (its) found.push_back(std::move(one));
  }
  return found;
}

std::string chain_text(const RunIndex& index, std::uint64_t packet, const Causes& causes) {
  std::string out = fmt::format("{:>6} {:>6} {:>10} ms  {:<10}  {}\n", "No.", "Tick", "Time", "Who",
                                "What, and below it what brought it about");
  for (const ChainLine& line : lines_of(index, packet, causes)) {
    out += fmt::format("{:>6} {:>6} {:>10} ms  {:<10}  {}{}\n",
                       line.number == 0 ? "" : std::to_string(line.number), line.tick.value(),
                       line.tick.value() * index.header().tick_ms(), line.process, line.text,
                       line.through.empty() ? "" : "  [" + line.through + "]");
  }
  return out;
}

std::string chain_json(const RunIndex& index, std::uint64_t packet, const Causes& causes) {
  json::array array;
  for (const ChainLine& line : lines_of(index, packet, causes)) {
    json::object object{{"tick", line.tick.value()},
                        {"ms", line.tick.value() * index.header().tick_ms()}};
    if (line.number > 0) object["packet"] = line.number;
    put(object, "who", line.process);
    put(object, "what", line.text);
    put(object, "through", line.through);
    array.push_back(std::move(object));
  }
  return json::serialize(array) + "\n";
}

}  // namespace fencepost::lab::why
