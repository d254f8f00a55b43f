// A run as a capture file for Wireshark (docs/wireshark/README.md).
#pragma once

#include <functional>
#include <string>

#include "common/ids.h"
#include "proto/capture.pb.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

struct PcapngExport {
  std::string capture;               // the capture.bin to read
  std::string file;                  // to write
  const wire::Plan* plan = nullptr;  // if it is known: traces commands to their rules
  // Which packets and marks are shown; asked for every record in its order. Empty: all but what
  // nodes report, of which only the states of groups are.
  std::function<bool(Tick, const wire::CaptureRecord&)> shows{};
};

// Throws std::runtime_error naming the file: as CaptureReader does, or if it cannot be written.
void export_pcapng(const PcapngExport& what);

}  // namespace fencepost::lab
