// Small things about how reports say what they say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.h"

namespace fencepost::lab {

// Text without the UUIDs of member ids: "member C1-3f2c... joined" becomes "member C1 joined".
std::string without_uuids(std::string_view text);

// Member ids without their UUIDs; those that would look the same keep its first digits: "C1-3f2c".
std::vector<std::string> member_names(const std::vector<std::string>& member_ids);

// "1 record", "3 records".
std::string counted(std::int64_t count, std::string_view noun);

// Virtual time in seconds with three decimals: "12.000".
std::string seconds(Tick tick, std::int64_t tick_ms);

// In quotes, as JSON has it.
std::string json_text(std::string_view text);

// "a b c", broken into lines of at most `width` columns, all but the first indented.
std::string wrapped(const std::vector<std::string>& words, std::size_t indent, std::size_t width);

// "1 time", "3 times at ticks 4 to 9".
struct TickRange {
  Tick first;
  Tick last;
};
std::string how_often(std::int64_t count, TickRange range);

}  // namespace fencepost::lab
