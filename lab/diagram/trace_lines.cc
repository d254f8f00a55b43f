#include "lab/diagram/trace_lines.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "lab/packets/printable.h"

namespace fencepost::lab {
namespace {

constexpr int kEnds = 0;
constexpr int kBegins = 1;
constexpr int kInside = 2;

boost::json::object event(std::string_view phase, TrackId track, std::int64_t at_us,
                          std::string_view name) {
  return {{"name", printable(name)},
          {"ph", phase},
          {"pid", track.process},
          {"tid", track.track},
          {"ts", at_us}};
}

boost::json::object metadata(std::string_view kind, TrackId track, std::string_view key,
                             boost::json::value value) {
  return {{"name", kind},
          {"ph", "M"},
          {"pid", track.process},
          {"tid", track.track},
          {"args", boost::json::object{{key, std::move(value)}}}};
}

}  // namespace

void TraceLines::name_process(int process, std::string_view name) {
  const TrackId whole{process, 0};
  names_.push_back(
      serialize(metadata("process_name", whole, "name", boost::json::value(printable(name)))));
  names_.push_back(serialize(metadata("process_sort_index", whole, "sort_index", process)));
}

void TraceLines::name_track(TrackId track, std::string_view name) {
  names_.push_back(
      serialize(metadata("thread_name", track, "name", boost::json::value(printable(name)))));
  names_.push_back(serialize(metadata("thread_sort_index", track, "sort_index", track.track)));
}

void TraceLines::span(TrackId track, std::int64_t from_us, std::int64_t to_us,
                      std::string_view name, Arguments arguments) {
  if (to_us <= from_us) return instant(track, from_us, name, std::move(arguments));
  boost::json::object begin = event("B", track, from_us, name);
  if (!arguments.empty()) begin["args"] = std::move(arguments);
  add(from_us, kBegins, std::move(begin));
  add(to_us, kEnds, event("E", track, to_us, name));
}

void TraceLines::instant(TrackId track, std::int64_t at_us, std::string_view name,
                         Arguments arguments) {
  boost::json::object one = event("i", track, at_us, name);
  one["s"] = "t";
  if (!arguments.empty()) one["args"] = std::move(arguments);
  add(at_us, kInside, std::move(one));
}

void TraceLines::moment(TrackId track, std::int64_t at_us, std::string_view name) {
  boost::json::object one = event("i", track, at_us, name);
  one["s"] = "g";
  add(at_us, kInside, std::move(one));
}

void TraceLines::counter(int process, std::int64_t at_us, std::string_view name,
                         std::string_view unit, std::int64_t value) {
  boost::json::object one = event("C", {process, 0}, at_us, name);
  one["args"] = boost::json::object{{unit, value}};
  add(at_us, kInside, std::move(one));
}

void TraceLines::arrow(std::uint64_t number, TrackId from, std::int64_t from_us, TrackId to,
                       std::int64_t to_us, std::string_view name) {
  boost::json::object start = event("s", from, from_us, name);
  start["cat"] = "packet";
  start["id"] = number;
  add(from_us, kInside, std::move(start));
  boost::json::object finish = event("f", to, to_us, name);
  finish["cat"] = "packet";
  finish["id"] = number;
  finish["bp"] = "e";
  add(to_us, kInside, std::move(finish));
}

void TraceLines::add(std::int64_t at_us, int rank, boost::json::object one) {
  lines_.push_back({at_us, rank, serialize(one)});
}

std::string TraceLines::written(const Arguments& about) const {
  std::vector<const Line*> sorted;
  for (const Line& line : lines_) sorted.push_back(&line);
  std::ranges::stable_sort(sorted, {},
                           [](const Line* line) { return std::pair(line->at_us, line->rank); });
  std::string out =
      "{\"displayTimeUnit\":\"ms\",\"otherData\":" + serialize(about) + ",\n\"traceEvents\":[";
  std::string_view before = "\n";
  const auto append = [&](const std::string& json) {
    out.append(before).append(json);
    before = ",\n";
  };
  for (const std::string& name : names_) append(name);
  for (const Line* line : sorted) append(line->json);
  return out + "\n]}\n";
}

}  // namespace fencepost::lab
