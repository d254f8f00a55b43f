#include "lab/pcapng/virtual_wire.h"

#include "lab/frame_facts.h"
#include "lab/packets/printable.h"
#include "proto/clock.pb.h"

namespace fencepost::lab {
namespace {

constexpr Ipv4 kNetwork = 0x0a000000;
constexpr Ipv4 kBroadcast = 0x0a00ffff;
constexpr Ipv4 kClock = 0x0a0000fe;
constexpr Ipv4 kHostsInARow = 253;  // 10.0.0.1 to 10.0.0.253, 10.0.1.1 to ...
constexpr std::uint64_t kNanosecondsPerMs = 1'000'000;

// As FrameStream sends it.
std::string framed(const wire::PeerMessage& message) {
  const std::size_t size = message.ByteSizeLong();
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>((size >> shift) & 0xff));
  }
  message.AppendToString(&bytes);
  return bytes;
}

// Without the secret of the run, which reaches no capture.
std::string introduction(const Life& who) {
  wire::PeerMessage message;
  message.mutable_hello()->set_name(who.name);
  message.mutable_hello()->set_incarnation(who.incarnation);
  return framed(message);
}

Life sender(const wire::Packet& packet) {
  return {packet.frame().header().source(), packet.frame().header().source_incarnation()};
}

}  // namespace

VirtualWire::VirtualWire(PcapngBlocks& out, const PacketTrace& trace)
    : out_(out),
      comments_(trace),
      streams_(
          [this](Tick now, const Segment& segment, std::string_view comment) {
            write(now, ethernet_frame(segment, ip_id_++), comment);
          },
          [this](const std::string& name) { return address_of(name); }) {
  out_.name(kClock, "clock");
}

Ipv4 VirtualWire::address_of(const std::string& name) {
  const auto known = addresses_.find(name);
  if (known != addresses_.end()) return known->second;
  const auto number = static_cast<Ipv4>(addresses_.size());
  const Ipv4 address = kNetwork + ((number / kHostsInARow % 255) << 8) + number % kHostsInARow + 1;
  addresses_[name] = address;
  out_.name(address, printable(name));
  return address;
}

void VirtualWire::add(Tick now, const wire::CaptureRecord& record, bool shown) {
  switch (record.what_case()) {
    case wire::CaptureRecord::kHeader:
      tick_ms_ = record.header().tick_ms();
      return mark(now, record);
    case wire::CaptureRecord::kLifecycle:
      if (shown) mark(now, record);
      return lifecycle(now, record.lifecycle());
    case wire::CaptureRecord::kStep:
      step_ = {record.step().process(), record.step().incarnation()};
      return;
    case wire::CaptureRecord::kReception:
      return reception(now, record.reception());
    case wire::CaptureRecord::kPacket:
      ++number_;
      if (shown) packet(now, record.packet());
      return;
    case wire::CaptureRecord::kOccurrence:
      if (shown) mark(now, record);
      return;
    case wire::CaptureRecord::kFired:
      comments_.learn(record.fired());
      if (shown) mark(now, record);
      return;
    case wire::CaptureRecord::kEnd:
      if (shown) mark(now, record);
      return streams_.close_all(now);
    case wire::CaptureRecord::WHAT_NOT_SET:
      return;
  }
}

void VirtualWire::lifecycle(Tick now, const wire::Lifecycle& what) {
  switch (what.kind()) {
    case wire::Lifecycle::JOIN:
      lives_[what.process()] = what.incarnation();
      return;
    case wire::Lifecycle::KILL:
    case wire::Lifecycle::EXIT:
      lives_.erase(what.process());
      return streams_.died(now, {what.process(), what.incarnation()});
    case wire::Lifecycle::CLOSE:
    case wire::Lifecycle::FREEZE:
    case wire::Lifecycle::THAW:
      return;  // connections stay as they are
  }
}

void VirtualWire::reception(Tick now, const wire::Reception& what) {
  const Life peer{what.source(), what.incarnation()};
  if (what.has_sequence()) {
    streams_.received(step_, peer, what.sequence());
  } else {
    streams_.parted(now, step_, peer);
  }
}

