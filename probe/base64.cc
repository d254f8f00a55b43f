#include "probe/base64.h"

#include <cstdint>

namespace fencepost::probe {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kBytes = 3;  // that four digits stand for
constexpr std::size_t kGroup = 4;
constexpr std::uint32_t kDigitMask = 0x3f;
constexpr unsigned kDigitBits = 6;

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += kBytes) {
    const std::string_view part = bytes.substr(at, kBytes);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kBytes; ++i) {
      bits = bits << 8U | (i < part.size() ? static_cast<unsigned char>(part[i]) : 0U);
    }
    for (std::size_t i = 0; i < kGroup; ++i) {
      const auto shift = static_cast<unsigned>(kGroup - 1 - i) * kDigitBits;
      text += i <= part.size() ? kDigits[bits >> shift & kDigitMask] : '=';
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % kGroup != 0) return std::nullopt;
  std::string bytes;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool padded = i >= text.size() - padding;
    const std::size_t digit = padded ? 0 : kDigits.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << kDigitBits | static_cast<std::uint32_t>(digit);
    if (i % kGroup != kGroup - 1) continue;
    bytes += static_cast<char>(bits >> 16U & 0xffU);
    bytes += static_cast<char>(bits >> 8U & 0xffU);
    bytes += static_cast<char>(bits & 0xffU);
    bits = 0;
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace fencepost::probe
