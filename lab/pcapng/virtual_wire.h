// Gives the records of a capture the shape of traffic on one network: an address for each process,
// TCP connections for its messages, and datagrams of the clock for all that is no message.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "lab/pcapng/blocks.h"
#include "lab/pcapng/comments.h"
#include "lab/pcapng/streams.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

class VirtualWire {
 public:
  // Both must outlive this object.
  VirtualWire(PcapngBlocks& out, const PacketTrace& trace);

  // The next record of the capture. Of one that is not shown only what it does to connections is
  // written; of a packet that is not shown, nothing.
  void add(Tick now, const wire::CaptureRecord& record, bool shown);

 private:
  Ipv4 address_of(const std::string& name);
  void lifecycle(Tick now, const wire::Lifecycle& what);
  void reception(Tick now, const wire::Reception& what);
  void packet(Tick now, const wire::Packet& packet);
  void request(Tick now, const wire::Packet& packet);
  void response(Tick now, const wire::Packet& packet);
  bool send(Tick now, const wire::Packet& packet, const Life& peer);
  // The record itself, from the clock to a process or to all.
  void mark(Tick now, const wire::CaptureRecord& record);
  // A message that no connection carries.
  void loose(Tick now, const wire::Packet& packet, std::uint16_t port);
  void datagram(Tick now, const Endpoint& from, const Endpoint& to,
                const wire::CaptureRecord& record, std::string_view comment);
  void write(Tick now, const std::string& frame, std::string_view comment);

  PcapngBlocks& out_;
  PacketComments comments_;
  TcpStreams streams_;
  std::int64_t tick_ms_ = 1000;
  std::uint32_t number_ = 0;  // of packets, shown or not
  std::uint16_t ip_id_ = 0;
  Life step_;  // whose step it is
  std::map<std::string, Ipv4> addresses_;
  std::map<std::string, std::uint32_t> lives_;  // of who is there
  std::string comment_;                         // of the packet that is being added
};

}  // namespace fencepost::lab
