#include "lab/node_reader.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "common/properties.h"
#include "lab/partition_names.h"

namespace fencepost::lab {
namespace {

constexpr std::size_t kCandidatesShown = 12;
constexpr std::size_t kWordShown = 60;

}  // namespace

std::string unknown_word(std::string_view kind, std::string_view word,
                         std::span<const std::string_view> candidates) {
  std::string message = fmt::format("unknown {} \"{}\"", kind, word.substr(0, kWordShown));
  if (const auto near = nearest(word, candidates)) {
    return message + fmt::format("; did you mean \"{}\"?", *near);
  }
  if (candidates.empty()) return message + fmt::format("; there is no {} here", kind);
  if (candidates.size() > kCandidatesShown) return message;
  return message + fmt::format("; known: {}", fmt::join(candidates, ", "));
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

void NodeReader::mistake(const Place& place, std::string message) {
  mistakes_.add(place, std::move(message));
}

bool NodeReader::is_map(const YamlNode& node, std::string_view what) {
  if (node.kind == YamlNode::Kind::kMap) return true;
  mistake(node.place, fmt::format("{} must be a map {{key: value}}, not {}", what, describe(node)));
  return false;
}

bool NodeReader::is_list(const YamlNode& node, std::string_view what) {
  if (node.kind == YamlNode::Kind::kList) return true;
  mistake(node.place, fmt::format("{} must be a list, not {}", what, describe(node)));
  return false;
}

void NodeReader::only_keys(const YamlNode& map, std::span<const std::string_view> keys,
                           std::string_view what) {
  for (const YamlEntry& entry : map.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    mistake(entry.place, unknown_word(fmt::format("key of {}", what), entry.key, keys));
  }
}

std::optional<std::int64_t> NodeReader::integer(const YamlNode& node, std::string_view what,
                                                Limits limits) {
  const bool scalar = node.kind == YamlNode::Kind::kScalar && !node.quoted;
  const auto value = scalar ? parse_integer(node.text) : std::nullopt;
  if (!value) {
    mistake(node.place, fmt::format("{} must be a whole number, not {}", what, describe(node)));
    return std::nullopt;
  }
  if (*value < limits.min || *value > limits.max) {
    mistake(node.place, fmt::format("{} is {}, but must be from {} to {}", what, *value, limits.min,
                                    limits.max));
    return std::nullopt;
  }
  return value;
}

std::optional<bool> NodeReader::boolean(const YamlNode& node, std::string_view what) {
  if (node.kind == YamlNode::Kind::kScalar && (node.text == "true" || node.text == "false")) {
    return node.text == "true";
  }
  mistake(node.place, fmt::format("{} must be true or false, not {}", what, describe(node)));
  return std::nullopt;
}

std::optional<Word> NodeReader::word(const YamlNode& node, std::string_view what) {
  if (node.kind == YamlNode::Kind::kScalar && !node.text.empty()) {
    return Word{node.text, node.place};
  }
  mistake(node.place, fmt::format("{} must be one word, not {}", what, describe(node)));
  return std::nullopt;
}

std::vector<Word> NodeReader::words(const YamlNode& node, std::string_view what) {
  std::vector<Word> found;
  if (node.kind != YamlNode::Kind::kList) {
    if (const auto one = word(node, what)) found.push_back(*one);
    return found;
  }
  for (const YamlNode& item : node.items) {
    if (const auto one = word(item, what)) found.push_back(*one);
  }
  if (node.items.empty()) mistake(node.place, fmt::format("{}: the list is empty", what));
  return found;
}

bool NodeReader::one_of(const Word& word, std::string_view kind,
                        std::span<const std::string_view> candidates) {
  if (std::find(candidates.begin(), candidates.end(), word.text) != candidates.end()) return true;
  mistake(word.place, unknown_word(kind, word.text, candidates));
  return false;
}

}  // namespace fencepost::lab
