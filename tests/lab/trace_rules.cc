#include "tests/lab/trace_rules.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <utility>

namespace fencepost::lab {
namespace {

namespace json = boost::json;
using TrackKey = std::pair<std::int64_t, std::int64_t>;

std::string text_of(const json::value& value) { return std::string(value.as_string()); }

class Reader {
 public:
  TraceFacts read(const std::string& text) {
    const json::value whole = json::parse(text);
    rule(whole.at("displayTimeUnit").as_string() == "ms", "displayTimeUnit is ms");
    for (const json::value& event : whole.at("traceEvents").as_array()) add(event.as_object());
    for (const auto& [key, track] : tracks_) {
      rule(!track.open, "a span ends: " + (track.open ? track.open->name : ""));
    }
    for (const auto& [id, arrow] : arrows_) {
      rule(arrow.finished, fmt::format("arrow {} ends", id));
    }
    facts_.arrows = arrows_.size();
    return std::move(facts_);
  }

 private:
  struct Track {
    std::int64_t last_us = 0;
    std::optional<TraceFacts::Span> open;
  };
  struct Arrow {
    std::int64_t from_us = 0;
    bool finished = false;
  };

  void rule(bool holds, const std::string& text) {
    if (!holds && facts_.broken.size() < 10) facts_.broken.push_back(text);
  }

  void add(const json::object& event) {
    const std::string phase = text_of(event.at("ph"));
    const TrackKey key{event.at("pid").as_int64(), event.at("tid").as_int64()};
    if (phase == "M") return add_name(event, key);
    const std::int64_t at_us = event.at("ts").as_int64();
    rule(at_us >= 0, "time begins at 0");
    Track& track = tracks_[key];
    rule(at_us >= track.last_us, fmt::format("time goes forward on {}/{}", key.first, key.second));
    track.last_us = at_us;
    const std::string name = text_of(event.at("name"));
    if (phase == "B") {
      rule(!track.open, "spans of a track do not overlap: " + name);
      track.open = TraceFacts::Span{name_of(key), name, at_us, at_us};
    } else if (phase == "E") {
      rule(track.open && track.open->name == name, "what ends has begun: " + name);
      if (!track.open) return;
      track.open->to_us = at_us;
      facts_.spans.push_back(*track.open);
      track.open.reset();
    } else if (phase == "s" || phase == "f") {
      add_arrow(event, at_us, track, phase == "s");
    } else if (phase == "C") {
      add_counter(event, key, at_us);
    } else {
      rule(phase == "i" && event.contains("s"), "an instant has a scope: " + name);
    }
  }

  void add_name(const json::object& event, const TrackKey& key) {
    const std::string kind = text_of(event.at("name"));
    if (kind == "process_name") processes_[key.first] = text_of(event.at("args").at("name"));
    if (kind == "thread_name") names_[key] = text_of(event.at("args").at("name"));
  }

  std::string name_of(const TrackKey& key) {
    const bool named = processes_.contains(key.first) && names_.contains(key);
    // What is no run's trace has no names.
    rule(named || processes_.empty(), fmt::format("{}/{} has a name", key.first, key.second));
    return processes_[key.first] + "/" + names_[key];
  }

  void add_arrow(const json::object& event, std::int64_t at_us, const Track& track, bool starts) {
    const std::int64_t id = event.at("id").as_int64();
    rule(track.open.has_value(), fmt::format("arrow {} is anchored in a span", id));
    if (starts) {
      rule(arrows_.try_emplace(id, Arrow{at_us, false}).second,
           fmt::format("arrow {} starts once", id));
      return;
    }
    const auto arrow = arrows_.find(id);
    rule(arrow != arrows_.end(), fmt::format("arrow {} has started", id));
    if (arrow == arrows_.end()) return;
    rule(!arrow->second.finished, fmt::format("arrow {} ends once", id));
    rule(at_us >= arrow->second.from_us, fmt::format("arrow {} goes forward", id));
    rule(event.contains("bp"), fmt::format("arrow {} ends in the span around it", id));
    arrow->second.finished = true;
  }

  void add_counter(const json::object& event, const TrackKey& key, std::int64_t at_us) {
    const std::string name = processes_[key.first] + "/" + text_of(event.at("name"));
    const auto [last, is_first] = counted_.try_emplace(name, at_us);
    rule(is_first || last->second < at_us, name + " has one value at a time");
    last->second = at_us;
    facts_.counters[name].push_back(event.at("args").as_object().begin()->value().as_int64());
  }

  TraceFacts facts_;
  std::map<std::int64_t, std::string> processes_;
  std::map<TrackKey, std::string> names_;
  std::map<TrackKey, Track> tracks_;
  std::map<std::int64_t, Arrow> arrows_;
  std::map<std::string, std::int64_t> counted_;
};

}  // namespace

std::vector<TraceFacts::Span> TraceFacts::spans_on(const std::string& track) const {
  std::vector<Span> found;
  std::ranges::copy_if(spans, std::back_inserter(found),
                       [&](const Span& span) { return span.track == track; });
  return found;
}

std::size_t TraceFacts::spans_named(const std::string& beginning) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      spans, [&](const Span& span) { return span.name.starts_with(beginning); }));
}

TraceFacts read_trace(const std::string& text) { return Reader().read(text); }

}  // namespace fencepost::lab
