// Ethernet frames with IPv4 and TCP or UDP inside, with right lengths and checksums.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lab/pcapng/blocks.h"

namespace fencepost::lab {

struct Endpoint {
  Ipv4 address = 0;  // its MAC address is 02:00 and these four bytes
  std::uint16_t port = 0;
};

enum TcpFlag : std::uint8_t {
  kFin = 0x01,
  kSyn = 0x02,
  kRst = 0x04,
  kPsh = 0x08,
  kAck = 0x10,
};

// As much as an IPv4 packet takes; on the loopback interface of Linux segments are as large.
inline constexpr std::size_t kSegmentBytesMax = 65495;
inline constexpr std::size_t kDatagramBytesMax = 65507;

struct Segment {
  Endpoint from{};
  Endpoint to{};
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgment = 0;
  std::uint8_t flags = 0;  // with SYN: it tells its largest segment and the scale of its window
  std::string_view payload{};
};

// `id` is the identification of the IPv4 packet.
std::string ethernet_frame(const Segment& segment, std::uint16_t id);

struct Datagram {
  Endpoint from{};
  Endpoint to{};
  std::string_view payload{};
};

std::string ethernet_frame(const Datagram& datagram, std::uint16_t id);

}  // namespace fencepost::lab
