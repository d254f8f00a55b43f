#include "lab/scenario.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "lab/frame_facts.h"
#include "lab/scenario_parts.h"

namespace fencepost::lab {
namespace {

constexpr std::array<std::string_view, 11> kScenarioKeys{
    "name",     "about",     "include",  "tick.ms", "seed",  "topics",
    "defaults", "processes", "timeline", "until",   "expect"};
constexpr std::array<std::string_view, 6> kSettingKeys{"about",  "tick.ms",  "seed",
                                                       "topics", "defaults", "processes"};

struct Document {
  YamlNode root;
  SourceFile source;
};

// The scenario and what it includes, while it is compiled.
class Compiler {
 public:
  LoadedScenario compile(const std::string& text, const std::string& name,
                         const std::string& folder);
  LoadedScenario load(const std::string& path);
  Mistakes& mistakes() { return mistakes_; }

 private:
  void add_included(const YamlNode& root, const std::string& folder);
  Layers sections(std::string_view key) const;
  void read_heading(const std::string& name);
  void read_numbers();
  KnownNames known_names();
  void read_parts();
  LoadedScenario result();

  Mistakes mistakes_;
  NodeReader reader_{mistakes_};
  std::vector<Document> documents_;  // included first
  Scenario scenario_;
};

LoadedScenario Compiler::compile(const std::string& text, const std::string& name,
                                 const std::string& folder) {
  std::optional<YamlNode> root = parse_yaml(text, name, mistakes_);
  if (!root) return result();
  if (root->kind == YamlNode::Kind::kNull) {
    reader_.mistake(root->place, "the file is empty");
    return result();
  }
  if (!reader_.is_map(*root, "a scenario")) return result();
  reader_.only_keys(*root, kScenarioKeys, "a scenario");
  add_included(*root, folder);
  documents_.push_back({std::move(*root), {std::filesystem::path(name).filename().string(), text}});
  read_heading(name);
  read_numbers();
  read_parts();
  return result();
}

void Compiler::add_included(const YamlNode& root, const std::string& folder) {
  const YamlNode* node = root.find("include");
  if (node == nullptr) return;
  const auto word = reader_.word(*node, "include");
  if (!word) return;
  if (word->text.find('/') != std::string::npos || word->text.front() == '.') {
    reader_.mistake(word->place, "include must name a file in the same folder");
    return;
  }
  const std::string path = (std::filesystem::path(folder) / word->text).string();
  const auto text = read_text_file(path, path, mistakes_);
  if (!text) {
    reader_.mistake(word->place, fmt::format("\"{}\" cannot be included", word->text));
    return;
  }
  auto setting = parse_yaml(*text, path, mistakes_);
  if (!setting || !reader_.is_map(*setting, "an included file")) return;
  reader_.only_keys(*setting, kSettingKeys, "an included file");
  documents_.push_back({std::move(*setting), {word->text, *text}});
}

Layers Compiler::sections(std::string_view key) const {
  Layers found;
  for (const Document& document : documents_) {
    if (const YamlNode* node = document.root.find(key)) found.push_back(node);
  }
  return found;
}

void Compiler::read_heading(const std::string& name) {
  const YamlNode& root = documents_.back().root;
  const YamlNode* title = root.find("name");
  std::optional<Word> word;
  if (title != nullptr) word = reader_.word(*title, "name");
  const std::string chosen = word ? word->text : std::filesystem::path(name).stem().string();
  const bool plain = std::all_of(chosen.begin(), chosen.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (word && (!plain || chosen.front() == '.')) {
    reader_.mistake(word->place, "name may have letters, digits, '-', '_' and '.' only");
  }
  scenario_.plan.set_name(plain && !chosen.empty() ? chosen : "scenario");
  if (const YamlNode* about = root.find("about")) {
    if (const auto text = reader_.word(*about, "about")) scenario_.about = text->text;
  }
}

void Compiler::read_numbers() {
  for (const YamlNode* node : sections("tick.ms")) {
    const auto value = reader_.integer(*node, "tick.ms", {1, 86'400'000});
    if (value) scenario_.plan.set_tick_ms(*value);
  }
  for (const YamlNode* node : sections("seed")) {
    const auto value =
        reader_.integer(*node, "seed", {0, std::numeric_limits<std::int64_t>::max()});
    if (value) scenario_.plan.set_seed(static_cast<std::uint64_t>(*value));
  }
  if (!scenario_.plan.has_tick_ms()) scenario_.plan.set_tick_ms(1000);
  if (!scenario_.plan.has_seed()) scenario_.plan.set_seed(1);
}

KnownNames Compiler::known_names() {
  KnownNames known;
  if (const auto& file = documents_.back().root.place.file) known.file = *file;
  known.partitions = PartitionNames(scenario_.plan.topics());
  for (const auto& topic : scenario_.plan.topics()) known.topics.push_back(topic.topic());
  std::sort(known.topics.begin(), known.topics.end());
  known.processes = process_names(sections("processes"));
  known.roles = process_roles(sections("processes"));
  return known;
}

void Compiler::read_parts() {
  const YamlNode& root = documents_.back().root;
  read_topics(sections("topics"), reader_, scenario_.plan);
  const KnownNames known = known_names();
  if (known.processes.empty()) {
    reader_.mistake(root.place, "there are no processes: a scenario needs at least one");
  }
  read_processes(sections("defaults"), sections("processes"), known, reader_, scenario_.plan);
  const YamlNode* until = root.find("until");
  if (until == nullptr) {
    reader_.mistake(root.place, "until is missing: name the last tick of the run");
    scenario_.plan.mutable_until()->set_tick(kTicksMax);  // no tick is too late for it
  } else {
    read_until(*until, known, reader_, scenario_.plan);
  }
  read_timeline(root.find("timeline"), known, reader_, scenario_.plan);
  if (const YamlNode* expect = root.find("expect")) {
    scenario_.expectations = read_expect(*expect, known, reader_);
  }
}

LoadedScenario Compiler::result() {
  LoadedScenario loaded;
  loaded.mistakes = mistakes_.sorted();
  if (!loaded.mistakes.empty()) return loaded;
  for (auto document = documents_.rbegin(); document != documents_.rend(); ++document) {
    scenario_.files.push_back(std::move(document->source));
  }
  loaded.scenario = std::move(scenario_);
  return loaded;
}

LoadedScenario Compiler::load(const std::string& path) {
  const auto text = read_text_file(path, path, mistakes_);
  if (!text) return result();
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return compile(*text, path, folder);
}

std::string with_article(std::string_view role) {
  return fmt::format("{} {}", role == "admin" ? "an" : "a", role);
}

}  // namespace

LoadedScenario load_scenario(const std::string& path) {
  Compiler compiler;
  return compiler.load(path);
}

LoadedScenario parse_scenario(const std::string& text, const std::string& name) {
  Compiler compiler;
  return compiler.compile(text, name, "");
}

std::optional<TopicPartition> read_partition(const Word& word, const KnownNames& known,
                                             NodeReader& reader) {
  auto parsed = known.partitions.parse(word.text);
  if (parsed) return parsed;
  const auto partitions = known.partitions.partitions_of(word.text);
  if (word.text.find(',') != std::string::npos) {
    reader.mistake(word.place, fmt::format("\"{}\" is one word; write a list: [{}]", word.text,
                                           fmt::join(split(word.text, ','), ", ")));
  } else if (!partitions.empty()) {
    std::vector<std::string> names;
    for (const TopicPartition& one : partitions) names.push_back(known.partitions.short_name(one));
    reader.mistake(word.place, fmt::format("\"{}\" is a topic; name its partitions: {}", word.text,
                                           fmt::join(names, ", ")));
  } else {
    const std::vector<std::string> names = known.partitions.all_names();
    reader.mistake(word.place, unknown_word("partition", word.text, views(names)));
  }
  return parsed;
}

bool is_process(const Word& word, const KnownNames& known, NodeReader& reader) {
  return reader.one_of(word, "process", views(known.processes));
}

bool can_do(const Word& process, std::string_view roles, std::string_view does,
            const KnownNames& known, NodeReader& reader) {
  const auto role = known.roles.find(process.text);
  if (role == known.roles.end()) return true;
  const auto able = split(roles, ',');
  if (std::find(able.begin(), able.end(), role->second) != able.end()) return true;
  std::vector<std::string> who;
  for (const std::string_view one : able) who.push_back(with_article(one));
  reader.mistake(process.place,
                 fmt::format("{} is {}, and {}: only {} does", process.text,
                             with_article(role->second), does, fmt::join(who, " or ")));
  return false;
}

bool is_api(const Word& word, NodeReader& reader) { return reader.one_of(word, "api", all_apis()); }

}  // namespace fencepost::lab
