#include "lab/packets/packet_filter.h"

#include <algorithm>

#include "common/events.h"
#include "lab/frame_facts.h"
#include "lab/packets/packet_walk.h"
#include "lab/partition_names.h"

namespace fencepost::lab {
namespace {

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

template <class Values, class Value>
bool has(const Values& values, const Value& value) {
  return std::ranges::find(values, value) != values.end();
}

bool in_any(const std::vector<NumberRange>& ranges, std::int64_t number) {
  return ranges.empty() ||
         std::ranges::any_of(ranges, [&](const NumberRange& one) { return one.holds(number); });
}

bool is_heartbeat(const wire::Frame& frame) {
  return frame.has_heartbeat_request() ||
         (frame.has_heartbeat_response() && errors_in(frame).empty());
}

bool shows_packet(const PacketFilter& filter, const ListItem& item) {
  const wire::Frame& frame = item.packet().frame();
  const std::string& from = frame.header().source();
  const std::string& to = frame.header().destination();
  const bool lost = item.packet().fate() != wire::Packet::ARRIVES;
  if (!in_any(filter.numbers, item.number) || !is_of(frame, filter.only)) return false;
  if (!filter.hosts.empty() && !has(filter.hosts, from) && !has(filter.hosts, to)) return false;
  if (!filter.between.empty() && !has(filter.between, std::pair(from, to)) &&
      !has(filter.between, std::pair(to, from))) {
    return false;
  }
  if (!filter.groups.empty() && std::ranges::none_of(item.groups, [&](const std::string& group) {
        return has(filter.groups, group);
      })) {
    return false;
  }
  if (filter.errors && !lost && errors_in(frame).empty()) return false;
  if (filter.no_heartbeats && !lost && is_heartbeat(frame)) return false;
  return !filter.no_routine || lost || !is_routine(frame);
}

bool shows_mark(const PacketFilter& filter, const ListItem& item) {
  if (!filter.numbers.empty()) return false;
  if (item.kind == ListItem::Kind::kGroup) {
    const wire::Event& event = item.record->occurrence().event();
    return filter.groups.empty() || has(filter.groups, events::value_of(event, "group"));
  }
  if (item.process.empty()) return true;
  if (!filter.hosts.empty() && !has(filter.hosts, item.process)) return false;
  return filter.between.empty() || std::ranges::any_of(filter.between, [&](const auto& two) {
           return two.first == item.process || two.second == item.process;
         });
}

}  // namespace

std::optional<NumberRange> parse_range(std::string_view text) {
  constexpr std::string_view kTo = "..";
  const std::size_t dots = text.find(kTo);
  const std::string_view first = text.substr(0, dots);
  const std::string_view last =
      dots == std::string_view::npos ? first : text.substr(dots + kTo.size());
  if (first.empty() && last.empty()) return std::nullopt;
  NumberRange range;
  const auto begin = first.empty() ? std::optional(range.first) : parse_integer(first);
  const auto end = last.empty() ? std::optional(range.last) : parse_integer(last);
  if (!begin || !end || *begin < 0 || *begin > *end) return std::nullopt;
  return NumberRange{*begin, *end};
}

bool is_routine(const wire::Frame& frame) {
  if (is_heartbeat(frame) || frame.has_fetch_request()) return true;
  return frame.has_fetch_response() && errors_in(frame).empty() &&
         brings_nothing(frame.fetch_response());
}

bool PacketFilter::shows(const ListItem& item) const {
  if (!in_any(ticks, item.tick.value())) return false;
  return item.is_packet() ? shows_packet(*this, item) : shows_mark(*this, item);
}

}  // namespace fencepost::lab
