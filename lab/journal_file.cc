#include "lab/journal_file.h"

#include <spdlog/fmt/fmt.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <vector>

#include "clock/core/journal.h"
#include "common/process_spec.h"

namespace fencepost::lab {
namespace {

constexpr std::uint64_t kMaxTick = 1'000'000'000'000;  // its milliseconds are a number, too
constexpr std::size_t kMaxJournalBytes = std::size_t{64} << 20U;

struct Verb {
  std::string_view word;
  wire::Decision::Kind kind;
};
constexpr auto kVerbs = std::to_array<Verb>({
    {"join", wire::Decision::JOIN},
    {"kill", wire::Decision::KILL},
    {"close", wire::Decision::CLOSE},
    {"freeze", wire::Decision::FREEZE},
    {"thaw", wire::Decision::THAW},
    {"end", wire::Decision::END},
});

constexpr auto kKeys =
    std::to_array<std::string_view>({"fencepost.journal", "scenario", "seed", "run", "decisions"});

std::string unknown_key(const std::string& key, std::span<const std::string_view> known) {
  const auto near = nearest(key, known);
  return fmt::format("unknown key \"{}\"; {}", key,
                     near ? fmt::format("did you mean \"{}\"?", *near)
                          : fmt::format("known: {}", fmt::join(known, ", ")));
}

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  JournalFile read(const YAML::Node& root) const;

 private:
  [[noreturn]] void reject(const YAML::Mark& mark, std::string_view what) const {
    throw JournalError(fmt::format("{}: {}", place_of(mark), what));
  }
  std::string place_of(const YAML::Mark& mark) const {
    return fmt::format("{}:{}:{}", path_, mark.line + 1, mark.column + 1);
  }
  std::string text_of(const YAML::Node& node, std::string_view what) const;
  std::uint64_t number_of(const YAML::Node& node, std::string_view what) const;
  bool truth_of(const YAML::Node& node, std::string_view what) const;
  void read_properties(const YAML::Node& node, wire::Decision& decision) const;
  void check_properties(const YAML::Node& join, const wire::Decision& decision) const;
  void read_field(const std::string& key, const YAML::Node& key_node, const YAML::Node& value,
                  wire::Decision& decision) const;
  void read_verb(const Verb& verb, const YAML::Node& value, wire::Decision& decision) const;
  wire::Decision read_decision(const YAML::Node& node) const;
  void read_decisions(const YAML::Node& node, JournalFile& journal) const;

  std::string path_;
};

std::string Reader::text_of(const YAML::Node& node, std::string_view what) const {
  if (!node.IsScalar()) reject(node.Mark(), fmt::format("{} is a text", what));
  return node.Scalar();
}

std::uint64_t Reader::number_of(const YAML::Node& node, std::string_view what) const {
  const std::string text = text_of(node, what);
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || stopped != end) {
    reject(node.Mark(), fmt::format("{} is a number from 0, not \"{}\"", what, text));
  }
  return number;
}

bool Reader::truth_of(const YAML::Node& node, std::string_view what) const {
  const std::string text = text_of(node, what);
  if (text != "true" && text != "false") {
    reject(node.Mark(), fmt::format("{} is true or false, not \"{}\"", what, text));
  }
  return text == "true";
}

void Reader::read_properties(const YAML::Node& node, wire::Decision& decision) const {
  if (!node.IsMap()) reject(node.Mark(), "properties are {name: value, ...}");
  for (const auto& entry : node) {
    wire::Property* property = decision.add_properties();
    property->set_name(text_of(entry.first, "a property's name"));
    property->set_value(text_of(entry.second, "a property's value"));
  }
}

// As the process itself would check them, which is then too late to name their place.
void Reader::check_properties(const YAML::Node& join, const wire::Decision& decision) const {
  Properties properties(role_from_string(decision.role()).value());
  const YAML::Node node = join["properties"] ? join["properties"] : join;
  for (const auto& entry : join["properties"]) {
    try {
      properties.set(entry.first.Scalar(), entry.second.Scalar(), place_of(entry.first.Mark()));
    } catch (const ConfigError& error) {
      throw JournalError(error.what());
    }
  }
  try {
    properties.validate();
  } catch (const ConfigError& error) {
    reject(node.Mark(), error.what());
  }
}

