#include "lab/packets/info_template.h"

#include <algorithm>
#include <stdexcept>

#include "lab/partition_names.h"

namespace fencepost::lab {
namespace {

InfoPath path_of(std::string_view text) {
  if (text == ".") return {"."};
  InfoPath path;
  for (const std::string_view name : split(text, '.')) path.emplace_back(name);
  return path;
}

// Takes what stands before `end` from the front, and `end` itself.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) {
    throw std::invalid_argument("no '" + std::string(1, end) + "' in: " + std::string(text));
  }
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return taken;
}

InfoPiece hole_of(std::string_view inside) {
  InfoPiece hole{.is_hole = true};
  const std::size_t colon = std::min(inside.find(':'), inside.size());
  if (colon < inside.size()) hole.format = inside.substr(colon + 1);
  for (const std::string_view path : split(inside.substr(0, colon), ',')) {
    hole.paths.push_back(path_of(path));
  }
  return hole;
}

// A hole, or the literal up to the next of `ends`.
InfoPiece take_piece(std::string_view& text, std::string_view ends) {
  if (text.front() == '{') {
    text.remove_prefix(1);
    return hole_of(take_until(text, '}'));
  }
  const std::size_t length = std::min(text.find_first_of(ends), text.size());
  const InfoPiece literal{.literal = std::string(text.substr(0, length))};
  text.remove_prefix(length);
  return literal;
}

InfoPart list_of(std::string_view inside) {
  InfoPart list{.is_list = true};
  list.path = path_of(take_until(inside, '|'));
  std::string_view item = inside.substr(0, inside.find('|'));
  if (item.size() < inside.size()) list.instead = inside.substr(item.size() + 1);
  while (!item.empty()) list.item.push_back(take_piece(item, "{"));
  return list;
}

}  // namespace

std::vector<InfoPhrase> parse_info(std::string_view text) {
  std::vector<InfoPhrase> phrases;
  while (!text.empty()) {
    InfoPhrase& phrase = phrases.emplace_back();
    while (!text.empty() && text.front() != ' ') {
      if (text.front() == '[') {
        text.remove_prefix(1);
        phrase.push_back(list_of(take_until(text, ']')));
      } else {
        phrase.push_back({.piece = take_piece(text, " {[")});
      }
    }
    if (!text.empty()) text.remove_prefix(1);
  }
  return phrases;
}

}  // namespace fencepost::lab
