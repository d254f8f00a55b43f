#include "lab/comparison.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <set>

#include "lab/checkers/delivery.h"
#include "lab/expectations.h"
#include "lab/story.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

// The measures of one run, in the order in which they were taken.
struct Key {
  std::string section;
  std::string name;
};
class Measures {
 public:
  void add(const std::string& section, std::string name, std::int64_t value) {
    taken_.push_back({{section, std::move(name)}, value});
  }
  std::optional<std::int64_t> find(const Key& key) const {
    for (const auto& [one, value] : taken_) {
      if (one.section == key.section && one.name == key.name) return value;
    }
    return std::nullopt;
  }
  const std::vector<std::pair<Key, std::int64_t>>& all() const { return taken_; }

 private:
  std::vector<std::pair<Key, std::int64_t>> taken_;
};

std::int64_t size_of(const auto& container) { return static_cast<std::int64_t>(container.size()); }

std::int64_t errors_of(const History& history) {
  std::int64_t count = 0;
  for (const auto& [key, fact] : history.errors) {
    if (!is_protocol(key)) count += fact.count;
  }
  return count;
}

// ---- rebalances ----

std::int64_t longest_pause(const Rebalance& rebalance, Tick end) {
  std::int64_t longest = 0;
  for (const Pause& pause : rebalance.pauses) {
    longest = std::max(longest, (pause.until.value_or(end) - pause.from).value());
  }
  return longest;
}

void measure_rebalances(const History& history, const std::string& group, Measures& into) {
  const std::string section = "group " + group;
  const std::vector<const Rebalance*> settled = settled_rebalances(history, group);
  into.add(section, "rebalances", size_of(settled));
  into.add(section, "generations", size_of(stable_generations(history, group)));
  into.add(section, "members removed",
           std::ranges::count_if(history.removed, [&](const RemovedMember& removed) {
             return removed.group == group;
           }));
  std::int64_t paused = 0;
  std::int64_t meter = 0;
  std::int64_t longest = 0;
  for (const Rebalance* rebalance : settled) {
    paused += size_of(rebalance->pauses);
    meter += pause_ticks(*rebalance, history.last_tick);
    longest = std::max(longest, longest_pause(*rebalance, history.last_tick));
  }
  into.add(section, "partitions paused", paused);
  into.add(section, "longest pause of one", longest);
  into.add(section, "pause meter", meter);
  for (std::size_t index = 0; index < settled.size(); ++index) {
    into.add(section, fmt::format("  of rebalance #{}", index + 1),
             pause_ticks(*settled[index], history.last_tick));
  }
}

// ---- records ----

void measure_records(const History& history, const std::string& group, Measures& into) {
  const std::string section = "records of group " + group;
  for (const Delivery& delivery : deliveries(history)) {
    if (delivery.group != group) continue;
    into.add(section, "done once", delivery.once);
    into.add(section, "done twice or more often", size_of(delivery.duplicates));
    into.add(section, "lost", size_of(delivery.lost));
    into.add(section, "pending", size_of(delivery.pending));
  }
  std::int64_t committed = 0;
  for (const auto& [partition, offset] : history.committed(group)) committed += offset.value();
  into.add(section, "committed", committed);
}

// ---- partitions ----

using TicksOf = std::map<TopicPartition, std::int64_t>;

// For how long nobody read a partition that had an owner, over all rebalances.
TicksOf unread(const History& history, const std::string& group) {
  TicksOf ticks;
  for (const Ownership& ownership : history.ownerships) {
    if (ownership.group == group) ticks[ownership.partition];
  }
  for (const Rebalance& rebalance : history.rebalances) {
    if (rebalance.group != group) continue;
    for (const Pause& pause : rebalance.pauses) {
      ticks[pause.partition] += (pause.until.value_or(history.last_tick) - pause.from).value();
    }
  }
  return ticks;
}

// For how many ticks of the run nobody owned a partition. A member that was removed owns nothing
// from then on, whatever it believes.
TicksOf unowned(const History& history, const std::string& group) {
  std::map<TopicPartition, std::vector<std::pair<Tick, Tick>>> owned;
  for (const Ownership& ownership : history.ownerships) {
    if (ownership.group != group) continue;
    Tick to = history.last_tick;
    if (ownership.to) to = std::min(to, ownership.to->tick);
    if (ownership.evicted) to = std::min(to, ownership.evicted->tick);
    owned[ownership.partition].emplace_back(ownership.from.tick, to);
  }
  TicksOf ticks;
  for (auto& [partition, spans] : owned) {
    std::ranges::sort(spans);
    std::int64_t without = 0;
    Tick covered{0};
    for (const auto& [from, to] : spans) {
      if (from > covered) without += (from - covered).value();
      covered = std::max(covered, to);
    }
    ticks[partition] = without + (history.last_tick - covered).value();
  }
  return ticks;
}

