#include "lab/diagram/group_tracks.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <optional>

#include "common/events.h"
#include "lab/expectations.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

constexpr std::int64_t kUsPerMs = 1000;

std::optional<TopicPartition> partition_of(const wire::Event& event) {
  const auto number = parse_integer(events::value_of(event, "partition"));
  if (!number) return std::nullopt;
  return TopicPartition{std::string(events::value_of(event, "topic")),
                        PartitionId(static_cast<std::int32_t>(*number))};
}

std::int64_t number_in(const wire::Event& event, std::string_view key) {
  return parse_integer(events::value_of(event, key)).value_or(0);
}

std::string owners_text(const Owners& owners, const PartitionNames& names) {
  std::map<std::string, std::set<TopicPartition>> by_process;
  for (const auto& [partition, process] : owners) by_process[process].insert(partition);
  std::string text;
  for (const auto& [process, partitions] : by_process) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", process, names.list(partitions));
  }
  return text.empty() ? "nobody owns anything" : text;
}

}  // namespace

GroupTracks::GroupTracks(TraceLines& out, const History& history, int first_process)
    : out_(out), history_(history), tick_us_(history.header.tick_ms() * kUsPerMs) {
  std::set<std::string> groups = history.groups();
  for (const Ownership& one : history.ownerships) groups.insert(one.group);
  for (const std::string& group : groups) {
    const int number = first_process + static_cast<int>(numbers_.size());
    numbers_[group] = number;
    out_.name_process(number, "group " + group);
    out_.name_track({number, kStates}, "state");
    out_.name_track({number, kRebalances}, "rebalances");
  }
  for (const Ownership& one : history.ownerships) {
    readers_[one.partition].insert(one.group);
    changed_.insert({one.group, one.partition});
  }
  rebalances();
  partitions();
}

// ---- what the history knows ----

void GroupTracks::rebalances() {
  std::map<std::string, int> count;
  for (const Rebalance& one : history_.rebalances) {
    std::vector<std::string> generations;
    for (const std::size_t index : one.generations) {
      generations.push_back(std::to_string(history_.generations[index].generation.value()));
    }
    const std::string reason = one.reasons.empty() ? "" : ": " + without_uuids(one.reasons.front());
    TraceLines::Arguments arguments{{"generations", fmt::format("{}", fmt::join(generations, " "))},
                                    {"before", owners_text(one.before, history_.names)},
                                    {"pause_ticks", pause_ticks(one, history_.last_tick)}};
    if (one.settled) arguments["after"] = owners_text(one.after, history_.names);
    out_.span({numbers_.at(one.group), kRebalances}, us(one.begun.tick),
              one.settled ? us(one.settled->tick) : end_us(),
              fmt::format("rebalance {}{}", ++count[one.group], reason), std::move(arguments));
  }
}

void GroupTracks::owned(const Ownership& one, std::vector<Span>& rightful,
                        std::vector<Span>& former) const {
  const std::int64_t from = us(one.from.tick);
  const std::int64_t to = one.to ? us(one.to->tick) : end_us();
  const std::int64_t rightful_to = one.evicted ? std::clamp(us(one.evicted->tick), from, to) : to;
  const TraceLines::Arguments arguments{{"member", without_uuids(one.member)},
                                        {"generation", one.generation.value()},
                                        {"life", one.incarnation.value()}};
  rightful.push_back({from, rightful_to, one.process, arguments});
  if (rightful_to < to) {
    former.push_back({rightful_to, to, one.process + " (no member any more)", arguments});
  }
}

void GroupTracks::partitions() {
  struct Spans {
    std::vector<Span> rightful{};
    std::vector<Span> former{};
    std::vector<Span> paused{};
  };
  std::map<Place, Spans> places;
  for (const Ownership& one : history_.ownerships) {
    Spans& spans = places[{one.group, one.partition}];
    owned(one, spans.rightful, spans.former);
  }
  for (const Rebalance& rebalance : history_.rebalances) {
    for (const Pause& pause : rebalance.pauses) {
      places[{rebalance.group, pause.partition}].paused.push_back(
          {us(pause.from),
           pause.until ? us(*pause.until) : end_us(),
           "paused: " + pause.why,
           {{"owner_before", pause.owner_before}, {"owner_after", pause.owner_after}}});
    }
  }
  std::map<std::string, int> next_track;
  for (auto& [at, spans] : places) {
    const int process = numbers_.at(at.first);
    int& track = next_track.try_emplace(at.first, kFirstPartition).first->second;
    const std::string name = history_.names.short_name(at.second);
    place(process, track, name, std::move(spans.rightful));
    place(process, track, name + " former owner", std::move(spans.former));
    place(process, track, name + " pauses", std::move(spans.paused));
  }
}

