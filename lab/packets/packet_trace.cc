#include "lab/packets/packet_trace.h"

#include "lab/frame_facts.h"
#include "lab/packets/packet_facts.h"

namespace fencepost::lab {

void PacketTrace::add(Tick tick, const wire::CaptureRecord& record) {
  if (record.has_lifecycle()) processes_.insert(record.lifecycle().process());
  if (record.has_packet()) add_packet(record.packet());
  if (!record.has_reception() || depth_ == Depth::kAnswers) return;
  const wire::Reception& taken = record.reception();
  const std::uint32_t number = sent({taken.source(), taken.incarnation()}, taken.sequence());
  if (number != 0) received_[number - 1] = tick.value() + 1;
}

void PacketTrace::add_packet(const wire::Packet& packet) {
  const wire::Header& header = packet.frame().header();
  Sent& sender = lives_[{header.source(), header.source_incarnation()}];
  counterparts_.push_back(0);
  const std::uint32_t number = packets();
  if (depth_ == Depth::kCauses) {
    const wire::Cause& cause = packet.cause();
    const bool is_frame = cause.kind() == wire::Cause::FRAME;
    causes_.push_back(is_frame ? sent({cause.source(), cause.incarnation()}, cause.sequence()) : 0);
    received_.push_back(0);
    sender.by_sequence.push_back(number);
  }
  if (!is_response(packet.frame())) {
    sender.unanswered[header.correlation_id()] = number;
    for (std::string& group : groups_in(packet.frame())) groups_.insert(std::move(group));
    return;
  }
  Sent& asked = lives_[{header.destination(), header.destination_incarnation()}];
  const auto request = asked.unanswered.find(header.correlation_id());
  if (request == asked.unanswered.end()) return;
  counterparts_[number - 1] = request->second;
  counterparts_[request->second - 1] = number;
  asked.unanswered.erase(request);
}

std::optional<Tick> PacketTrace::received(std::uint32_t number) const {
  const std::int64_t tick = value(received_, number);
  return tick == 0 ? std::nullopt : std::optional(Tick(tick - 1));
}

std::uint32_t PacketTrace::sent(const Life& sender, std::uint64_t sequence) const {
  const auto life = lives_.find(sender);
  if (life == lives_.end() || sequence > life->second.by_sequence.size()) return 0;
  return value(life->second.by_sequence, static_cast<std::uint32_t>(sequence));
}

}  // namespace fencepost::lab
