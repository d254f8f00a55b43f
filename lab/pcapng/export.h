// A run as a capture file for Wireshark (docs/wireshark/README.md).
#pragma once

#include <cstdint>
#include <string>

#include "lab/packets/packet_list.h"
#include "lab/packets/packet_walk.h"

namespace fencepost::lab {

// Writes the packets and marks that the walk shows; what they need, connections and the header of
// the capture, comes with them. `recorded` has its causes. How many packets were shown. Throws
// std::runtime_error naming the file if it cannot be written, or if it is the capture itself.
std::uint32_t export_pcapng(const RecordedPackets& recorded, PacketWalk walk,
                            const std::string& file);

}  // namespace fencepost::lab
