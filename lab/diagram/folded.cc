#include "lab/diagram/folded.h"

#include <spdlog/fmt/fmt.h>

#include "lab/frame_facts.h"

namespace fencepost::lab {
namespace {

// The last ticks of a run, in which an answer may still be on its way.
constexpr std::int64_t kOnItsWayTicks = 2;

bool is_heartbeat(const wire::Frame& frame) { return api_of(frame) == "Heartbeat"; }

bool finds_nothing(const wire::FetchResponse& response) {
  for (const auto& topic : response.responses()) {
    for (const auto& partition : topic.partitions()) {
      for (const auto& batch : partition.records()) {
        if (batch.records_size() > 0) return false;
      }
    }
  }
  return true;
}

bool goes_smoothly(Tick tick, const wire::Packet& packet) {
  return packet.fate() == wire::Packet::ARRIVES && !packet.has_rule() &&
         packet.arrival_tick() == tick.value() + 1;
}

bool is_good_answer(const wire::Frame& frame) {
  if (!errors_in(frame).empty()) return false;
  return is_heartbeat(frame) || finds_nothing(frame.fetch_response());
}

std::string counts_text(const std::map<std::string, std::int64_t>& counts,
                        std::string_view singular, std::string_view plural) {
  std::int64_t sum = 0;
  std::string by_client;
  for (const auto& [client, count] : counts) {
    sum += count;
    by_client += fmt::format("{}{} {}", by_client.empty() ? "" : ", ", client, count);
  }
  return fmt::format("{} {} ({})", sum, sum == 1 ? singular : plural, by_client);
}

}  // namespace

Folded::Folded(const RunIndex& index) : index_(index) {
  if (!index.entries().empty()) end_ = index.entries().back().tick;
}

bool Folded::is_routine(EntryId id, const wire::Packet& packet) {
  if (!is_heartbeat(packet.frame()) && api_of(packet.frame()) != "Fetch") return false;
  const std::optional<EntryId> other = index_.at(id).counterpart;
  if (other && is_response(packet.frame())) {
    const auto decided = undecided_.find(*other);
    if (decided != undecided_.end()) return undecided_.extract(decided).mapped();
  }
  const bool routine = judge(id, packet);
  if (other && !is_response(packet.frame())) undecided_[id] = routine;
  return routine;
}

bool Folded::judge(EntryId id, const wire::Packet& packet) const {
  const IndexEntry& entry = index_.at(id);
  if (!goes_smoothly(entry.tick, packet)) return false;
  if (is_response(packet.frame()) && !is_good_answer(packet.frame())) return false;
  if (!entry.counterpart) {
    return !is_response(packet.frame()) && entry.tick.value() >= end_.value() - kOnItsWayTicks;
  }
  const wire::Packet other = index_.read(*entry.counterpart).packet();
  if (!goes_smoothly(index_.at(*entry.counterpart).tick, other)) return false;
  return is_response(packet.frame()) || is_good_answer(other.frame());
}

void Folded::add(EntryId id, const wire::Packet& packet) {
  ++packets_;
  last_ = index_.at(id).tick;
  if (!first_) first_ = last_;
  const wire::Header& header = packet.frame().header();
  const bool answer = is_response(packet.frame());
  if (answer) {
    // Its request is in a note already, unless it was before the part that is drawn.
    const auto request = index_.at(id).counterpart;
    if (request && counted_.erase(*request) > 0) return;
  } else if (index_.at(id).counterpart) {
    counted_[id] = true;
  }
  const std::string& client = answer ? header.destination() : header.source();
  ++(is_heartbeat(packet.frame()) ? count_.heartbeats : count_.fetches)[client];
}

std::string Folded::take() {
  std::string text;
  if (!count_.heartbeats.empty()) {
    text = counts_text(count_.heartbeats, "heartbeat", "heartbeats");
  }
  if (!count_.fetches.empty()) {
    text +=
        (text.empty() ? "" : ", ") + counts_text(count_.fetches, "empty fetch", "empty fetches");
  }
  if (text.empty()) text = "answers to heartbeats and empty fetches";
  text += *first_ == *last_ ? fmt::format(", tick {}", first_->value())
                            : fmt::format(", ticks {} to {}", first_->value(), last_->value());
  packets_ = 0;
  count_ = {};
  first_.reset();
  last_.reset();
  return text;
}

}  // namespace fencepost::lab
