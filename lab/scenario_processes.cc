#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <map>

#include "common/process_spec.h"
#include "common/properties.h"
#include "lab/scenario.h"
#include "lab/scenario_parts.h"

namespace fencepost::lab {
namespace {

constexpr int kBrokerPort = 19092;  // virtual: nodes know each other by name
constexpr std::size_t kNameMax = 32;
constexpr std::array<std::string_view, 2> kTopicKeys{"partitions", "short"};
constexpr std::array<std::string_view, 5> kRoles{"broker", "consumer", "producer", "probe",
                                                 "admin"};

bool is_plain_name(std::string_view name) {
  if (name.empty() || name.size() > kNameMax || std::isalpha(name.front()) == 0) return false;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

bool is_topic_name(std::string_view name) {
  if (name.empty() || name.size() > 249 || name == "." || name == "..") return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
}

// The shortest beginning of the name that no other topic has; empty if there is none.
std::string choose_short_name(const std::string& topic, const wire::Plan& plan) {
  for (std::size_t length = 1; length < topic.size(); ++length) {
    const std::string candidate = topic.substr(0, length);
    if (std::isalpha(static_cast<unsigned char>(candidate.back())) == 0) return "";
    const bool taken =
        std::any_of(plan.topics().begin(), plan.topics().end(), [&](const wire::TopicName& other) {
          return other.topic() != topic && other.short_name() == candidate;
        });
    if (!taken) return candidate;
  }
  return "";
}

void read_topic(const YamlEntry& entry, NodeReader& reader, wire::Plan& plan) {
  if (!is_topic_name(entry.key)) {
    reader.mistake(entry.place, fmt::format("\"{}\" is no topic name of Kafka", entry.key));
    return;
  }
  const auto same = [&](const wire::TopicName& topic) { return topic.topic() == entry.key; };
  const auto known =
      std::find_if(plan.mutable_topics()->begin(), plan.mutable_topics()->end(), same);
  wire::TopicName& topic = known == plan.mutable_topics()->end() ? *plan.add_topics() : *known;
  topic.set_topic(entry.key);
  const bool is_map = entry.value.kind == YamlNode::Kind::kMap;
  const YamlNode* partitions = is_map ? entry.value.find("partitions") : &entry.value;
  topic.set_partitions(1);
  if (partitions != nullptr) {
    const auto count = reader.integer(*partitions, "the number of partitions", {1, kPartitionsMax});
    if (count) topic.set_partitions(static_cast<std::int32_t>(*count));
  }
  if (!is_map) return;
  reader.only_keys(entry.value, kTopicKeys, "a topic");
  const YamlNode* name = entry.value.find("short");
  const auto word = name == nullptr ? std::nullopt : reader.word(*name, "short");
  if (!word) return;
  const bool letters = std::all_of(word->text.begin(), word->text.end(),
                                   [](unsigned char c) { return std::isalpha(c) != 0; });
  if (!letters) reader.mistake(word->place, "a short name of a topic may have letters only");
  topic.set_short_name(word->text);
}

// One process while its properties are collected.
class ProcessReader {
 public:
  ProcessReader(Role role, const KnownNames& known, NodeReader& reader)
      : role_(role), properties_(role), known_(known), reader_(reader) {}

  // Sets each entry of a map but `role`.
  void set_all(const YamlNode& map);
  void set_missing(std::string_view name, const std::string& value);
  void validate(const std::string& process, const Place& place);
  const Properties& properties() const { return properties_; }

 private:
  std::string property_name(const std::string& key) const;
  std::optional<std::string> value_of(const std::string& name, const YamlNode& node);
  std::optional<std::string> counts_of(const YamlNode& map, char separator);
  std::optional<std::string> schedule_of(const YamlNode& map);
  std::vector<std::string> targets_of(const Word& word, bool partitions_only);
  void check_topics(const std::string& name, const YamlNode& node);

  Role role_;
  Properties properties_;
  const KnownNames& known_;
  NodeReader& reader_;
};

bool has_role(const PropertyInfo& info, Role role) {
  const auto roles = split(info.roles, ',');
  return std::find(roles.begin(), roles.end(), to_string(role)) != roles.end();
}

bool is_property(std::string_view name, Role role) {
  const auto all = all_properties();
  return std::any_of(all.begin(), all.end(), [&](const PropertyInfo& info) {
    return info.name == name && has_role(info, role);
  });
}

// Kafka's name, or one of ours with or without its "app.".
std::string ProcessReader::property_name(const std::string& key) const {
  if (is_property(key, role_)) return key;
  return is_property("app." + key, role_) ? "app." + key : key;
}

void ProcessReader::set_all(const YamlNode& map) {
  for (const YamlEntry& entry : map.entries) {
    if (entry.key == "role") continue;
    const std::string name = property_name(entry.key);
    const auto value = value_of(name, entry.value);
    if (!value) continue;
    const std::string where = to_string(entry.place);
    try {
      properties_.set(name, *value, where);
    } catch (const ConfigError& error) {
      std::string message = error.what();
      if (message.starts_with(where + ": ")) message.erase(0, where.size() + 2);
      reader_.mistake(entry.place, message);
    }
  }
}

void ProcessReader::set_missing(std::string_view name, const std::string& value) {
  if (!properties_.has(name)) properties_.set(name, value, "the scenario");
}

void ProcessReader::validate(const std::string& process, const Place& place) {
  try {
    properties_.validate();
  } catch (const ConfigError& error) {
    reader_.mistake(place, fmt::format("{}: {}", process, error.what()));
  }
}

std::optional<std::string> ProcessReader::value_of(const std::string& name, const YamlNode& node) {
  const bool is_map = node.kind == YamlNode::Kind::kMap;
  if (name == "app.requests" && role_ == Role::kProbe) return read_requests(node, known_, reader_);
  if (is_map && name == "app.records") return counts_of(node, ':');
  if (is_map && name == "app.schedule") return schedule_of(node);
  if (node.kind == YamlNode::Kind::kNull || is_map) {
    reader_.mistake(node.place, fmt::format("{} must be a value, not {}", name, describe(node)));
    return std::nullopt;
  }
  if (node.kind == YamlNode::Kind::kScalar && node.text.empty()) return "";
  check_topics(name, node);
  std::string joined;
  for (const Word& word : reader_.words(node, name)) {
    const std::string text = name == "app.assign" ? targets_of(word, false).front() : word.text;
    joined += (joined.empty() ? "" : ",") + text;
  }
  return joined;
}

// A topic, or a partition by its full name. A topic stands for each of its partitions where only
// partitions are understood.
std::vector<std::string> ProcessReader::targets_of(const Word& word, bool partitions_only) {
  const auto& topics = known_.topics;
  const bool topic = std::find(topics.begin(), topics.end(), word.text) != topics.end();
  if (topic && !partitions_only) return {word.text};
  if (!topic) {
    const auto partition = read_partition(word, known_, reader_);
    return {partition ? to_string(*partition) : word.text};
  }
  std::vector<std::string> names;
  for (const TopicPartition& partition : known_.partitions.partitions_of(word.text)) {
    names.push_back(to_string(partition));
  }
  return names;
}

std::optional<std::string> ProcessReader::counts_of(const YamlNode& map, char separator) {
  std::string joined;
  for (const YamlEntry& entry : map.entries) {
    const auto count = reader_.integer(entry.value, "the number of records", {0, 1'000'000'000});
    if (!count) return std::nullopt;
    for (const std::string& target : targets_of({entry.key, entry.place}, separator == '=')) {
      joined += fmt::format("{}{}{}{}", joined.empty() ? "" : ",", target, separator, *count);
    }
  }
  return joined;
}

std::optional<std::string> ProcessReader::schedule_of(const YamlNode& map) {
  std::string joined;
  for (const YamlEntry& entry : map.entries) {
    const auto tick = parse_integer(entry.key);
    if (!tick || *tick < 0) {
      reader_.mistake(entry.place, fmt::format("\"{}\" is no tick", entry.key));
      return std::nullopt;
    }
    if (!reader_.is_map(entry.value, "what is written at a tick")) return std::nullopt;
    const auto counts = counts_of(entry.value, '=');
    if (!counts) return std::nullopt;
    joined += fmt::format("{}{}:{}", joined.empty() ? "" : ";", *tick, *counts);
  }
  return joined;
}

void ProcessReader::check_topics(const std::string& name, const YamlNode& node) {
  if (name != "app.subscribe" && name != "app.output") return;
  const std::vector<std::string_view> topics = views(known_.topics);
  for (const Word& word : reader_.words(node, name)) {
    for (const std::string_view topic : split(word.text, ',')) {
      reader_.one_of({std::string(topic), word.place}, "topic", topics);
    }
  }
}

std::string topics_text(const wire::Plan& plan, bool short_names) {
  std::string text;
  for (const wire::TopicName& topic : plan.topics()) {
    if (short_names && topic.short_name().empty()) continue;
    text += text.empty() ? "" : ",";
    text += short_names ? fmt::format("{}={}", topic.topic(), topic.short_name())
                        : fmt::format("{}:{}", topic.topic(), topic.partitions());
  }
  return text;
}

// One process as it stands in all layers.
struct ProcessLayers {
  Place place;
  std::vector<const YamlNode*> maps;
};

std::optional<Role> read_role(const std::string& name, const ProcessLayers& layers,
                              NodeReader& reader) {
  const YamlNode* node = nullptr;
  for (const YamlNode* map : layers.maps) {
    if (const YamlNode* found = map->find("role")) node = found;
  }
  if (node == nullptr) {
    reader.mistake(layers.place, fmt::format("{} has no role: {}", name, fmt::join(kRoles, ", ")));
    return std::nullopt;
  }
  const auto word = reader.word(*node, "role");
  if (!word || !reader.one_of(*word, "role", kRoles)) return std::nullopt;
  return role_from_string(word->text);
}

class PlanProcesses {
 public:
  PlanProcesses(const Layers& defaults, const KnownNames& known, NodeReader& reader,
                wire::Plan& plan)
      : defaults_(defaults), known_(known), reader_(reader), plan_(plan) {}

  void check_defaults();
  void add(const std::string& name, const ProcessLayers& layers);
  // Where properties that do not go together are named: in the scenario itself, if it says anything
  // about the process or its role, rather than in what it includes.
  Place place_to_blame(Role role, const ProcessLayers& layers) const;
  // What brokers and clients must know of each other; called when the brokers are known.
  void set_brokers(const std::vector<std::string>& brokers);

 private:
  const Layers& defaults_;
  const KnownNames& known_;
  NodeReader& reader_;
  wire::Plan& plan_;
  std::string cluster_;
  std::string bootstrap_;
};

void PlanProcesses::check_defaults() {
  for (const YamlNode* section : defaults_) {
    if (!reader_.is_map(*section, "defaults")) continue;
    reader_.only_keys(*section, kRoles, "defaults");
    for (const YamlEntry& entry : section->entries) {
      const auto role = role_from_string(entry.key);
      if (!role || !reader_.is_map(entry.value, "the defaults of a role")) continue;
      ProcessReader(*role, known_, reader_).set_all(entry.value);
    }
  }
}

void PlanProcesses::set_brokers(const std::vector<std::string>& brokers) {
  cluster_ = fmt::format("{}", fmt::join(brokers, ","));
  for (const std::string& broker : brokers) {
    bootstrap_ += fmt::format("{}{}:{}", bootstrap_.empty() ? "" : ",", broker, kBrokerPort);
  }
}

Place PlanProcesses::place_to_blame(Role role, const ProcessLayers& layers) const {
  const auto is_own = [&](const Place& place) { return place.file && *place.file == known_.file; };
  if (is_own(layers.place)) return layers.place;
  for (const YamlNode* section : defaults_) {
    for (const YamlEntry& entry : section->entries) {
      if (entry.key == to_string(role) && is_own(entry.place)) return entry.place;
    }
  }
  return layers.place;
}

void PlanProcesses::add(const std::string& name, const ProcessLayers& layers) {
  const auto role = read_role(name, layers, reader_);
  if (!role) return;
  ProcessReader process(*role, known_, reader_);
  for (const YamlNode* section : defaults_) {
    const YamlNode* map = section->find(to_string(*role));
    if (map != nullptr && map->kind == YamlNode::Kind::kMap) process.set_all(*map);
  }
  for (const YamlNode* map : layers.maps) process.set_all(*map);
  if (*role == Role::kBroker) {
    process.set_missing("app.topics", topics_text(plan_, false));
    process.set_missing("app.cluster", cluster_);
  } else if (bootstrap_.empty()) {
    reader_.mistake(layers.place, fmt::format("{} needs a broker, and there is none", name));
  } else {
    process.set_missing("bootstrap.servers", bootstrap_);
  }
  if (*role == Role::kProducer) process.set_missing("app.short.names", topics_text(plan_, true));
  process.validate(name, place_to_blame(*role, layers));
  wire::ProcessSpec* spec = plan_.add_processes();
  spec->set_name(name);
  spec->set_role(std::string(to_string(*role)));
  for (const auto& [property, value] : process.properties().explicit_values()) {
    wire::Property* added = spec->add_properties();
    added->set_name(property);
    added->set_value(value);
  }
}

}  // namespace

void read_topics(const Layers& sections, NodeReader& reader, wire::Plan& plan) {
  for (const YamlNode* section : sections) {
    if (!reader.is_map(*section, "topics")) continue;
    for (const YamlEntry& entry : section->entries) read_topic(entry, reader, plan);
  }
  for (wire::TopicName& topic : *plan.mutable_topics()) {
    if (topic.short_name().empty()) topic.set_short_name(choose_short_name(topic.topic(), plan));
  }
}

std::vector<std::string> process_names(const Layers& sections) {
  std::vector<std::string> names;
  for (const YamlNode* section : sections) {
    for (const YamlEntry& entry : section->entries) names.push_back(entry.key);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::map<std::string, std::string> process_roles(const Layers& sections) {
  std::map<std::string, std::string> roles;
  for (const YamlNode* section : sections) {
    for (const YamlEntry& entry : section->entries) {
      const YamlNode* role = entry.value.find("role");
      const bool known = role != nullptr && role_from_string(role->text).has_value();
      if (known) roles[entry.key] = role->text;
    }
  }
  return roles;
}

void read_processes(const Layers& defaults, const Layers& sections, const KnownNames& known,
                    NodeReader& reader, wire::Plan& plan) {
  std::vector<std::string> order;
  std::map<std::string, ProcessLayers> processes;
  for (const YamlNode* section : sections) {
    if (!reader.is_map(*section, "processes")) continue;
    for (const YamlEntry& entry : section->entries) {
      if (!is_plain_name(entry.key)) {
        reader.mistake(entry.place, fmt::format("\"{}\" is no name of a process: a letter, then "
                                                "letters, digits, '-' and '_', at most {}",
                                                entry.key.substr(0, kNameMax), kNameMax));
        continue;
      }
      if (const std::string objection = objection_to_name(entry.key); !objection.empty()) {
        reader.mistake(entry.place, fmt::format("\"{}\": {}", entry.key, objection));
        continue;
      }
      if (!reader.is_map(entry.value, "a process")) continue;
      ProcessLayers& layers = processes[entry.key];
      if (layers.maps.empty()) order.push_back(entry.key);
      layers.place = entry.place;
      layers.maps.push_back(&entry.value);
    }
  }
  if (order.size() > kProcessesMax) {
    reader.mistake(sections.back()->place, fmt::format("more than {} processes", kProcessesMax));
    return;
  }
  std::vector<std::string> brokers;
  for (const std::string& name : order) {
    for (const YamlNode* map : processes[name].maps) {
      const YamlNode* role = map->find("role");
      if (role != nullptr && role->text == "broker") brokers.push_back(name);
    }
  }
  PlanProcesses builder(defaults, known, reader, plan);
  builder.check_defaults();
  builder.set_brokers(brokers);
  for (const std::string& name : order) builder.add(name, processes[name]);
}

}  // namespace fencepost::lab
