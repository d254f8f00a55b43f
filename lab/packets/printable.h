// Text from a capture, which may hold anything, on a line of a terminal or a file.
#pragma once

#include <string>
#include <string_view>

namespace fencepost::lab {

// Control characters (also U+0080 to U+009F) and what is not UTF-8 are written as \x1b.
std::string printable(std::string_view text);

// At most so many bytes, cut at a character of UTF-8; then "..." follows.
std::string cut_to(std::string text, std::size_t bytes_max);

}  // namespace fencepost::lab
