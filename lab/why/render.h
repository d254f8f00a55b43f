// Explanations as text and as JSON, and the raw chain of one packet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/run_index.h"
#include "lab/why/why.h"

namespace fencepost::lab::why {

// Each with its tick and virtual time: one line, or wrapped to `width` columns where that is not 0.
std::string to_text(const std::vector<Explanation>& some, std::int64_t tick_ms, std::size_t width);

// One JSON array. `index` gives the numbers of packets; null: there are none.
std::string to_json(const std::vector<Explanation>& some, const History& history,
                    const RunIndex* index);

// The packet with this number, what brought it about, what brought that about, ...: one line each,
// with the packet's number, the tick, who, and the timer that it waited for. Throws
// std::runtime_error if there is no such packet.
// What was refused with this packet, if it is such an answer.
std::vector<Explanation> errors_in_packet(const Explainer& explainer, const RunIndex& index,
                                          std::uint64_t packet);
std::string chain_text(const RunIndex& index, std::uint64_t packet, const Causes& causes);
std::string chain_json(const RunIndex& index, std::uint64_t packet, const Causes& causes);

}  // namespace fencepost::lab::why
