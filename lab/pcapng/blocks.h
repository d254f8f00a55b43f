// A pcapng file with one Ethernet interface: section header, interface description, then names of
// addresses and packets as they are given (IETF draft-ietf-opsawg-pcapng). Little-endian.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace fencepost::lab {

using Ipv4 = std::uint32_t;  // 10.0.0.1 is 0x0a000001

class PcapngBlocks {
 public:
  // Writes the section header and the interface. The stream must outlive this object; whether it
  // took everything is its owner's to ask.
  PcapngBlocks(std::ostream& out, std::string_view interface_description);

  // A name resolution block: from here on the address has this name.
  void name(Ipv4 address, std::string_view name);
  // An Ethernet frame. `time_ns`: virtual nanoseconds since tick 0. No comment if it is empty.
  void packet(std::uint64_t time_ns, std::string_view frame, std::string_view comment);

 private:
  void block(std::uint32_t type, std::string_view body);

  std::ostream& out_;
};

}  // namespace fencepost::lab
