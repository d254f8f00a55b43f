// Tables that commands print, as text or as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fencepost::lab {

// A table whose cells may be missing: "-" for people, null in JSON.
struct Column {
  std::string title;
  std::string key;        // in JSON
  std::size_t width = 0;  // at least
  bool is_number = false;
};
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;
};
// Left-aligned and padded, the heading first.
std::string as_text(const Table& table);
// The rows as JSON objects, in one list over all tables.
std::string as_json(const std::vector<Table>& tables);

}  // namespace fencepost::lab
