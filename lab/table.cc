#include "lab/table.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace fencepost::lab {
namespace {

constexpr std::string_view kMissing = "-";

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string json_cell(const Column& column, const std::optional<std::string>& cell) {
  const std::string value = !cell ? "null" : column.is_number ? *cell : json_text(*cell);
  return fmt::format("\"{}\": {}", column.key, value);
}

std::string without_trailing_blanks(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

std::string as_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t width = std::max(table.columns[i].width, table.columns[i].title.size());
    for (const auto& row : table.rows) width = std::max(width, row[i].value_or("").size());
    widths.push_back(width);
  }
  const auto padded = [&](std::size_t column, std::string_view text) {
    return fmt::format("{:<{}} ", text, widths[column]);
  };
  std::string heading;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    heading += padded(i, table.columns[i].title);
  }
  std::string text = without_trailing_blanks(heading) + "\n";
  for (const auto& row : table.rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += padded(i, row[i] ? std::string_view(*row[i]) : kMissing);
    }
    text += without_trailing_blanks(line) + "\n";
  }
  return text;
}

std::string as_json(const std::vector<Table>& tables) {
  std::string text = "[";
  for (const Table& table : tables) {
    for (const auto& row : table.rows) {
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < row.size(); ++i) {
        cells.push_back(json_cell(table.columns[i], row[i]));
      }
      text += fmt::format("{}\n  {{{}}}", text.size() > 1 ? "," : "", fmt::join(cells, ", "));
    }
  }
  return text.size() > 1 ? text + "\n]\n" : "[]\n";
}

}  // namespace fencepost::lab
