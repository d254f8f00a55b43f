#include "lab/diagram/sequence.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "common/events.h"
#include "lab/diagram/cast.h"
#include "lab/diagram/folded.h"
#include "lab/diagram/mermaid_text.h"
#include "lab/diagram/words.h"
#include "lab/frame_facts.h"
#include "lab/packets/info.h"
#include "lab/packets/marks.h"
#include "lab/packets/printable.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

constexpr std::size_t kMessageBytes = 110;
constexpr std::size_t kNoteBytes = 70;
constexpr std::size_t kAliasBytes = 40;
// What is folded gets its note when so much time has passed without anything else.
constexpr TickSpan kQuiet{3};
// Behind a rebalance; seen on white and on black.
constexpr std::string_view kRebalanceColour = "rgba(255, 176, 0, 0.16)";

// A name that no word of the language begins with is its own id.
bool is_plain_id(std::string_view name) {
  if (name.size() < 2 || name.size() > 6 || name[0] < 'A' || name[0] > 'Z') return false;
  return std::ranges::all_of(name.substr(1), [](char one) { return one >= '0' && one <= '9'; });
}

class Sequence {
 public:
  Sequence(const RunIndex& index, const wire::Plan* plan, const SequenceOptions& options)
      : index_(index),
        plan_(plan),
        options_(options),
        names_(index.header().topics()),
        cast_(cast_of(index)),
        folded_(index) {}

  std::string draw();

 private:
  struct Line {
    bool over_all = false;  // a note over everybody who is drawn: known at the end
    std::string text;
  };
  struct Starting {
    Tick tick;
    std::vector<std::string> processes;
  };
  struct Resets {
    Tick tick;
    std::string process;
    std::string policy;
    std::string places;
  };

  bool is_before(EntryId id) const { return options_.from && index_.at(id).tick < *options_.from; }
  bool is_behind(EntryId id) const { return options_.to && index_.at(id).tick > *options_.to; }
  bool is_chosen(const wire::Frame& frame) const {
    return is_of(frame, options_.only) && is_of(frame, options_.hosts);
  }
  // Groups concern everybody.
  bool has_notes(const std::string& process) const {
    return options_.hosts.empty() ||
           std::ranges::find(options_.hosts, process) != options_.hosts.end();
  }
  void look_back(EntryId id);
  void add(EntryId id, const wire::CaptureRecord& record);
  void add_packet(EntryId id, const wire::Packet& packet);
  void message(EntryId id, const wire::Packet& packet);
  void add_lifecycle(Tick tick, const wire::Lifecycle& life);
  void add_fired(Tick tick, const wire::Fired& fired);
  void add_event(EntryId id, const wire::Event& event);
  void add_reset(EntryId id, const wire::Event& event);
  void follow_group(Tick tick, const wire::Event& event);
  bool left_out(EntryId from);
  // What is counted, or collected, comes before what is drawn next.
  void settle(Tick next);
  void tell_folded();
  void tell_collected();
  void note(const std::string& process, Tick tick, const std::vector<std::string>& lines);
  void note_all(const std::string& text);
  void line(const std::string& text) { body_.push_back({.over_all = false, .text = text}); }
  void open_phase();
  void close_phase();
  std::string id_of(const std::string& process);
  std::vector<std::string> drawn() const;
  std::string written() const;

  const RunIndex& index_;
  const wire::Plan* plan_;
  const SequenceOptions& options_;
  PartitionNames names_;
  std::vector<Actor> cast_;
  Folded folded_;
  std::map<std::string, std::string> ids_;  // of those that are drawn
  std::vector<Line> body_;
  std::optional<Tick> drawn_;  // when the last thing was
  std::size_t messages_ = 0;
  std::set<std::string> rebalancing_;  // groups
  bool phase_ = false;                 // a coloured block is open
  std::optional<Starting> starting_;
  std::optional<Resets> resets_;
};

std::string Sequence::draw() {
  bool begun = false;
  std::size_t limit = options_.limit;
  for (EntryId id = 0; id < index_.entries().size(); ++id) {
    if (is_behind(id)) break;
    if (is_before(id)) {
      look_back(id);
      continue;
    }
    if (!begun && !rebalancing_.empty()) open_phase();
    begun = true;
    const bool is_packet = index_.at(id).what == wire::CaptureRecord::kPacket;
    if (limit != 0 && messages_ == limit && is_packet) {
      if (left_out(id)) break;
      limit = 0;
    }
    add(id, index_.read(id));
  }
  tell_collected();
  tell_folded();
  if (phase_) close_phase();
  return written();
}

// Before the part that is drawn: which groups are in a rebalance.
void Sequence::look_back(EntryId id) {
  if (index_.at(id).what != wire::CaptureRecord::kOccurrence) return;
  const wire::CaptureRecord record = index_.read(id);
  const wire::Event& event = record.occurrence().event();
  if (event.name() != events::kGroupState) return;
  const std::string group(events::value_of(event, "group"));
  if (events::value_of(event, "to") == "PreparingRebalance") rebalancing_.insert(group);
  const std::string_view to = events::value_of(event, "to");
  if (to != "PreparingRebalance" && to != "CompletingRebalance") rebalancing_.erase(group);
}

