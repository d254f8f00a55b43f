// A row of the Info table, taken apart: the grammar stands in lab/packets/info_rows.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fencepost::lab {

using InfoPath = std::vector<std::string>;  // names of fields; "." alone: the element itself

// Text that stands for itself, or a value.
struct InfoPiece {
  std::string literal{};
  bool is_hole = false;
  std::vector<InfoPath> paths{};
  std::string format{};
};

// A piece of a phrase: one such, or a list of items.
struct InfoPart {
  InfoPiece piece{};
  bool is_list = false;
  InfoPath path{};
  std::vector<InfoPiece> item{};
  std::string instead{};
};

using InfoPhrase = std::vector<InfoPart>;

// The phrases of a row. Throws std::invalid_argument if it is none.
std::vector<InfoPhrase> parse_info(std::string_view text);

}  // namespace fencepost::lab
