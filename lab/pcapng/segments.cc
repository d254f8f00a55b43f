#include "lab/pcapng/segments.h"

#include "common/check.h"

namespace fencepost::lab {
namespace {

constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;
constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;
constexpr std::uint16_t kDoNotFragment = 0x4000;
constexpr std::uint8_t kTimeToLive = 64;
constexpr std::size_t kIpv4Header = 20;
constexpr std::size_t kTcpHeader = 20;
constexpr std::size_t kTcpChecksum = 16;  // where it stands
constexpr std::size_t kUdpHeader = 8;
constexpr std::size_t kUdpChecksum = 6;
constexpr std::size_t kIpv4Checksum = 10;
constexpr std::uint16_t kWindow = 0xffff;
constexpr std::uint8_t kWindowScale = 7;

template <class Number>
void put(std::string& out, Number number) {
  for (std::size_t i = sizeof(Number); i-- > 0;) {
    out.push_back(static_cast<char>((number >> (8 * i)) & 0xff));
  }
}

// RFC 1071, without the complement at the end.
std::uint32_t sum_of(std::string_view bytes, std::uint32_t sum) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
    sum += i % 2 == 0 ? byte << 8 : byte;
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return sum;
}

void set_checksum(std::string& bytes, std::size_t at, std::uint32_t sum) {
  const auto checksum = static_cast<std::uint16_t>(~sum);
  bytes[at] = static_cast<char>(checksum >> 8);
  bytes[at + 1] = static_cast<char>(checksum & 0xff);
}

void put_mac(std::string& out, Ipv4 address) {
  put(out, std::uint16_t{0x0200});
  put(out, address);
}

struct Addresses {
  Ipv4 from = 0;
  Ipv4 to = 0;
};

std::uint32_t pseudo_header_sum(const Addresses& addresses, std::uint8_t protocol,
                                std::size_t length) {
  std::string pseudo;
  put(pseudo, addresses.from);
  put(pseudo, addresses.to);
  put(pseudo, static_cast<std::uint16_t>(protocol));
  put(pseudo, static_cast<std::uint16_t>(length));
  return sum_of(pseudo, 0);
}

std::string framed(const Addresses& addresses, std::uint8_t protocol, std::uint16_t id,
                   std::string_view inside) {
  std::string ip;
  put(ip, std::uint8_t{0x45});  // version 4, five words
  put(ip, std::uint8_t{0});
  put(ip, static_cast<std::uint16_t>(kIpv4Header + inside.size()));
  put(ip, id);
  put(ip, kDoNotFragment);
  put(ip, kTimeToLive);
  put(ip, protocol);
  put(ip, std::uint16_t{0});
  put(ip, addresses.from);
  put(ip, addresses.to);
  set_checksum(ip, kIpv4Checksum, sum_of(ip, 0));

  std::string frame;
  put_mac(frame, addresses.to);
  put_mac(frame, addresses.from);
  put(frame, kEtherTypeIpv4);
  return frame.append(ip).append(inside);
}

// Largest segment, a filler, window scale (RFC 7323).
std::string syn_options() {
  std::string options;
  put(options, std::uint16_t{0x0204});
  put(options, static_cast<std::uint16_t>(kSegmentBytesMax));
  put(options, std::uint8_t{1});
  put(options, std::uint16_t{0x0303});
  put(options, kWindowScale);
  return options;
}

}  // namespace

std::string ethernet_frame(const Segment& segment, std::uint16_t id) {
  CHECK(segment.payload.size() <= kSegmentBytesMax, "{} bytes in a segment",
        segment.payload.size());
  const std::string options = (segment.flags & kSyn) != 0 ? syn_options() : "";
  std::string tcp;
  put(tcp, segment.from.port);
  put(tcp, segment.to.port);
  put(tcp, segment.sequence);
  put(tcp, segment.acknowledgment);
  put(tcp, static_cast<std::uint8_t>((kTcpHeader + options.size()) / 4 << 4));
  put(tcp, segment.flags);
  put(tcp, (segment.flags & kRst) != 0 ? std::uint16_t{0} : kWindow);
  put(tcp, std::uint16_t{0});  // checksum
  put(tcp, std::uint16_t{0});  // urgent
  tcp.append(options).append(segment.payload);
  const Addresses addresses{segment.from.address, segment.to.address};
  set_checksum(tcp, kTcpChecksum, sum_of(tcp, pseudo_header_sum(addresses, kTcp, tcp.size())));
  return framed(addresses, kTcp, id, tcp);
}

std::string ethernet_frame(const Datagram& datagram, std::uint16_t id) {
  CHECK(datagram.payload.size() <= kDatagramBytesMax, "{} bytes in a datagram",
        datagram.payload.size());
  std::string udp;
  put(udp, datagram.from.port);
  put(udp, datagram.to.port);
  put(udp, static_cast<std::uint16_t>(kUdpHeader + datagram.payload.size()));
  put(udp, std::uint16_t{0});
  udp += datagram.payload;
  const Addresses addresses{datagram.from.address, datagram.to.address};
  const std::uint32_t sum = sum_of(udp, pseudo_header_sum(addresses, kUdp, udp.size()));
  // Zero would mean "no checksum" (RFC 768).
  set_checksum(udp, kUdpChecksum, sum == 0xffff ? 0 : sum);
  return framed(addresses, kUdp, id, udp);
}

}  // namespace fencepost::lab
