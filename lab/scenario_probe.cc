// The script of a probe: `requests` of the scenario, compiled to the property app.requests.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <map>
#include <set>

#include "common/error_code.h"
#include "lab/scenario.h"
#include "lab/scenario_parts.h"
#include "probe/answers.h"
#include "probe/base64.h"
#include "probe/field_text.h"
#include "probe/messages.h"

namespace fencepost::lab {
namespace {

namespace json = boost::json;
using google::protobuf::Descriptor;
using probe::Field;

constexpr std::array<std::string_view, 12> kStepKeys{"request", "answer",     "pending", "as",
                                                     "to",      "body",       "wait",    "at",
                                                     "after",   "timeout.ms", "expect",  "save"};
constexpr std::array<std::string_view, 3> kSubscriptionKeys{"topics", "owned", "generation"};
constexpr std::array<std::string_view, 2> kNoAnswer{"NETWORK_EXCEPTION", "REQUEST_TIMED_OUT"};

// Reads the steps one after the other.
class RequestsReader {
 public:
  RequestsReader(const KnownNames& known, NodeReader& reader) : known_(known), reader_(reader) {}

  void add(const YamlNode& node);
  const json::array& steps() const { return steps_; }

 private:
  std::optional<std::string> read_kind(const YamlNode& node, json::object& step);
  void read_times(const YamlNode& node, json::object& step);
  void read_to(const YamlNode& node, json::object& step);
  void read_expect(const YamlNode& node, const Descriptor& type, json::object& step);
  void read_saves(const YamlNode& node, const Descriptor& type, json::object& step);
  json::value message(const YamlNode& node, const Descriptor& type, std::string_view what);
  json::value field_value(const YamlNode& node, const Field& field);
  json::value item(const YamlNode& node, const Field& field);
  json::value scalar(const YamlNode& node, const Field& field);
  std::string consumer_protocol(const YamlNode& node, const Field& field);
  std::string subscription(const YamlNode& node);
  template <class Message>
  void read_partitions(const YamlNode& map, std::string_view what, Message* partitions);
  void check_names(const YamlNode& node);