void Reader::read_verb(const Verb& verb, const YAML::Node& value, wire::Decision& decision) const {
  if (decision.has_kind()) reject(value.Mark(), "one decision a line");
  decision.set_kind(verb.kind);
  if (verb.kind == wire::Decision::END) {
    if (!truth_of(value, "end")) reject(value.Mark(), "end is true");
  } else {
    decision.set_process(text_of(value, verb.word));
    const std::string objection = objection_to_name(decision.process());
    if (!objection.empty()) reject(value.Mark(), objection);
  }
}

void Reader::read_field(const std::string& key, const YAML::Node& key_node, const YAML::Node& value,
                        wire::Decision& decision) const {
  for (const Verb& verb : kVerbs) {
    if (key == verb.word) return read_verb(verb, value, decision);
  }
  if (key == "tick") {
    if (decision.has_tick()) reject(key_node.Mark(), "tick is given twice");
    const std::uint64_t tick = number_of(value, "tick");
    if (tick > kMaxTick) reject(value.Mark(), "tick is too large");
    decision.set_tick(static_cast<std::int64_t>(tick));
  } else if (key == "holding") {
    decision.set_holding(truth_of(value, "holding"));
  } else if (key == "role") {
    decision.set_role(text_of(value, "role"));
    if (!role_from_string(decision.role())) reject(value.Mark(), "unknown role");
  } else if (key == "properties") {
    read_properties(value, decision);
  } else {
    std::vector<std::string_view> known = {"tick", "holding", "role", "properties"};
    for (const Verb& verb : kVerbs) known.push_back(verb.word);
    reject(key_node.Mark(), unknown_key(key, known));
  }
}

wire::Decision Reader::read_decision(const YAML::Node& node) const {
  if (!node.IsMap()) reject(node.Mark(), "a decision is {tick: N, VERB: PROCESS}");
  wire::Decision decision;
  for (const auto& entry : node) {
    read_field(text_of(entry.first, "a key"), entry.first, entry.second, decision);
  }
  if (!decision.has_tick()) reject(node.Mark(), "a decision has a tick");
  if (!decision.has_kind()) {
    reject(node.Mark(), "a decision is one of join, kill, close, freeze, thaw and end");
  }
  if (decision.kind() == wire::Decision::JOIN && !decision.has_role()) {
    reject(node.Mark(), "a join has a role");
  }
  if (decision.kind() == wire::Decision::JOIN) check_properties(node, decision);
  return decision;
}

void Reader::read_decisions(const YAML::Node& node, JournalFile& journal) const {
  if (node.IsNull()) return;
  if (!node.IsSequence()) reject(node.Mark(), "decisions are a list");
  for (const YAML::Node& item : node) {
    if (journal.ended) reject(item.Mark(), "nothing comes behind the end");
    wire::Decision decision = read_decision(item);
    if (!journal.decisions.empty() && journal.decisions.back().tick() > decision.tick()) {
      reject(item.Mark(), "ticks do not go back");
    }
    journal.ended = decision.kind() == wire::Decision::END;
    journal.decisions.push_back(std::move(decision));
  }
}

JournalFile Reader::read(const YAML::Node& root) const {
  if (!root.IsMap()) reject(root.Mark(), "not a journal");
  JournalFile journal;
  bool is_journal = false;
  for (const auto& entry : root) {
    const std::string key = text_of(entry.first, "a key");
    if (key == "fencepost.journal") {
      if (number_of(entry.second, key) != clock::kJournalVersion) {
        reject(entry.second.Mark(), "a journal of another version");
      }
      is_journal = true;
    } else if (key == "scenario") {
      journal.scenario = text_of(entry.second, key);
    } else if (key == "seed") {
      journal.seed = number_of(entry.second, key);
    } else if (key == "run") {
      journal.run_id = text_of(entry.second, key);
    } else if (key == "decisions") {
      read_decisions(entry.second, journal);
    } else {
      reject(entry.first.Mark(), unknown_key(key, kKeys));
    }
  }
  if (!is_journal) reject(root.Mark(), "not a journal: no \"fencepost.journal: 1\"");
  return journal;
}

}  // namespace

JournalFile parse_journal(const std::string& text, const std::string& path) {
  try {
    return Reader(path).read(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    throw JournalError(
        fmt::format("{}:{}:{}: {}", path, error.mark.line + 1, error.mark.column + 1, error.msg));
  }
}

JournalFile load_journal(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw JournalError(path + ": cannot be read");
  std::string text;
  char buffer[4096];
  while (file.read(buffer, sizeof buffer) || file.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxJournalBytes) throw JournalError(path + ": too large for a journal");
  }
  return parse_journal(text, path);
}

}  // namespace fencepost::lab
