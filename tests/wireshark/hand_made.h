// Capture files of one connection, byte by byte as a test wants them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "lab/pcapng/blocks.h"
#include "lab/pcapng/segments.h"
#include "proto/clock.pb.h"

namespace fencepost::test {

// A message as it goes over a socket: its length, 4 bytes big-endian, and the bytes.
inline std::string with_length(const std::string& bytes) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>((bytes.size() >> shift) & 0xff));
  }
  return out + bytes;
}

inline std::string on_the_wire(const wire::Frame& frame) {
  wire::PeerMessage message;
  *message.mutable_frame() = frame;
  return with_length(message.SerializeAsString());
}

inline std::string hello(const std::string& name) {
  wire::PeerMessage message;
  message.mutable_hello()->set_name(name);
  message.mutable_hello()->set_incarnation(1);
  return with_length(message.SerializeAsString());
}

class HandMade {
 public:
  HandMade(const std::filesystem::path& path, std::uint16_t port)
      : file_(path, std::ios::binary), blocks_(file_, "by hand"), port_(port) {}

  // A segment of the client, or of the server.
  HandMade& says(std::string_view bytes) { return segment(bytes, client(), server(), 0); }
  HandMade& answers(std::string_view bytes) { return segment(bytes, server(), client(), 1); }
  // A datagram to Fencepost's port.
  HandMade& datagram(std::string_view bytes) {
    const lab::Datagram datagram{.from = client(), .to = {kServer, 19092}, .payload = bytes};
    blocks_.packet(0, lab::ethernet_frame(datagram, 0), "");
    return *this;
  }
  void done() { file_.close(); }

 private:
  static constexpr lab::Ipv4 kClient = 0x0a000002;
  static constexpr lab::Ipv4 kServer = 0x0a000001;

  static lab::Endpoint client() { return {kClient, 40001}; }
  lab::Endpoint server() const { return {kServer, port_}; }
  HandMade& segment(std::string_view bytes, lab::Endpoint from, lab::Endpoint to, int side) {
    const lab::Segment segment{.from = from,
                               .to = to,
                               .sequence = next_[side],
                               .acknowledgment = next_[1 - side],
                               .flags = lab::kPsh | lab::kAck,
                               .payload = bytes};
    blocks_.packet(0, lab::ethernet_frame(segment, 0), "");
    next_[side] += static_cast<std::uint32_t>(bytes.size());
    return *this;
  }

  std::ofstream file_;
  lab::PcapngBlocks blocks_;
  std::uint16_t port_;
  std::uint32_t next_[2] = {1, 1};
};

}  // namespace fencepost::test
