// Which group, member and generation a packet is about, whatever its API: by Kafka's names of the
// fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/frame.pb.h"

namespace fencepost::lab {

struct PacketFacts {
  std::vector<std::string> groups{};  // each once
  std::string member{};               // its whole id; empty: none
  std::optional<std::int32_t> generation{};
};

PacketFacts facts_of(const wire::Frame& frame);

// The groups that a frame names itself: most requests, few answers.
std::vector<std::string> groups_in(const wire::Frame& frame);

}  // namespace fencepost::lab
