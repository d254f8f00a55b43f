#include "lab/packets/printable.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace fencepost::lab {
namespace {

constexpr unsigned kContinuationMask = 0xc0;
constexpr unsigned kContinuation = 0x80;

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (byte_at(text, at) & kContinuationMask) == kContinuation;
}

// How many bytes the character at the front has; 0 if it may not be shown as it is.
std::size_t shown_length(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return first < 0x20 || first == 0x7f ? 0 : 1;
  if (!continues(text, 1)) return 0;
  const unsigned second = byte_at(text, 1);
  if (first >= 0xc2 && first <= 0xdf) return first == 0xc2 && second < 0xa0 ? 0 : 2;
  if (!continues(text, 2)) return 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && second < 0xa0;
    const bool surrogate = first == 0xed && second >= 0xa0;
    return overlong || surrogate ? 0 : 3;
  }
  if (!continues(text, 3) || first < 0xf0 || first > 0xf4) return 0;
  const bool overlong = first == 0xf0 && second < 0x90;
  const bool beyond = first == 0xf4 && second >= 0x90;
  return overlong || beyond ? 0 : 4;
}

}  // namespace

std::string printable(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = shown_length(text);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", byte_at(text, 0));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string cut_to(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t length = bytes_max;
  while (length > 0 && continues(text, length)) --length;
  return text.substr(0, length) + "...";
}

}  // namespace fencepost::lab
