// expect: why: what is to be explained, and by which chain of causes.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "common/error_code.h"
#include "lab/scenario.h"
#include "lab/scenario_parts.h"
#include "lab/why/link.h"

namespace fencepost::lab {
namespace {

constexpr std::array<std::string_view, 8> kWhats{"rebalance", "generation", "eviction",  "fence",
                                                 "error",     "reset",      "duplicate", "lost"};
constexpr std::array<std::string_view, 7> kBesides{"process", "api",    "tick", "because",
                                                   "also",    "wasted", "cost"};
constexpr std::array<std::string_view, 6> kOfLinks{"tick",    "since", "value",
                                                   "subject", "other", "detail"};

class WhyReader {
 public:
  WhyReader(const KnownNames& known, NodeReader& reader) : known_(known), reader_(reader) {}

  std::optional<ExpectWhy> read(const YamlNode& map);

 private:
  void subject(const YamlEntry& entry, ExpectWhy& expected);
  void beside(const YamlEntry& entry, ExpectWhy& expected);
  std::vector<ExpectLink> chain(const YamlNode& list);
  std::optional<ExpectLink> link(const YamlNode& map);
  std::optional<Tick> tick(const YamlNode& node);
  std::string word(const YamlNode& node, std::string_view what);

  const KnownNames& known_;
  NodeReader& reader_;
};

std::optional<Tick> WhyReader::tick(const YamlNode& node) {
  const auto value = reader_.integer(node, "a tick", {0, kTicksMax});
  return value ? std::optional(Tick(*value)) : std::nullopt;
}

std::string WhyReader::word(const YamlNode& node, std::string_view what) {
  const auto found = reader_.word(node, what);
  return found ? found->text : "";
}

std::optional<ExpectWhy> WhyReader::read(const YamlNode& map) {
  std::vector<std::string_view> keys(kWhats.begin(), kWhats.end());
  keys.insert(keys.end(), kBesides.begin(), kBesides.end());
  reader_.only_keys(map, keys, "why");
  ExpectWhy expected;
  for (const YamlEntry& entry : map.entries) {
    const bool is_what = std::ranges::find(kWhats, entry.key) != kWhats.end();
    if (is_what && !expected.what.empty()) {
      reader_.mistake(entry.place,
                      "one thing is explained at a time: " + expected.what + " or " + entry.key);
    } else if (is_what) {
      subject(entry, expected);
    } else {
      beside(entry, expected);
    }
  }
  if (expected.what.empty()) {
    reader_.mistake(map.place,
                    "why what? A rebalance, generation, eviction, fence, error, reset, duplicate "
                    "or lost");
    return {};
  }
  return expected;
}

void WhyReader::subject(const YamlEntry& entry, ExpectWhy& expected) {
  constexpr Limits kNumbers{1, std::numeric_limits<std::int32_t>::max()};
  expected.what = entry.key;
  if (entry.key == "rebalance") {
    expected.number = reader_.integer(entry.value, "rebalance", kNumbers);
  } else if (entry.key == "generation") {
    expected.what = "rebalance";
    const auto number = reader_.integer(entry.value, "generation", kNumbers);
    if (number) expected.generation = static_cast<std::int32_t>(*number);
  } else if (const auto name = reader_.word(entry.value, entry.key)) {
    expected.subject = name->text;
    const bool of_process = entry.key == "eviction" || entry.key == "fence";
    if (of_process) is_process(*name, known_, reader_);
    if (entry.key == "reset") read_partition(*name, known_, reader_);
  }
}

void WhyReader::beside(const YamlEntry& entry, ExpectWhy& expected) {
  if (entry.key == "process") {
    const auto name = reader_.word(entry.value, "process");
    if (name && is_process(*name, known_, reader_)) expected.process = name->text;
  } else if (entry.key == "api") {
    const auto name = reader_.word(entry.value, "api");
    if (name && is_api(*name, reader_)) expected.api = name->text;
  } else if (entry.key == "tick") {
    expected.tick = tick(entry.value);
  } else if (entry.key == "wasted") {
    expected.wasted = reader_.boolean(entry.value, "wasted");
  } else if (entry.key == "cost") {
    expected.cost = reader_.integer(entry.value, "cost", {0, kTicksMax});
  } else if (entry.key == "because") {
    expected.because = chain(entry.value);
  } else if (entry.key == "also") {
    expected.also.emplace();
    if (!reader_.is_list(entry.value, "also")) return;
    for (const YamlNode& one : entry.value.items) expected.also->push_back(chain(one));
  }
}

std::vector<ExpectLink> WhyReader::chain(const YamlNode& list) {
  std::vector<ExpectLink> links;
  if (!reader_.is_list(list, "a chain of causes")) return links;
  if (list.items.empty()) {
    reader_.mistake(list.place, "a chain of causes has a cause, for instance {stopped: C2}");
  }
  for (const YamlNode& item : list.items) {
    if (!reader_.is_map(item, "a cause")) continue;
    if (auto found = link(item)) links.push_back(std::move(*found));
  }
  return links;
}

std::optional<ExpectLink> WhyReader::link(const YamlNode& map) {
  std::vector<std::string_view> keys;
  for (const why::KindInfo& kind : why::all_kinds()) keys.push_back(kind.name);
  keys.insert(keys.end(), kOfLinks.begin(), kOfLinks.end());
  reader_.only_keys(map, keys, "because");
  ExpectLink expected;
  for (const YamlEntry& entry : map.entries) {
    if (entry.key == "tick") {
      expected.tick = tick(entry.value);
    } else if (entry.key == "since") {
      expected.since = tick(entry.value);
    } else if (entry.key == "value") {
      expected.value = word(entry.value, "value");
    } else if (entry.key == "subject") {
      expected.subject = word(entry.value, "subject");
    } else if (entry.key == "other") {
      expected.other = word(entry.value, "other");
    } else if (entry.key == "detail") {
      expected.detail = word(entry.value, "detail");
    } else if (expected.kind.empty()) {
      expected.kind = entry.key;
      if (entry.value.kind != YamlNode::Kind::kNull) expected.word = word(entry.value, entry.key);
    } else {
      reader_.mistake(entry.place, "a cause is of one kind: " + expected.kind + " or " + entry.key);
    }
  }
  if (!expected.kind.empty()) return expected;
  reader_.mistake(map.place, "of which kind is this cause? For instance session.timeout: C2");
  return {};
}

}  // namespace

std::optional<ExpectWhy> read_why(const YamlNode& map, const KnownNames& known,
                                  NodeReader& reader) {
  return WhyReader(known, reader).read(map);
}

}  // namespace fencepost::lab
