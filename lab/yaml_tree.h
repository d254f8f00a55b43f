// A YAML file as a tree in which every node knows its place, made for files that people write: no
// anchors, aliases or tags (so no bombs), no duplicate keys, and named limits on size and depth.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/place.h"

namespace fencepost::lab {

inline constexpr std::size_t kYamlBytesMax = 256 * 1024;
inline constexpr std::size_t kYamlDepthMax = 24;
inline constexpr std::size_t kYamlNodesMax = 40'000;

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  Place place;
  std::string text;                // kScalar
  bool quoted = false;             // kScalar: stood in quotes, so it is text and no number
  std::vector<YamlNode> items;     // kList
  std::vector<YamlEntry> entries;  // kMap, in the order of the file; keys are unique

  // The value of a key of a map; null if there is none.
  const YamlNode* find(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  Place place;  // of the key
  YamlNode value;
};

// What a node is, for messages: "a list", "the text \"abc\"".
std::string describe(const YamlNode& node);

// The node in YAML's flow form on one line, as a person would write it.
std::string to_flow(const YamlNode& node);

// The bytes of a text file. A file that is absent, a directory, too large or not text adds a
// mistake and gives nothing. `name` is how messages call it.
std::optional<std::string> read_text_file(const std::string& path, const std::string& name,
                                          Mistakes& mistakes);

// Parses one document. Bad syntax adds a mistake and gives nothing; duplicate keys add mistakes and
// the first one stands.
std::optional<YamlNode> parse_yaml(const std::string& text, const std::string& name,
                                   Mistakes& mistakes);

}  // namespace fencepost::lab