void measure_partitions(const History& history, const std::string& group, Measures& into) {
  for (const auto& [partition, ticks] : unread(history, group)) {
    into.add("ticks without a reader, though it had an owner, group " + group,
             history.names.short_name(partition), ticks);
  }
  for (const auto& [partition, ticks] : unowned(history, group)) {
    into.add("ticks without an owner, group " + group, history.names.short_name(partition), ticks);
  }
}

Measures measures_of(const History& history) {
  Measures measures;
  measures.add("run", "last tick", history.last_tick.value());
  measures.add("run", "packets", history.packets);
  measures.add("run", "errors", errors_of(history));
  for (const std::string& group : history.groups()) {
    measure_rebalances(history, group, measures);
    measure_records(history, group, measures);
    measure_partitions(history, group, measures);
  }
  return measures;
}

// ---- text ----

std::string number(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "-";
}

std::string difference(const Measure& measure) {
  if (!measure.left || !measure.right) return "";
  const std::int64_t by = *measure.right - *measure.left;
  return by == 0 ? "=" : fmt::format("{:+}", by);
}

}  // namespace

Comparison compare_runs(const History& left, const History& right) {
  const Measures one = measures_of(left);
  const Measures other = measures_of(right);
  Comparison comparison;
  comparison.left_tick_ms = left.header.tick_ms();
  comparison.right_tick_ms = right.header.tick_ms();
  const auto add = [&](const Key& key) {
    comparison.measures.push_back({key.section, key.name, one.find(key), other.find(key)});
  };
  for (const auto& [key, value] : one.all()) add(key);
  // What only the right one has stands behind the rest of its section.
  for (const auto& [key, value] : other.all()) {
    if (one.find(key)) continue;
    const auto last = std::find_if(
        comparison.measures.rbegin(), comparison.measures.rend(),
        [&, wanted = &key](const Measure& measure) { return measure.section == wanted->section; });
    const auto place =
        last.base() == comparison.measures.begin() ? comparison.measures.end() : last.base();
    comparison.measures.insert(place, {key.section, key.name, std::nullopt, value});
  }
  return comparison;
}

std::string to_table(const Comparison& comparison, const RunTitles& titles) {
  constexpr std::string_view kRow = "{:<30}{:>10}{:>10}{:>12}\n";
  std::string text = fmt::format("LEFT   {}\nRIGHT  {}\n", titles.left, titles.right);
  text += comparison.left_tick_ms == comparison.right_tick_ms
              ? fmt::format("a tick is {} ms\n", comparison.left_tick_ms)
              : fmt::format("a tick is {} ms on the left, {} ms on the right\n",
                            comparison.left_tick_ms, comparison.right_tick_ms);
  text += "\n" + fmt::format(fmt::runtime(kRow), "", "LEFT", "RIGHT", "DIFFERENCE");
  std::string section;
  for (const Measure& measure : comparison.measures) {
    if (measure.section != section) text += measure.section + "\n";
    section = measure.section;
    text += fmt::format(fmt::runtime(kRow), "  " + measure.name, number(measure.left),
                        number(measure.right), difference(measure));
  }
  return text;
}

std::string to_json(const Comparison& comparison, const RunTitles& titles) {
  const auto value = [](const std::optional<std::int64_t>& one) {
    return one ? std::to_string(*one) : std::string("null");
  };
  std::vector<std::string> rows;
  for (const Measure& measure : comparison.measures) {
    const std::size_t indent = measure.name.find_first_not_of(' ');
    rows.push_back(
        fmt::format("    {{\"section\": {}, \"measure\": {}, \"left\": {}, \"right\": {}}}",
                    json_text(measure.section), json_text(measure.name.substr(indent)),
                    value(measure.left), value(measure.right)));
  }
  return fmt::format(
      "{{\n  \"left\": {{\"run\": {}, \"tick_ms\": {}}},\n"
      "  \"right\": {{\"run\": {}, \"tick_ms\": {}}},\n  \"measures\": [\n{}\n  ]\n}}\n",
      json_text(titles.left), comparison.left_tick_ms, json_text(titles.right),
      comparison.right_tick_ms, fmt::join(rows, ",\n"));
}

}  // namespace fencepost::lab
