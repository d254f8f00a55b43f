#include "lab/wording.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace fencepost::lab {
namespace {

constexpr std::size_t kUuidLength = 36;

bool is_uuid(std::string_view text) {
  if (text.size() < kUuidLength) return false;
  for (std::size_t index = 0; index < kUuidLength; ++index) {
    const bool dash = index == 8 || index == 13 || index == 18 || index == 23;
    const char c = text[index];
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (dash ? c != '-' : !hex) return false;
  }
  return true;
}

}  // namespace

std::string without_uuids(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text.front() == '-' && is_uuid(text.substr(1))) {
      text.remove_prefix(kUuidLength + 1);
      continue;
    }
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

std::vector<std::string> member_names(const std::vector<std::string>& member_ids) {
  constexpr std::size_t kDigits = 5;  // with the dash before them
  std::vector<std::string> names;
  for (const std::string& id : member_ids) names.push_back(without_uuids(id));
  std::vector<std::string> told = names;
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (std::ranges::count(names, names[index]) < 2) continue;
    told[index] = member_ids[index].substr(0, names[index].size() + kDigits);
  }
  return told;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string seconds(Tick tick, std::int64_t tick_ms) {
  const std::int64_t ms = tick.value() * tick_ms;
  return fmt::format("{}.{:03}", ms / 1000, ms % 1000);
}

std::string wrapped(const std::vector<std::string>& words, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  for (const std::string& word : words) {
    if (column > indent && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string how_often(std::int64_t count, TickRange range) {
  if (count == 1) return fmt::format("once, at tick {}", range.first.value());
  if (range.first == range.last) {
    return fmt::format("{} times, at tick {}", count, range.first.value());
  }
  return fmt::format("{} times, ticks {} to {}", count, range.first.value(), range.last.value());
}

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (code < 0x20 || character == '"' || character == '\\') {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    } else {
      quoted += character;
    }
  }
  return quoted + '"';
}

}  // namespace fencepost::lab
