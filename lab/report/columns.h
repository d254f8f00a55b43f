// Compact JSON for the report: a table is an object of equally long columns, and text that comes
// often stands once.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.h"

namespace fencepost::lab {

// The same text as valid UTF-8: a byte that belongs to no character becomes U+FFFD.
boost::json::string utf8(std::string_view text);

// A column whose ticks never decrease is written as differences, which are short.
inline constexpr std::string_view kTickColumn = "tick";

class Strings {
 public:
  // The number of a text; 0 is the empty one.
  std::int64_t of(std::string_view text);
  boost::json::array release() { return std::move(all_); }

 private:
  std::map<std::string, std::int64_t, std::less<>> numbers_ = {{"", 0}};
  boost::json::array all_ = {""};
};

class ColumnTable {
 public:
  explicit ColumnTable(std::initializer_list<std::string_view> names);

  // One value for each column, in their order.
  void row(std::initializer_list<std::int64_t> values);
  std::size_t rows() const { return columns_.front().size(); }
  void change(std::size_t row, std::size_t column, std::int64_t value);
  boost::json::object release();

 private:
  std::vector<std::string_view> names_;
  std::vector<boost::json::array> columns_;
  std::int64_t last_tick_ = 0;
};

}  // namespace fencepost::lab
