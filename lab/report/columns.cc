#include "lab/report/columns.h"

#include "common/check.h"

namespace fencepost::lab {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The bytes of the character that begins here; 0 if there is none. Overlong forms, surrogates and
// what is beyond U+10FFFF are none.
std::size_t character_at(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  if (first >= 0xc2 && first <= 0xdf) length = 2;
  if (first >= 0xe0 && first <= 0xef) length = 3;
  if (first >= 0xf0 && first <= 0xf4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second > 0x9f) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;
  return length;
}

}  // namespace

boost::json::string utf8(std::string_view text) {
  boost::json::string valid;
  while (!text.empty()) {
    const std::size_t length = character_at(text);
    valid += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

std::int64_t Strings::of(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<std::int64_t>(all_.size());
  numbers_.emplace(text, number);
  all_.emplace_back(utf8(text));
  return number;
}

ColumnTable::ColumnTable(std::initializer_list<std::string_view> names)
    : names_(names), columns_(names.size()) {}

void ColumnTable::row(std::initializer_list<std::int64_t> values) {
  CHECK(values.size() == columns_.size());
  std::size_t column = 0;
  for (std::int64_t value : values) {
    if (names_[column] == kTickColumn) {
      const std::int64_t tick = value;
      value -= last_tick_;
      last_tick_ = tick;
    }
    columns_[column++].emplace_back(value);
  }
}

void ColumnTable::change(std::size_t row, std::size_t column, std::int64_t value) {
  columns_.at(column).at(row) = value;
}

boost::json::object ColumnTable::release() {
  boost::json::object table;
  for (std::size_t column = 0; column < names_.size(); ++column) {
    table.emplace(names_[column], std::move(columns_[column]));
  }
  return table;
}

}  // namespace fencepost::lab
