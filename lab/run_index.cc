#include "lab/run_index.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "clock/core/network.h"
#include "common/capture_file.h"

namespace fencepost::lab {
namespace {

// One life of a process.
using LifeKey = std::pair<std::string, std::uint32_t>;  // name, incarnation

bool concerns(const wire::Rule& rule, const std::string& process) {
  return std::ranges::any_of(rule.actions(), [&](const wire::Action& action) {
    const bool command = action.kind() == wire::Action::SLOW || action.kind() == wire::Action::CALL;
    return command && std::ranges::find(action.processes(), process) != action.processes().end();
  });
}

}  // namespace

// Walks the records in their order, and remembers of each life what later ones refer to.
class RunIndex::Builder {
 public:
  Builder(RunIndex& index, const wire::Plan* plan) : index_(index), plan_(plan) {}

  void add(Tick tick, std::uint64_t offset, const wire::CaptureRecord& record) {
    ++record_;
    switch (record.what_case()) {
      case wire::CaptureRecord::kHeader:
        index_.header_ = record.header();
        return;
      case wire::CaptureRecord::kLifecycle:
        return add_lifecycle(entry(tick, offset, record), record.lifecycle());
      case wire::CaptureRecord::kStep:
        step_ = {record.step().process(), record.step().incarnation()};
        return;
      case wire::CaptureRecord::kReception:
        return add_reception(tick, record.reception());
      case wire::CaptureRecord::kPacket:
        return add_packet(entry(tick, offset, record), record.packet());
      case wire::CaptureRecord::kOccurrence: {
        const EntryId id = entry(tick, offset, record);
        index_.entries_[id].cause = resolve(record.occurrence().cause());
        return;
      }
      case wire::CaptureRecord::kFired:
        fired_.emplace_back(entry(tick, offset, record), record.fired().rule());
        return;
      case wire::CaptureRecord::kEnd:
        entry(tick, offset, record);
        return;
      case wire::CaptureRecord::WHAT_NOT_SET:
        return;
    }
  }

 private:
  struct LifeTrace {
    EntryId joined = 0;
    std::optional<EntryId> closed{};
    std::optional<EntryId> ended{};
    std::vector<EntryId> packets{};                 // by sequence, from 1
    std::map<std::int32_t, EntryId> unanswered{};   // requests, by correlation id
    std::map<std::string, EntryId> last_refused{};  // requests, by who was not there
  };

  EntryId entry(Tick tick, std::uint64_t offset, const wire::CaptureRecord& record) {
    IndexEntry& made = index_.entries_.emplace_back();
    made.record = record_;
    made.offset = offset;
    made.tick = tick;
    made.what = record.what_case();
    made.process = process_number(step_.first);
    return index_.entries_.size() - 1;
  }

  std::uint32_t process_number(const std::string& name) {
    const auto [at, is_new] =
        numbers_.try_emplace(name, static_cast<std::uint32_t>(index_.processes_.size()));
    if (is_new) index_.processes_.push_back(name);
    return at->second;
  }

  void add_lifecycle(EntryId id, const wire::Lifecycle& what) {
    index_.entries_[id].process = process_number(what.process());
    LifeTrace& life = lives_[{what.process(), what.incarnation()}];
    switch (what.kind()) {
      case wire::Lifecycle::JOIN:
        life.joined = id;
        break;
      case wire::Lifecycle::CLOSE:
        life.closed = id;
        break;
      case wire::Lifecycle::KILL:
      case wire::Lifecycle::EXIT:
        life.ended = id;
        break;
      case wire::Lifecycle::FREEZE:
      case wire::Lifecycle::THAW:
        break;
    }
    const bool by_rule = what.kind() != wire::Lifecycle::EXIT && !what.outside();
    if (by_rule && !fired_.empty() &&
        index_.entries_[fired_.back().first].tick == index_.entries_[id].tick) {
      index_.entries_[id].cause = fired_.back().first;
    }
  }

  void add_packet(EntryId id, const wire::Packet& packet) {
    const wire::Header& header = packet.frame().header();
    index_.packets_.push_back(id);
    index_.entries_[id].number = static_cast<std::uint32_t>(index_.packets_.size());
    index_.entries_[id].cause = resolve(packet.cause());
    LifeTrace& sender = lives_[{header.source(), header.source_incarnation()}];
    sender.packets.push_back(id);
    if (!clock::is_response(packet.frame())) {
      sender.unanswered[header.correlation_id()] = id;
      if (packet.fate() == wire::Packet::REFUSED) sender.last_refused[header.destination()] = id;
      return;
    }
    LifeTrace& asked = lives_[{header.destination(), header.destination_incarnation()}];
    const auto request = asked.unanswered.find(header.correlation_id());
    if (request == asked.unanswered.end()) return;
    index_.entries_[id].counterpart = request->second;
    index_.entries_[request->second].counterpart = id;
    asked.unanswered.erase(request);
  }