  const KnownNames& known_;
  NodeReader& reader_;
  json::array steps_;
  std::map<std::string, std::string> labels_;  // of the requests, and their APIs
  std::set<std::string> saved_;
};

void RequestsReader::check_names(const YamlNode& node) {
  for (const std::string& name : probe::references_in(node.text)) {
    if (saved_.contains(name)) continue;
    const std::vector<std::string> names(saved_.begin(), saved_.end());
    reader_.mistake(node.place, "nothing has saved it before: " +
                                    unknown_word("name", "${" + name + "}", views(names)));
  }
}

// ---- messages ----

json::value RequestsReader::message(const YamlNode& node, const Descriptor& type,
                                    std::string_view what) {
  json::object fields;
  if (!reader_.is_map(node, what)) return fields;
  for (const YamlEntry& entry : node.entries) {
    const Field* field = type.FindFieldByName(entry.key);
    if (field == nullptr) {
      reader_.mistake(entry.place, probe::unknown_field(type, entry.key));
      continue;
    }
    fields[entry.key] = field_value(entry.value, *field);
  }
  return fields;
}

json::value RequestsReader::field_value(const YamlNode& node, const Field& field) {
  if (node.kind == YamlNode::Kind::kNull) return nullptr;
  if (!field.is_repeated()) return item(node, field);
  json::array items;
  if (!reader_.is_list(node, field.name())) return items;
  for (const YamlNode& one : node.items) items.push_back(item(one, field));
  return items;
}

json::value RequestsReader::item(const YamlNode& node, const Field& field) {
  if (field.message_type() != nullptr) return message(node, *field.message_type(), field.name());
  const bool bytes = field.type() == Field::TYPE_BYTES;
  if (bytes && node.kind == YamlNode::Kind::kMap) {
    return json::string(consumer_protocol(node, field));
  }
  return scalar(node, field);
}

json::value RequestsReader::scalar(const YamlNode& node, const Field& field) {
  if (node.kind != YamlNode::Kind::kScalar) {
    reader_.mistake(node.place, fmt::format("{} must be {}, not {}", field.name(),
                                            probe::type_words(field), describe(node)));
    return nullptr;
  }
  check_names(node);
  json::value value = json::string(node.text);
  if (const auto problem = probe::scalar_objection(field, value); !problem.empty()) {
    reader_.mistake(node.place, problem);
  }
  return value;
}

// ---- the consumer protocol: bytes inside of JoinGroup and SyncGroup ----

template <class Message>
void RequestsReader::read_partitions(const YamlNode& map, std::string_view what,
                                     Message* partitions) {
  if (!reader_.is_map(map, what)) return;
  for (const YamlEntry& entry : map.entries) {
    auto& added = *partitions->Add();
    added.set_topic(entry.key);
    if (!reader_.is_list(entry.value, "the partitions of " + entry.key)) continue;
    for (const YamlNode& one : entry.value.items) {
      const auto index = reader_.integer(one, "a partition", {0, kPartitionsMax});
      if (index) added.add_partitions(static_cast<std::int32_t>(*index));
    }
  }
}

std::string RequestsReader::subscription(const YamlNode& node) {
  wire::ConsumerProtocolSubscription message;
  if (!reader_.is_map(node, "subscription")) return {};
  reader_.only_keys(node, kSubscriptionKeys, "subscription");
  if (const YamlNode* topics = node.find("topics")) {
    for (const Word& topic : reader_.words(*topics, "topics")) message.add_topics(topic.text);
  }
  if (const YamlNode* owned = node.find("owned")) {
    read_partitions(*owned, "owned", message.mutable_owned_partitions());
  }
  std::int64_t generation = -1;
  if (const YamlNode* given = node.find("generation")) {
    generation = reader_.integer(*given, "generation", {-1, kTicksMax}).value_or(-1);
  }
  message.set_generation_id(static_cast<std::int32_t>(generation));
  return message.SerializeAsString();
}

std::string RequestsReader::consumer_protocol(const YamlNode& node, const Field& field) {
  const YamlNode* subscribed = node.find("subscription");
  const YamlNode* assigned = node.find("assignment");
  if (node.entries.size() != 1 || (subscribed == nullptr && assigned == nullptr)) {
    reader_.mistake(node.place,
                    fmt::format("{} must be base64, {{subscription: {{topics: [orders]}}}} or "
                                "{{assignment: {{orders: [0, 1]}}}}",
                                field.name()));
    return {};
  }
  if (subscribed != nullptr) return probe::to_base64(subscription(*subscribed));
  wire::ConsumerProtocolAssignment message;
  message.set_version(0);
  read_partitions(*assigned, "assignment", message.mutable_assigned_partitions());
  return probe::to_base64(message.SerializeAsString());
}

// ---- steps ----

// The API that the step is about; nothing where a mistake was found.
std::optional<std::string> RequestsReader::read_kind(const YamlNode& node, json::object& step) {
  constexpr std::array<std::string_view, 3> kKinds{"request", "answer", "pending"};
  std::optional<Word> word;
  std::string_view kind;
  int kinds = 0;
  for (const std::string_view one : kKinds) {
    const YamlNode* found = node.find(one);
    if (found == nullptr) continue;
    ++kinds;
    kind = one;
    word = reader_.word(*found, one);
  }
  if (kinds != 1) {
    reader_.mistake(node.place,
                    "a step has a `request`, an `answer` or a `pending`: exactly one of them");
    return std::nullopt;
  }
  if (!word) return std::nullopt;
  step[kind] = word->text;
  if (kind == "request") {
    if (!reader_.one_of(*word, "request", probe::request_names())) return std::nullopt;
    return word->text;
  }
  const auto asked = labels_.find(word->text);
  if (asked != labels_.end()) return asked->second;
  std::vector<std::string> labels;
  for (const auto& [label, api] : labels_) labels.push_back(label);
  reader_.mistake(word->place, "no earlier step is called so with `as`: " +
                                   unknown_word("step", word->text, views(labels)));
  return std::nullopt;
}

void RequestsReader::read_times(const YamlNode& node, json::object& step) {
  for (const std::string_view key : {"at", "after", "timeout.ms"}) {
    const YamlNode* found = node.find(key);
    if (found == nullptr) continue;
    if (const auto value = reader_.integer(*found, key, {0, kTicksMax})) step[key] = *value;
  }
  if (const YamlNode* wait = node.find("wait")) {
    if (const auto value = reader_.boolean(*wait, "wait")) step["wait"] = *value;
  }
}

void RequestsReader::read_to(const YamlNode& node, json::object& step) {
  const YamlNode* to = node.find("to");
  const auto word = to == nullptr ? std::nullopt : reader_.word(*to, "to");
  if (!word || !is_process(*word, known_, reader_)) return;
  can_do(*word, "broker", "answers no requests", known_, reader_);
  step["to"] = word->text;
}

void RequestsReader::read_expect(const YamlNode& node, const Descriptor& type, json::object& step) {
  if (node.kind == YamlNode::Kind::kScalar) {
    if (reader_.one_of({node.text, node.place}, "reason for no answer", kNoAnswer)) {
      step["expect"] = node.text;
    }
    return;
  }
  step["expect"] = message(node, type, "expect");
}

void RequestsReader::read_saves(const YamlNode& node, const Descriptor& type, json::object& step) {
  if (!reader_.is_map(node, "save")) return;
  json::object saves;
  for (const YamlEntry& entry : node.entries) {
    const auto path = reader_.word(entry.value, "a path in the answer");
    if (!path) continue;
    if (const auto problem = probe::path_objection(type, path->text); !problem.empty()) {
      reader_.mistake(path->place, problem);
    }
    saves[entry.key] = path->text;
    saved_.insert(entry.key);
  }
  step["save"] = std::move(saves);
}

void RequestsReader::add(const YamlNode& node) {
  if (!reader_.is_map(node, "a step of requests")) return;
  reader_.only_keys(node, kStepKeys, "a step of requests");
  json::object step;
  read_times(node, step);
  read_to(node, step);
  const auto api = read_kind(node, step);
  if (!api) return;
  const YamlNode* body = node.find("body");
  if (body != nullptr) step["body"] = message(*body, *probe::request_type(*api), "body");
  const Descriptor& answer = *probe::response_type(*api);
  const YamlNode* expect = node.find("expect");
  const YamlNode* save = node.find("save");
  if (expect != nullptr) read_expect(*expect, answer, step);
  if (save != nullptr) read_saves(*save, answer, step);
  const bool asks = step.contains("request");
  const bool waits = !step.contains("wait") || step["wait"].as_bool();
  if ((expect != nullptr || save != nullptr) && (!waits || step.contains("pending"))) {
    reader_.mistake(node.place,
                    "this step has no answer to judge: wait for it in a later one, with `answer`");
  }
  if (!asks && body != nullptr) reader_.mistake(body->place, "a body goes with `request` only");
  if (const YamlNode* as = node.find("as")) {
    const auto label = reader_.word(*as, "as");
    if (label && !labels_.emplace(label->text, *api).second) {
      reader_.mistake(label->place, "an earlier step is called so, too");
    }
    if (label) step["as"] = label->text;
  }
  steps_.push_back(std::move(step));
}

}  // namespace

std::optional<std::string> read_requests(const YamlNode& node, const KnownNames& known,
                                         NodeReader& reader) {
  if (!reader.is_list(node, "requests")) return std::nullopt;
  if (node.items.empty()) reader.mistake(node.place, "requests: the list is empty");
  RequestsReader steps(known, reader);
  for (const YamlNode& item : node.items) steps.add(item);
  return json::serialize(steps.steps());
}

}  // namespace fencepost::lab
