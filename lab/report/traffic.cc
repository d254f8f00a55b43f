#include "lab/report/traffic.h"

#include <algorithm>

#include "common/capture_file.h"
#include "common/error_code.h"
#include "common/events.h"
#include "lab/frame_facts.h"
#include "lab/packets/info.h"
#include "lab/packets/marks.h"
#include "lab/wording.h"
#include "probe/base64.h"

namespace fencepost::lab {
namespace {

// What an entry is, in the column `what`.
enum class Kind : std::int64_t { kPacket, kEvent, kLifecycle, kFired, kEnd };

std::string payload_of(const wire::Frame& frame) {
  wire::Frame payload = frame;
  payload.clear_header();
  return probe::to_base64(payload.SerializeAsString());
}

std::string errors_text(const wire::Frame& frame) {
  std::string text;
  for (const ErrorCode code : errors_in(frame)) {
    text += (text.empty() ? "" : ",") + std::string(name_of(code));
  }
  return text;
}

std::string text_of(const wire::CaptureRecord& record) {
  switch (record.what_case()) {
    case wire::CaptureRecord::kLifecycle:
      return lifecycle_text(record.lifecycle());
    case wire::CaptureRecord::kFired:
      return record.fired().text();
    case wire::CaptureRecord::kEnd:
      return record.end().reason();
    case wire::CaptureRecord::kOccurrence:
      return record.occurrence().event().name() == events::kGroupState
                 ? group_state_text(record.occurrence().event())
                 : event_text(record.occurrence().event());
    case wire::CaptureRecord::kPacket:
    case wire::CaptureRecord::kHeader:
    case wire::CaptureRecord::kStep:
    case wire::CaptureRecord::kReception:
    case wire::CaptureRecord::WHAT_NOT_SET:
      return "";
  }
  return "";
}

std::int64_t number_in(const wire::Event& event, std::string_view key) {
  return parse_integer(events::value_of(event, key)).value_or(-1);
}

}  // namespace

void PartitionNumbers::number() {
  numbers_.clear();
  for (const TopicPartition& where : all_) {
    numbers_.emplace(where, static_cast<std::int64_t>(numbers_.size()));
  }
}

std::int64_t PartitionNumbers::of(const TopicPartition& where) const {
  const auto found = numbers_.find(where);
  return found == numbers_.end() ? -1 : found->second;
}

Traffic::Traffic(const RunIndex& index, const PartitionNames& names,
                 const PartitionNumbers& partitions, Strings& strings)
    : index_(index), names_(names), partitions_(partitions), strings_(strings) {
  for (const std::string& name : index.processes()) process(name);
}

std::int64_t Traffic::process(const std::string& name) {
  const auto [at, is_new] =
      process_numbers_.try_emplace(name, static_cast<std::int64_t>(processes_.size()));
  if (is_new) processes_.push_back(name);
  return at->second;
}

void Traffic::read(const std::string& capture) {
  CaptureReader reader(capture);
  std::uint64_t number = 0;
  EntryId next = 0;
  while (const auto record = reader.next()) {
    ++number;
    if (next == index_.entries().size()) break;
    if (index_.at(next).record == number) add(next++, *record);
  }
}

void Traffic::add(EntryId id, const wire::CaptureRecord& record) {
  if (record.has_packet()) return add_packet(id, record.packet());
  const wire::Cause* const cause = record.has_occurrence() ? &record.occurrence().cause() : nullptr;
  add_entry(id, strings_.of(text_of(record)), cause);
  if (record.has_occurrence()) add_event(id, record.occurrence().event());
}

void Traffic::add_entry(EntryId id, std::int64_t text, const wire::Cause* cause) {
  const IndexEntry& entry = index_.at(id);
  Kind kind = Kind::kEnd;
  if (entry.what == wire::CaptureRecord::kPacket) kind = Kind::kPacket;
  if (entry.what == wire::CaptureRecord::kOccurrence) kind = Kind::kEvent;
  if (entry.what == wire::CaptureRecord::kLifecycle) kind = Kind::kLifecycle;
  if (entry.what == wire::CaptureRecord::kFired) kind = Kind::kFired;
  const bool timed = cause != nullptr && cause->has_timer();
  entries_.row({static_cast<std::int64_t>(kind), entry.tick.value(), entry.process, text,
                entry.cause ? static_cast<std::int64_t>(id - *entry.cause) : 0,
                timed ? strings_.of(cause->timer()) : 0,
                timed ? entry.tick.value() - cause->armed_tick() : 0});
}

void Traffic::add_packet(EntryId id, const wire::Packet& packet) {
  const IndexEntry& entry = index_.at(id);
  const wire::Frame& frame = packet.frame();
  add_entry(id, 0, &packet.cause());
  const auto& apis = all_apis();
  const auto api = std::ranges::lower_bound(apis, api_of(frame)) - apis.begin();
  const std::int64_t tick = entry.tick.value();
  const bool arrives = packet.fate() == wire::Packet::ARRIVES;
  const std::int64_t peer = entry.counterpart ? index_.at(*entry.counterpart).number : 0;
  packets_.row({process(frame.header().destination()), api * 2 + (is_response(frame) ? 1 : 0),
                strings_.of(info_of(frame, names_)), strings_.of(payload_of(frame)),
                static_cast<std::int64_t>(frame.ByteSizeLong()), packet.fate(),
                packet.has_rule() ? packet.rule() : -1, arrives ? packet.arrival_tick() - tick : -1,
                entry.received ? entry.received->value() - tick : -1,
                peer == 0 ? 0 : peer - entry.number, strings_.of(errors_text(frame)),
                frame.header().correlation_id(), strings_.of(frame.header().client_id())});
  if (frame.has_fetch_request()) add_fetch(id, frame.fetch_request());
  if (frame.has_join_group_request() || frame.has_join_group_response()) add_join(id, packet);
}

// Whoever fetches is in poll, and so is whoever joins.
void Traffic::add_fetch(EntryId id, const wire::FetchRequest& request) {
  const IndexEntry& entry = index_.at(id);
  polls_.row({entry.tick.value(), entry.process, 0});
  for (const auto& topic : request.topics()) {
    for (const auto& part : topic.partitions()) {
      const std::int64_t where = partitions_.of({topic.topic(), PartitionId(part.partition())});
      positions_.row({entry.tick.value(), entry.process, where, part.fetch_offset(), 0});
    }
  }
}

void Traffic::add_join(EntryId id, const wire::Packet& packet) {
  const IndexEntry& entry = index_.at(id);
  if (packet.frame().has_join_group_response()) {
    const std::string& member = packet.frame().join_group_response().member_id();
    process_of_member_[member] = process(packet.frame().header().destination());
    return;
  }
  const TickLength tick_ms(index_.header().tick_ms());
  const wire::JoinGroupRequest& request = packet.frame().join_group_request();
  const std::int32_t rebalance = request.rebalance_timeout_ms() < 0
                                     ? request.session_timeout_ms()
                                     : request.rebalance_timeout_ms();
  polls_.row({entry.tick.value(), entry.process, 0});
  joins_.row({entry.tick.value(), strings_.of(request.group_id()), entry.process,
              ticks_of_ms(request.session_timeout_ms(), tick_ms).value(),
              ticks_of_ms(rebalance, tick_ms).value()});
  if (!request.member_id().empty()) process_of_member_[request.member_id()] = entry.process;
}

// ---- events ----

std::int64_t Traffic::partition_in(const wire::Event& event) const {
  return partitions_.of({std::string(events::value_of(event, "topic")),
                         PartitionId(static_cast<std::int32_t>(number_in(event, "partition")))});
}

void Traffic::add_event(EntryId id, const wire::Event& event) {
  const IndexEntry& entry = index_.at(id);
  const std::int64_t tick = entry.tick.value();
  const auto at = static_cast<std::int64_t>(id);
  const std::string_view name = event.name();
  if (name == events::kLogAppended) return add_appended(id, event);
  if (name == events::kPollReturned) return add_polled(id, event);
  if (name == events::kGroupState) return add_group_state(id, event);
  if (name == events::kMemberAdded) return add_member(id, event);
  if (name == events::kMemberRemoved) return remove_member(id, event);
  if (name == events::kRecordProcessing) return add_processing(id, event);
  if (name == events::kRecordProcessed) return add_processed(id, event);
  if (name == events::kOffsetCommitted || name == events::kOffsetRemoved) {
    const bool removed = name == events::kOffsetRemoved;
    const auto who = process_of_member_.find(std::string(events::value_of(event, "member")));
    commits_.row({tick, strings_.of(events::value_of(event, "group")), partition_in(event),
                  removed ? -1 : number_in(event, "offset"),
                  who == process_of_member_.end() ? -1 : who->second, at});
  } else if (name == events::kClientState) {
    clients_.row({tick, strings_.of(events::value_of(event, "group")), entry.process,
                  strings_.of(events::value_of(event, "to")), number_in(event, "generation"),
                  strings_.of(without_uuids(events::value_of(event, "reason"))), at});
  }
}

// What an application has in hand when it dies stays open.
void Traffic::add_processing(EntryId id, const wire::Event& event) {
  const IndexEntry& entry = index_.at(id);
  in_hand_[entry.process] = works_.rows();
  works_.row(
      {entry.tick.value(), entry.process, -1, strings_.of(events::value_of(event, "record"))});
}

void Traffic::add_processed(EntryId id, const wire::Event& event) {
  constexpr std::size_t kUntil = 2;
  const IndexEntry& entry = index_.at(id);
  processed_.row({entry.tick.value(), partition_in(event), number_in(event, "offset"),
                  entry.process, static_cast<std::int64_t>(id)});
  const auto open = in_hand_.find(entry.process);
  if (open == in_hand_.end()) return;
  works_.change(open->second, kUntil, entry.tick.value());
  in_hand_.erase(open);
}

void Traffic::add_appended(EntryId id, const wire::Event& event) {
  const std::int64_t where = partition_in(event);
  std::int64_t offset = number_in(event, "offset");
  const std::string producer_name(events::value_of(event, "producer"));
  const std::int64_t producer = producer_name.empty() ? -1 : process(producer_name);
  for (const std::string_view record : split(events::value_of(event, "records"), ',')) {
    appends_.row({index_.at(id).tick.value(), where, offset++, strings_.of(record), producer,
                  static_cast<std::int64_t>(id)});
  }
}

// A consumer's position moves on when poll returns; which offsets those were its names tell.
void Traffic::add_polled(EntryId id, const wire::Event& event) {
  const IndexEntry& entry = index_.at(id);
  polls_.row({entry.tick.value(), entry.process, 1});
  std::map<std::int64_t, std::int64_t> returned;  // by partition
  for (const std::string_view record : split(events::value_of(event, "records"), ',')) {
    const auto where = names_.parse(record.substr(0, record.find('.')));
    if (where) ++returned[partitions_.of(*where)];
  }
  for (const auto& [where, count] : returned) {
    positions_.row({entry.tick.value(), entry.process, where, 0, count});
  }
}

void Traffic::add_group_state(EntryId id, const wire::Event& event) {
  groups_.row({index_.at(id).tick.value(), strings_.of(events::value_of(event, "group")),
               strings_.of(events::value_of(event, "to")), number_in(event, "generation"),
               strings_.of(without_uuids(events::value_of(event, "reason"))),
               strings_.of(without_uuids(events::value_of(event, "members"))),
               static_cast<std::int64_t>(id)});
}

void Traffic::add_member(EntryId id, const wire::Event& event) {
  const std::string member(events::value_of(event, "member"));
  const std::string group(events::value_of(event, "group"));
  open_members_[{group, member}] = members_.rows();
  member_ids_.push_back(member);
  members_.row({index_.at(id).tick.value(), strings_.of(group), -1, -1,
                strings_.of(without_uuids(member)), 0, static_cast<std::int64_t>(id)});
}

void Traffic::remove_member(EntryId id, const wire::Event& event) {
  constexpr std::size_t kUntil = 3;
  constexpr std::size_t kReason = 5;
  const auto open = open_members_.find({std::string(events::value_of(event, "group")),
                                        std::string(events::value_of(event, "member"))});
  if (open == open_members_.end()) return;
  members_.change(open->second, kUntil, index_.at(id).tick.value());
  members_.change(open->second, kReason,
                  strings_.of(without_uuids(events::value_of(event, "reason"))));
  open_members_.erase(open);
}

void Traffic::release(boost::json::object& out) {
  constexpr std::size_t kProcess = 2;
  for (std::size_t row = 0; row < member_ids_.size(); ++row) {
    const auto who = process_of_member_.find(member_ids_[row]);
    if (who != process_of_member_.end()) members_.change(row, kProcess, who->second);
  }
  out["entries"] = entries_.release();
  out["packets"] = packets_.release();
  out["appends"] = appends_.release();
  out["processed"] = processed_.release();
  out["works"] = works_.release();
  out["commits"] = commits_.release();
  out["positions"] = positions_.release();
  out["polls"] = polls_.release();
  out["clients"] = clients_.release();
  out["groups"] = groups_.release();
  out["joins"] = joins_.release();
  out["members"] = members_.release();
}

}  // namespace fencepost::lab
