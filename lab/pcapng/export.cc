#include "lab/pcapng/export.h"

#include <spdlog/fmt/fmt.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "lab/pcapng/virtual_wire.h"

namespace fencepost::lab {

std::uint32_t export_pcapng(const RecordedPackets& recorded, PacketWalk walk,
                            const std::string& file) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (!out) {
    throw std::runtime_error(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
  }
  PcapngBlocks blocks(out, "the virtual network of a run");
  VirtualWire wire(blocks, recorded.trace());
  recorded.each([&](Tick now, const wire::CaptureRecord& record) {
    wire.add(now, record, walk.next(now, record).has_value());
  });
  out.close();
  if (!out) throw std::runtime_error(file + ": could not be written to its end");
  return walk.packets_shown();
}

}  // namespace fencepost::lab