void Sequence::add(EntryId id, const wire::CaptureRecord& record) {
  const Tick tick = index_.at(id).tick;
  switch (record.what_case()) {
    case wire::CaptureRecord::kPacket:
      return add_packet(id, record.packet());
    case wire::CaptureRecord::kLifecycle:
      return add_lifecycle(tick, record.lifecycle());
    case wire::CaptureRecord::kFired:
      return add_fired(tick, record.fired());
    case wire::CaptureRecord::kOccurrence:
      return add_event(id, record.occurrence().event());
    case wire::CaptureRecord::kHeader:
    case wire::CaptureRecord::kStep:
    case wire::CaptureRecord::kReception:
    case wire::CaptureRecord::kEnd:
    case wire::CaptureRecord::WHAT_NOT_SET:
      return;
  }
}

// ---- messages ----

void Sequence::add_packet(EntryId id, const wire::Packet& packet) {
  if (!is_chosen(packet.frame())) return;
  if (!options_.all && folded_.is_routine(id, packet)) return folded_.add(id, packet);
  settle(index_.at(id).tick);
  message(id, packet);
}

void Sequence::message(EntryId id, const wire::Packet& packet) {
  const wire::Header& header = packet.frame().header();
  const bool answer = is_response(packet.frame());
  const bool lost = packet.fate() != wire::Packet::ARRIVES;
  const std::string_view arrow = answer ? (lost ? "--x" : "-->>") : (lost ? "-x" : "->>");
  const std::string fate = fate_text(index_.at(id).tick, packet);
  std::string text = cut_to(info_of(packet.frame(), names_), kMessageBytes);
  if (!fate.empty()) text += fmt::format(" [{}]", fate);
  line(fmt::format("{}{}{}: t={} no.{} {}", id_of(header.source()), arrow,
                   id_of(header.destination()), index_.at(id).tick.value(), index_.at(id).number,
                   mermaid_text(text, kMessageBytes + kNoteBytes)));
  ++messages_;
}

// Says what is not drawn from here on; false if that is nothing.
bool Sequence::left_out(EntryId from) {
  std::size_t count = 0;
  const Tick tick = index_.at(from).tick;
  Tick last = tick;
  for (EntryId id = from; id < index_.entries().size() && !is_behind(id); ++id) {
    if (index_.at(id).what != wire::CaptureRecord::kPacket) continue;
    const wire::CaptureRecord record = index_.read(id);
    if (!is_chosen(record.packet().frame())) continue;
    if (!options_.all && folded_.is_routine(id, record.packet())) continue;
    ++count;
    last = index_.at(id).tick;
  }
  if (count == 0) return false;
  tell_collected();
  tell_folded();
  if (phase_) close_phase();
  note_all(
      fmt::format("{} messages are drawn. {} more up to tick {}<br/>"
                  "are not: --ticks {}..{} or --limit 0 shows them",
                  messages_, count, last.value(), tick.value(), last.value()));
  return true;
}

// ---- notes ----

void Sequence::add_lifecycle(Tick tick, const wire::Lifecycle& life) {
  if (!has_notes(life.process())) return;
  if (life.kind() == wire::Lifecycle::JOIN && life.incarnation() == 1 && !life.outside()) {
    if (starting_ && starting_->tick != tick) tell_collected();
    if (!starting_) {
      settle(tick);
      starting_ = Starting{tick, {}};
    }
    starting_->processes.push_back(life.process());
    return;
  }
  settle(tick);
  note(life.process(), tick, {lifecycle_text(life)});
}

void Sequence::add_fired(Tick tick, const wire::Fired& fired) {
  if (plan_ != nullptr && fired.rule() >= 0 && fired.rule() < plan_->rules_size() &&
      is_told_by_lives(plan_->rules(fired.rule()))) {
    return;
  }
  settle(tick);
  note_all(
      fmt::format("tick {}: rule {}", tick.value(), mermaid_text(fired.text(), 2 * kNoteBytes)));
}

void Sequence::add_event(EntryId id, const wire::Event& event) {
  const Tick tick = index_.at(id).tick;
  const bool concerns_all =
      event.name() == events::kGroupState || event.name() == events::kMemberRemoved;
  if (!concerns_all && !has_notes(index_.process_of(id))) return;
  if (event.name() == events::kPositionReset) return add_reset(id, event);
  const std::vector<std::string> lines = note_of(event, names_);
  if (lines.empty()) return;
  const bool of_group = event.name() == events::kGroupState;
  if (of_group && events::value_of(event, "to") == "PreparingRebalance") follow_group(tick, event);
  settle(tick);
  note(index_.process_of(id), tick, lines);
  if (of_group && events::value_of(event, "to") != "PreparingRebalance") follow_group(tick, event);
}