void VirtualWire::packet(Tick now, const wire::Packet& packet) {
  comment_ = comments_.of(number_, now, packet);
  return is_response(packet.frame()) ? response(now, packet) : request(now, packet);
}

void VirtualWire::request(Tick now, const wire::Packet& packet) {
  const std::string& name = packet.frame().header().destination();
  const auto there = lives_.find(name);
  if (packet.fate() == wire::Packet::REFUSED || there == lives_.end()) {
    return loose(now, packet, streams_.attempt(now, sender(packet), name, true));
  }
  const Life server{name, there->second};
  if (!streams_.is_open(sender(packet), server)) {
    // A partition stops the SYN, too.
    if (packet.fate() == wire::Packet::PARTITIONED) {
      return loose(now, packet, streams_.attempt(now, sender(packet), name, false));
    }
    // It has heard of the end of the last connection, or never will.
    streams_.open(now, sender(packet), server, introduction(sender(packet)));
  }
  if (!send(now, packet, server)) loose(now, packet, kBrokerPort);
}

void VirtualWire::response(Tick now, const wire::Packet& packet) {
  const wire::Header& header = packet.frame().header();
  const Life client{header.destination(), header.destination_incarnation()};
  if (!send(now, packet, client)) loose(now, packet, kBrokerPort);
}

bool VirtualWire::send(Tick now, const wire::Packet& packet, const Life& peer) {
  wire::PeerMessage message;
  *message.mutable_frame() = packet.frame();
  const bool arrives = packet.fate() == wire::Packet::ARRIVES;
  return streams_.send(now, {.from = sender(packet),
                             .to = peer,
                             .from_client = !is_response(packet.frame()),
                             .sequence = packet.frame().header().sequence(),
                             .arrival = arrives ? Tick(packet.arrival_tick()) : now + TickSpan(1),
                             .may_be_read = arrives,
                             .bytes = framed(message),
                             .comment = comment_});
}

void VirtualWire::mark(Tick now, const wire::CaptureRecord& record) {
  const Endpoint clock{kClock, kBrokerPort};
  if (record.has_lifecycle()) {
    const Endpoint process{address_of(record.lifecycle().process()), kBrokerPort};
    return datagram(now, clock, process, record, "");
  }
  if (record.has_occurrence()) {
    const Endpoint process{address_of(step_.name), kBrokerPort};
    return datagram(now, process, clock, record, "");
  }
  datagram(now, clock, {kBroadcast, kBrokerPort}, record, "");
}

void VirtualWire::loose(Tick now, const wire::Packet& packet, std::uint16_t port) {
  wire::CaptureRecord record;
  *record.mutable_packet() = packet;
  const wire::Header& header = packet.frame().header();
  datagram(now, {address_of(header.source()), port},
           {address_of(header.destination()), kBrokerPort}, record, comment_);
}

// Every datagram tells its tick. What is too long for one goes without the messages inside.
void VirtualWire::datagram(Tick now, const Endpoint& from, const Endpoint& to,
                           const wire::CaptureRecord& record, std::string_view comment) {
  wire::CaptureRecord told = record;
  told.set_tick(now.value());
  if (told.ByteSizeLong() > kDatagramBytesMax && told.has_packet()) {
    const wire::Header header = told.packet().frame().header();
    *told.mutable_packet()->mutable_frame() = {};
    *told.mutable_packet()->mutable_frame()->mutable_header() = header;
  }
  std::string bytes = told.SerializeAsString();
  if (bytes.size() > kDatagramBytesMax) bytes.resize(kDatagramBytesMax);
  write(now, ethernet_frame(Datagram{from, to, bytes}, ip_id_++), comment);
}

void VirtualWire::write(Tick now, const std::string& frame, std::string_view comment) {
  const auto ms = static_cast<std::uint64_t>(now.value() * tick_ms_);
  out_.packet(ms * kNanosecondsPerMs, frame, comment);
}

}  // namespace fencepost::lab