void GroupTracks::place(int process, int& next_track, const std::string& name,
                        std::vector<Span> spans) {
  std::ranges::stable_sort(spans, {}, &Span::from_us);
  std::vector<std::int64_t> free_from;  // by track
  const int first = next_track;
  for (Span& span : spans) {
    const auto lane = std::ranges::find_if(
        free_from, [&](std::int64_t free_us) { return free_us <= span.from_us; });
    const auto index = static_cast<int>(lane - free_from.begin());
    if (lane == free_from.end()) {
      free_from.push_back(span.to_us);
      out_.name_track({process, first + index}, name);
    } else {
      *lane = span.to_us;
    }
    out_.span({process, first + index}, span.from_us, span.to_us, span.name,
              std::move(span.arguments));
  }
  next_track = first + static_cast<int>(free_from.size());
}

// ---- what the capture says ----

void GroupTracks::add(std::int64_t tick, const wire::CaptureRecord& record) {
  if (tick != tick_) tell_lags();
  tick_ = tick;
  if (!record.has_occurrence()) return;
  const wire::Event& event = record.occurrence().event();
  if (event.name() == events::kGroupState) return add_state(tick, event);
  add_event(tick, event);
}

void GroupTracks::add_state(std::int64_t tick, const wire::Event& event) {
  const std::string group(events::value_of(event, "group"));
  const auto number = numbers_.find(group);
  if (number == numbers_.end()) return;
  State& state = states_[group];
  const std::int64_t at_us = tick * tick_us_;
  if (!state.name.empty()) {
    out_.span({number->second, kStates}, state.from_us, at_us, state.name,
              {{"reason", state.reason}});
  }
  const std::string to(events::value_of(event, "to"));
  const bool has_members = to == "Stable" || to == "CompletingRebalance";
  state = {at_us,
           has_members ? fmt::format("{}, generation {}", to, number_in(event, "generation")) : to,
           without_uuids(events::value_of(event, "reason"))};
}

void GroupTracks::add_event(std::int64_t tick, const wire::Event& event) {
  const std::string group(events::value_of(event, "group"));
  if (event.name() == events::kMemberRemoved) {
    const auto number = numbers_.find(group);
    if (number == numbers_.end()) return;
    out_.instant({number->second, kStates}, tick * tick_us_,
                 without_uuids(events::value_of(event, "client")) + " is removed",
                 {{"reason", without_uuids(events::value_of(event, "reason"))}});
    return;
  }
  const auto partition = partition_of(event);
  if (!partition) return;
  if (event.name() == events::kLogAppended) {
    log_end_[*partition] = number_in(event, "offset") + number_in(event, "count");
    changed(*partition);
  } else if (event.name() == events::kLogDeleted) {
    log_start_[*partition] = number_in(event, "offset");
    changed(*partition);
  } else if (event.name() == events::kOffsetCommitted) {
    committed_[{group, *partition}] = number_in(event, "offset");
    changed(*partition);
  } else if (event.name() == events::kOffsetRemoved) {
    committed_.erase({group, *partition});
    changed(*partition);
  }
}

// ---- lags ----

void GroupTracks::changed(const TopicPartition& partition) {
  const auto readers = readers_.find(partition);
  if (readers == readers_.end()) return;
  for (const std::string& group : readers->second) changed_.insert({group, partition});
}

// As they are at the end of a tick.
void GroupTracks::tell_lags() {
  for (const Place& place : changed_) {
    const auto& [group, partition] = place;
    const auto value = [](const auto& map, const auto& key) {
      const auto found = map.find(key);
      return found == map.end() ? std::int64_t{0} : found->second;
    };
    const std::int64_t done = std::max(value(committed_, place), value(log_start_, partition));
    out_.counter(numbers_.at(group), tick_ * tick_us_,
                 "lag " + history_.names.short_name(partition), "records",
                 std::max<std::int64_t>(0, value(log_end_, partition) - done));
  }
  changed_.clear();
}

void GroupTracks::finish() {
  tell_lags();
  for (const auto& [group, state] : states_) {
    out_.span({numbers_.at(group), kStates}, state.from_us, end_us(), state.name,
              {{"reason", state.reason}});
  }
}

}  // namespace fencepost::lab
