#include "lab/packets/packet_walk.h"

#include "common/events.h"
#include "lab/frame_facts.h"
#include "lab/packets/marks.h"
#include "lab/packets/packet_facts.h"
#include "lab/packets/printable.h"

namespace fencepost::lab {

std::optional<ListItem> PacketWalk::next(Tick tick, const wire::CaptureRecord& record) {
  ListItem item{.tick = tick, .process = process_, .record = &record};
  switch (record.what_case()) {
    case wire::CaptureRecord::kHeader:
      names_ = PartitionNames(record.header().topics());
      tick_ms_ = record.header().tick_ms();
      return std::nullopt;
    case wire::CaptureRecord::kStep:
      process_ = record.step().process();
      return std::nullopt;
    case wire::CaptureRecord::kPacket:
      return packet(std::move(item));
    case wire::CaptureRecord::kLifecycle:
      item.kind = ListItem::Kind::kLife;
      item.process = record.lifecycle().process();
      item.text = lifecycle_text(record.lifecycle());
      return mark(std::move(item));
    case wire::CaptureRecord::kFired:
      item.kind = ListItem::Kind::kRule;
      item.process.clear();
      item.text = rule_text(record.fired());
      return mark(std::move(item));
    case wire::CaptureRecord::kEnd:
      item.kind = ListItem::Kind::kEnd;
      item.process.clear();
      item.text = printable("end of the run: " + record.end().reason());
      return mark(std::move(item));
    case wire::CaptureRecord::kOccurrence:
      return event(std::move(item));
    case wire::CaptureRecord::kReception:
    case wire::CaptureRecord::WHAT_NOT_SET:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<ListItem> PacketWalk::packet(ListItem item) {
  item.number = ++number_;
  item.process.clear();
  item.groups = groups_of(item.packet().frame());
  if (!filter_.shows(item)) return std::nullopt;
  ++shown_;
  return item;
}

std::optional<ListItem> PacketWalk::mark(ListItem item) const {
  if (marks_ == Marks::kNone || !filter_.shows(item)) return std::nullopt;
  return item;
}

std::optional<ListItem> PacketWalk::event(ListItem item) const {
  const wire::Event& said = item.record->occurrence().event();
  if (said.name() == events::kGroupState) {
    item.kind = ListItem::Kind::kGroup;
    item.text = group_state_text(said);
    return mark(std::move(item));
  }
  if (marks_ == Marks::kEvents) {
    item.kind = ListItem::Kind::kEvent;
    item.text = event_text(said);
    return mark(std::move(item));
  }
  item.kind = ListItem::Kind::kMember;
  if (marks_ == Marks::kMembers) item.text = member_text(said, names_);
  if (item.text.empty()) return std::nullopt;
  return mark(std::move(item));
}

// Only requests name their group, so an answer is about what was asked.
std::vector<std::string> PacketWalk::groups_of(const wire::Frame& frame) {
  const wire::Header& header = frame.header();
  if (!is_response(frame)) {
    std::vector<std::string> groups = groups_in(frame);
    if (!groups.empty()) {
      groups_asked_[{header.source(), {header.source_incarnation(), header.correlation_id()}}] =
          groups;
    }
    return groups;
  }
  const auto asked = groups_asked_.find(
      {header.destination(), {header.destination_incarnation(), header.correlation_id()}});
  if (asked == groups_asked_.end()) return groups_in(frame);
  std::vector<std::string> groups = std::move(asked->second);
  groups_asked_.erase(asked);
  return groups;
}

}  // namespace fencepost::lab