// One note for all positions that a consumer resets at a time.
void Sequence::add_reset(EntryId id, const wire::Event& event) {
  const std::string& process = index_.process_of(id);
  const std::string policy(events::value_of(event, "policy"));
  const auto partition = parse_integer(events::value_of(event, "partition"));
  const std::string place =
      names_.short_name({std::string(events::value_of(event, "topic")),
                         PartitionId(static_cast<std::int32_t>(partition.value_or(0)))});
  if (resets_ && (resets_->process != process || resets_->policy != policy)) tell_collected();
  if (!resets_) {
    settle(index_.at(id).tick);
    resets_ = Resets{index_.at(id).tick, process, policy, ""};
  }
  resets_->places += fmt::format(" {}@{}", place, events::value_of(event, "offset"));
}

// A coloured block reaches from PreparingRebalance to Stable. Blocks cannot cross each other, so
// groups that rebalance at the same time share one.
void Sequence::follow_group(Tick tick, const wire::Event& event) {
  const std::string group(events::value_of(event, "group"));
  const std::string_view to = events::value_of(event, "to");
  if (to == "CompletingRebalance") return;
  if (to == "PreparingRebalance") {
    settle(tick);
    tell_folded();
    rebalancing_.insert(group);
    if (!phase_) open_phase();
    return;
  }
  rebalancing_.erase(group);
  if (phase_ && rebalancing_.empty()) close_phase();
}

void Sequence::open_phase() {
  line(fmt::format("rect {}", kRebalanceColour));
  phase_ = true;
  std::string groups;
  for (const std::string& group : rebalancing_) groups += (groups.empty() ? "" : ", ") + group;
  note_all("group " + mermaid_text(groups, kNoteBytes) + " rebalances");
}

void Sequence::close_phase() {
  tell_collected();
  tell_folded();
  line("end");
  phase_ = false;
}

void Sequence::settle(Tick next) {
  tell_collected();
  if (!folded_.empty() && drawn_ && next - *drawn_ >= kQuiet) tell_folded();
  drawn_ = next;
}

void Sequence::tell_folded() {
  if (!folded_.empty()) note_all(mermaid_text(folded_.take(), 4 * kNoteBytes));
}

void Sequence::tell_collected() {
  if (starting_) {
    const Starting starting = std::move(*starting_);
    starting_.reset();
    for (const std::string& process : starting.processes) id_of(process);
    note_all(fmt::format(
        "tick {}: {} start{}", starting.tick.value(),
        mermaid_text(fmt::format("{}", fmt::join(starting.processes, " ")), 4 * kNoteBytes),
        starting.processes.size() == 1 ? "s" : ""));
  }
  if (resets_) {
    const Resets resets = std::move(*resets_);
    resets_.reset();
    note(resets.process, resets.tick,
         {"auto.offset.reset " + resets.policy, resets.places.substr(1)});
  }
}

void Sequence::note(const std::string& process, Tick tick, const std::vector<std::string>& lines) {
  std::string text = fmt::format("tick {}: ", tick.value());
  for (const std::string& one : lines) {
    if (one.empty()) continue;
    if (&one != &lines.front()) text += "<br/>";
    text += mermaid_text(one, kNoteBytes);
  }
  line(fmt::format("Note over {}: {}", id_of(process), text));
}

void Sequence::note_all(const std::string& text) {
  body_.push_back({.over_all = true, .text = text});
}

// ---- participants ----

std::string Sequence::id_of(const std::string& process) {
  const auto known = ids_.find(process);
  if (known != ids_.end()) return known->second;
  const std::string id = is_plain_id(process) ? process : fmt::format("process{}", ids_.size() + 1);
  return ids_.emplace(process, id).first->second;
}

// Who takes part, from left to right. Who was only ever addressed comes last.
std::vector<std::string> Sequence::drawn() const {
  std::vector<std::string> names;
  for (const Actor& actor : cast_) {
    if (ids_.contains(actor.name)) names.push_back(actor.name);
  }
  for (const auto& [name, id] : ids_) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string Sequence::written() const {
  std::map<std::string, std::string> roles;
  for (const Actor& actor : cast_) roles[actor.name] = actor.role;
  const std::vector<std::string> names = drawn();
  std::string out = "sequenceDiagram\n";
  for (const std::string& name : names) {
    const std::string role = roles.contains(name) ? roles.at(name) : "nobody";
    out += fmt::format("  participant {} as {}<br/>{}\n", ids_.at(name),
                       mermaid_text(name, kAliasBytes), mermaid_text(role, kAliasBytes));
  }
  std::string all;
  if (!names.empty()) {
    all = ids_.at(names.front());
    if (names.size() > 1) all += "," + ids_.at(names.back());
  }
  for (const Line& line : body_) {
    if (!line.over_all) {
      out += "  " + line.text + "\n";
    } else if (!all.empty()) {
      out += fmt::format("  Note over {}: {}\n", all, line.text);
    }
  }
  return out;
}

}  // namespace

std::string sequence_diagram(const RunIndex& index, const wire::Plan* plan,
                             const SequenceOptions& options) {
  return Sequence(index, plan, options).draw();
}

}  // namespace fencepost::lab
