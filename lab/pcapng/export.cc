#include "lab/pcapng/export.h"

#include <spdlog/fmt/fmt.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "common/capture_file.h"
#include "common/events.h"
#include "lab/packets/printable.h"
#include "lab/pcapng/virtual_wire.h"

namespace fencepost::lab {
namespace {

bool shown_by_default(const wire::CaptureRecord& record) {
  return !record.has_occurrence() || record.occurrence().event().name() == events::kGroupState;
}

}  // namespace

void export_pcapng(const PcapngExport& what) {
  const RunIndex index(what.capture, what.plan);
  CaptureReader reader(what.capture);
  std::error_code none;
  if (std::filesystem::equivalent(what.capture, what.file, none)) {
    throw std::runtime_error(what.file + " is the run's own capture: choose another file");
  }
  std::ofstream file(what.file, std::ios::binary | std::ios::trunc);
  if (!file) {
    throw std::runtime_error(fmt::format("cannot write {}: {}", what.file, std::strerror(errno)));
  }
  PcapngBlocks blocks(file, printable("the virtual network of " + index.header().scenario()));
  VirtualWire wire(blocks, index);
  while (const auto record = reader.next()) {
    const Tick now(reader.tick());
    const bool shown = what.shows ? what.shows(now, *record) : shown_by_default(*record);
    wire.add(now, *record, shown);
  }
  file.close();
  if (!file) throw std::runtime_error(what.file + ": could not be written to its end");
}

}  // namespace fencepost::lab
