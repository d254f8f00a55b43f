// What a person asks `why` about, in words: "rebalance 3", "error C2 UNKNOWN_MEMBER_ID", "p2.3",
// "123".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/why/why.h"

namespace fencepost::lab::why {

struct Question {
  std::optional<What> what{};             // absent with a packet
  std::optional<std::uint64_t> packet{};  // its number in the packet list
  std::optional<std::int64_t> number{};   // of a rebalance, from 1
  std::optional<Generation> generation{};
  std::vector<std::string> words{};  // all have to fit: a process, an error, a partition, ...
  std::string text{};                // as it was asked
};

// Throws std::runtime_error, with the nearest word, if nothing of that kind can be asked.
Question parse_question(const std::vector<std::string>& words, const History& history);

// What it asks for, in the order of the run. Throws std::runtime_error that says what there is
// instead, if there is nothing of that name; empty if any was asked for and there is none. Not for
// packets.
std::vector<Explanation> answer(const Explainer& explainer, const Question& question,
                                const std::string& group);

}  // namespace fencepost::lab::why