  void add_reception(Tick tick, const wire::Reception& reception) {
    if (!reception.has_sequence()) return;
    if (const auto id = sent({reception.source(), reception.incarnation()}, reception.sequence())) {
      index_.entries_[*id].received = tick;
    }
  }

  std::optional<EntryId> sent(const LifeKey& sender, std::uint64_t sequence) const {
    const auto life = lives_.find(sender);
    if (life == lives_.end() || sequence == 0 || sequence > life->second.packets.size()) return {};
    return life->second.packets[sequence - 1];
  }

  std::optional<EntryId> resolve(const wire::Cause& cause) const {
    const auto own = lives_.find(step_);
    switch (cause.kind()) {
      case wire::Cause::START:
        return own == lives_.end() ? std::nullopt : std::optional(own->second.joined);
      case wire::Cause::CLOSE:
        return own == lives_.end() ? std::nullopt : own->second.closed;
      case wire::Cause::COMMAND:
        return command(Tick(cause.tick()));
      case wire::Cause::FRAME:
        return sent({cause.source(), cause.incarnation()}, cause.sequence());
      case wire::Cause::DISCONNECTED:
        return parting(cause);
    }
    return {};
  }

  // The last rule up to then that slows or calls the process whose step this is.
  std::optional<EntryId> command(Tick tick) const {
    for (auto fired = fired_.rbegin(); fired != fired_.rend(); ++fired) {
      const auto& [id, rule] = *fired;
      if (index_.entries_[id].tick > tick) continue;
      const bool known = plan_ != nullptr && rule < plan_->rules_size();
      if (!known || concerns(plan_->rules(rule), step_.first)) return id;
    }
    return {};
  }

  // Why a connection ended: the other end died, or was not there.
  std::optional<EntryId> parting(const wire::Cause& cause) const {
    const auto peer = lives_.find({cause.source(), cause.incarnation()});
    if (cause.incarnation() != 0 && peer != lives_.end()) return peer->second.ended;
    const auto own = lives_.find(step_);
    if (own == lives_.end()) return {};
    const auto refused = own->second.last_refused.find(cause.source());
    if (refused == own->second.last_refused.end()) return {};
    return refused->second;
  }

  RunIndex& index_;
  const wire::Plan* plan_;
  std::uint64_t record_ = 0;
  LifeKey step_;  // whose step it is
  std::map<std::string, std::uint32_t> numbers_;
  std::map<LifeKey, LifeTrace> lives_;
  std::vector<std::pair<EntryId, int>> fired_;  // with their rules
};

RunIndex::RunIndex(const std::string& capture, const wire::Plan* plan) : path_(capture) {
  CaptureReader reader(capture);
  Builder builder(*this, plan);
  bool any = false;
  for (;;) {
    const std::uint64_t offset = reader.offset();
    const auto record = reader.next();
    if (!record) break;
    any = true;
    builder.add(Tick(reader.tick()), offset, *record);
  }
  if (!any) throw std::runtime_error(capture + ": is empty, not a capture");
  file_.open(capture, std::ios::binary);
}

std::optional<EntryId> RunIndex::packet(std::uint64_t number) const {
  if (number == 0 || number > packets_.size()) return {};
  return packets_[number - 1];
}

std::optional<EntryId> RunIndex::of_record(std::uint64_t record) const {
  const auto found = std::ranges::lower_bound(entries_, record, {}, &IndexEntry::record);
  if (found == entries_.end() || found->record != record) return {};
  return static_cast<EntryId>(found - entries_.begin());
}

wire::CaptureRecord RunIndex::read(EntryId id) const {
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(at(id).offset));
  unsigned char length[4] = {};
  file_.read(reinterpret_cast<char*>(length), sizeof length);
  std::string bytes;
  if (file_) {
    bytes.resize((std::size_t{length[0]} << 24) | (std::size_t{length[1]} << 16) |
                 (std::size_t{length[2]} << 8) | length[3]);
    file_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  wire::CaptureRecord record;
  if (!file_ || !record.ParseFromString(bytes) || record.what_case() != at(id).what) {
    throw std::runtime_error(path_ + ": has changed while it was read");
  }
  return record;
}

std::vector<EntryId> RunIndex::chain(EntryId id) const {
  std::vector<EntryId> links{id};
  // A cause stands before its effect in the capture, so the chain ends.
  while (const auto cause = at(links.back()).cause) links.push_back(*cause);
  return links;
}

}  // namespace fencepost::lab
