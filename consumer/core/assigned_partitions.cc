#include "consumer/core/assigned_partitions.h"

#include "common/check.h"

namespace fencepost::consumer {

void AssignedPartitions::assign(const TopicPartitions& partitions) {
  std::erase_if(states_, [&](const auto& entry) { return !partitions.contains(entry.first); });
  for (const TopicPartition& where : partitions) {
    const auto [state, added] = states_.try_emplace(where);
    if (added) state->second.serial = next_serial_++;
  }
  delivering_ = true;
}

TopicPartitions AssignedPartitions::owned() const {
  TopicPartitions partitions;
  for (const auto& [where, state] : states_) partitions.insert(partitions.end(), where);
  return partitions;
}

Offsets AssignedPartitions::positions() const {
  Offsets offsets;
  for (const auto& [where, state] : states_) {
    if (state.position) offsets.emplace_hint(offsets.end(), where, *state.position);
  }
  return offsets;
}

PartitionState* AssignedPartitions::find(const PartitionTicket& ticket) {
  PartitionState* state = find(ticket.where);
  return state && state->serial == ticket.serial ? state : nullptr;
}

PartitionState* AssignedPartitions::find(const TopicPartition& where) {
  const auto found = states_.find(where);
  return found == states_.end() ? nullptr : &found->second;
}

std::vector<PartitionTicket> AssignedPartitions::without_position() const {
  std::vector<PartitionTicket> tickets;
  for (const auto& [where, state] : states_) {
    if (!state.position && !state.reset) tickets.push_back({where, state.serial});
  }
  return tickets;
}

std::vector<PartitionTicket> AssignedPartitions::waiting_for_reset() const {
  std::vector<PartitionTicket> tickets;
  for (const auto& [where, state] : states_) {
    if (!state.position && state.reset) tickets.push_back({where, state.serial});
  }
  return tickets;
}

std::vector<PartitionTicket> AssignedPartitions::fetchable() const {
  std::vector<PartitionTicket> tickets;
  if (!delivering_) return tickets;
  for (const auto& [where, state] : states_) {
    if (state.position && state.buffered.empty() && !state.paused)
      tickets.push_back({where, state.serial});
  }
  return tickets;
}

TopicPartitions AssignedPartitions::paused() const {
  TopicPartitions partitions;
  for (const auto& [where, state] : states_) {
    if (state.paused) partitions.insert(partitions.end(), where);
  }
  return partitions;
}

void AssignedPartitions::set_paused(const TopicPartition& where, bool paused) {
  PartitionState* state = find(where);
  CHECK(state, "pause or resume of {}, which is not assigned", to_string(where));
  state->paused = paused;
}

void AssignedPartitions::seek(const TopicPartition& where, Offset position) {
  PartitionState* state = find(where);
  CHECK(state, "seek in {}, which is not assigned", to_string(where));
  state->position = position;
  state->reset.reset();
  state->buffered.clear();
}

void AssignedPartitions::request_reset(PartitionState& state, LogEnd end) {
  state.position.reset();
  state.reset = end;
  state.buffered.clear();
}

void AssignedPartitions::buffer(PartitionState& state, std::deque<ConsumerRecord> records,
                                Offset end) {
  if (records.empty()) {
    state.position = end;
    return;
  }
  state.buffered = std::move(records);
  state.buffer_end = end;
}

Records AssignedPartitions::drain(std::int64_t max) {
  Records out;
  if (!delivering_) return out;
  const auto first = states_.upper_bound(drained_last_);
  for (auto it = first; it != states_.end(); ++it) drain_one(it->first, it->second, max, out);
  for (auto it = states_.begin(); it != first; ++it) drain_one(it->first, it->second, max, out);
  return out;
}

void AssignedPartitions::drain_one(const TopicPartition& where, PartitionState& state,
                                   std::int64_t max, Records& out) {
  if (state.buffered.empty() || state.paused) return;
  while (!state.buffered.empty() && static_cast<std::int64_t>(out.size()) < max) {
    state.position = state.buffered.front().offset + 1;
    out.push_back(std::move(state.buffered.front()));
    state.buffered.pop_front();
  }
  if (state.buffered.empty()) {
    state.position = *state.buffer_end;
    drained_last_ = where;
  }
}

}  // namespace fencepost::consumer
