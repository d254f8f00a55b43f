// Which packets of a run a person wants to see. What is asked for by different options must all
// hold; of several values of one option any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/frame.pb.h"

namespace fencepost::lab {

struct ListItem;

// First and last; both belong to it.
struct NumberRange {
  std::int64_t first = 0;
  std::int64_t last = INT64_MAX;

  bool holds(std::int64_t number) const { return first <= number && number <= last; }
  bool operator==(const NumberRange&) const = default;
};

// "10", "10..20", "10..", "..20"; nothing for anything else, and for one that is empty.
std::optional<NumberRange> parse_range(std::string_view text);

struct PacketFilter {
  std::vector<std::string> only{};   // APIs, and processes that send or get it
  std::vector<std::string> hosts{};  // processes that send or get it
  std::vector<std::pair<std::string, std::string>> between{};  // in both directions
  std::vector<NumberRange> ticks{};                            // in which it is sent
  std::vector<NumberRange> numbers{};                          // then no marks
  std::vector<std::string> groups{};
  bool errors = false;         // answers with an error code, and what does not arrive
  bool no_heartbeats = false;  // without Heartbeats that arrive, and their answers without error
  bool no_routine = false;     // without Heartbeats, Fetch requests and answers that bring nothing

  // Marks are shown if their tick and their process fit; of groups those that are asked for,
  // whoever coordinates them.
  bool shows(const ListItem& item) const;
};

// What repeats all the time as long as nothing happens.
bool is_routine(const wire::Frame& frame);

}  // namespace fencepost::lab
