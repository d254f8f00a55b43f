#include "lab/pcapng/blocks.h"

#include <limits>

namespace fencepost::lab {
namespace {

constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint32_t kNameResolution = 4;
constexpr std::uint32_t kEnhancedPacket = 6;

constexpr std::uint32_t kByteOrderMagic = 0x1a2b3c4d;
constexpr std::uint16_t kEthernet = 1;
constexpr std::uint32_t kSnapLength = 262144;
constexpr std::uint16_t kIpv4Record = 1;
constexpr std::size_t kFrame = 12;  // of a block: its type, and its length before and behind

constexpr std::uint16_t kComment = 1;          // of any block
constexpr std::uint16_t kUserApplication = 4;  // of a section header
constexpr std::uint16_t kInterfaceName = 2;
constexpr std::uint16_t kInterfaceDescriptionText = 3;
constexpr std::uint16_t kTimeResolution = 9;
constexpr char kNanoseconds = 9;

constexpr std::size_t kOptionMax = std::numeric_limits<std::uint16_t>::max();

template <class Number>
void put(std::string& out, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    out.push_back(static_cast<char>((number >> (8 * i)) & 0xff));
  }
}

void pad(std::string& out) { out.resize((out.size() + 3) / 4 * 4); }

void put_option(std::string& out, std::uint16_t code, std::string_view value) {
  value = value.substr(0, kOptionMax);
  put(out, code);
  put(out, static_cast<std::uint16_t>(value.size()));
  out += value;
  pad(out);
}

void end_options(std::string& out) { put(out, std::uint32_t{0}); }

}  // namespace

PcapngBlocks::PcapngBlocks(std::ostream& out, std::string_view interface_description) : out_(out) {
  std::string section;
  put(section, kByteOrderMagic);
  put(section, std::uint16_t{1});  // version 1.0
  put(section, std::uint16_t{0});
  put(section, std::numeric_limits<std::uint64_t>::max());  // its length: not told
  put_option(section, kUserApplication, "fencepost");
  end_options(section);
  block(kSectionHeader, section);

  std::string interface;
  put(interface, kEthernet);
  put(interface, std::uint16_t{0});
  put(interface, kSnapLength);
  put_option(interface, kInterfaceName, "fencepost");
  put_option(interface, kInterfaceDescriptionText, interface_description);
  put_option(interface, kTimeResolution, std::string_view(&kNanoseconds, 1));
  end_options(interface);
  block(kInterfaceDescription, interface);
}

void PcapngBlocks::name(Ipv4 address, std::string_view name) {
  std::string value;
  for (int shift = 24; shift >= 0; shift -= 8) {  // network byte order
    value.push_back(static_cast<char>((address >> shift) & 0xff));
  }
  value += name.substr(0, kOptionMax - sizeof(Ipv4) - 1);
  value.push_back('\0');
  std::string body;
  put(body, kIpv4Record);
  put(body, static_cast<std::uint16_t>(value.size()));
  body += value;
  pad(body);
  put(body, std::uint32_t{0});  // end of records; no options
  block(kNameResolution, body);
}

void PcapngBlocks::packet(std::uint64_t time_ns, std::string_view frame, std::string_view comment) {
  std::string body;
  put(body, std::uint32_t{0});  // interface
  put(body, static_cast<std::uint32_t>(time_ns >> 32));
  put(body, static_cast<std::uint32_t>(time_ns));
  put(body, static_cast<std::uint32_t>(frame.size()));  // captured
  put(body, static_cast<std::uint32_t>(frame.size()));  // on the wire
  body += frame;
  pad(body);
  if (!comment.empty()) {
    put_option(body, kComment, comment);
    end_options(body);
  }
  block(kEnhancedPacket, body);
}

void PcapngBlocks::block(std::uint32_t type, std::string_view body) {
  std::string bytes;
  put(bytes, type);
  put(bytes, static_cast<std::uint32_t>(body.size() + kFrame));
  bytes += body;
  put(bytes, static_cast<std::uint32_t>(body.size() + kFrame));
  out_ << bytes;
}

}  // namespace fencepost::lab
