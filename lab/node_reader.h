// Takes typed values out of a YAML tree. What does not fit becomes a mistake with its place, and
// the reader goes on, so that a person sees all mistakes of a file at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/place.h"
#include "lab/yaml_tree.h"

namespace fencepost::lab {

struct Word {
  std::string text;
  Place place;
};

struct Limits {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

class NodeReader {
 public:
  explicit NodeReader(Mistakes& mistakes) : mistakes_(mistakes) {}

  void mistake(const Place& place, std::string message);

  // Each `what` is how a message calls the value: "until", "the processes of kill".
  bool is_map(const YamlNode& node, std::string_view what);
  bool is_list(const YamlNode& node, std::string_view what);
  // Adds a mistake for each key of a map that is not among `keys`.
  void only_keys(const YamlNode& map, std::span<const std::string_view> keys,
                 std::string_view what);
  std::optional<std::int64_t> integer(const YamlNode& node, std::string_view what, Limits limits);
  std::optional<bool> boolean(const YamlNode& node, std::string_view what);
  std::optional<Word> word(const YamlNode& node, std::string_view what);
  // A word or a list of words; a mistake if there is none.
  std::vector<Word> words(const YamlNode& node, std::string_view what);
  // A mistake unless the word is one of the candidates.
  bool one_of(const Word& word, std::string_view kind,
              std::span<const std::string_view> candidates);

 private:
  Mistakes& mistakes_;
};

// "unknown process \"C9\"; did you mean \"C1\"?"
std::string unknown_word(std::string_view kind, std::string_view word,
                         std::span<const std::string_view> candidates);

// Views of texts, for did-you-mean; they live as long as the texts.
std::vector<std::string_view> views(const std::vector<std::string>& texts);

}  // namespace fencepost::lab
