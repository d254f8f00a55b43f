#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <set>

#include "common/events.h"
#include "lab/scenario.h"
#include "lab/scenario_parts.h"

namespace fencepost::lab {
namespace {

struct ActionKey {
  std::string_view key;
  wire::Action::Kind kind;
};

constexpr std::array kActionKeys = std::to_array<ActionKey>({
    {"start", wire::Action::START},
    {"kill", wire::Action::KILL},
    {"stop", wire::Action::STOP},
    {"cont", wire::Action::CONT},
    {"close", wire::Action::CLOSE},
    {"restart", wire::Action::RESTART},
    {"slow", wire::Action::SLOW},
    {"call", wire::Action::CALL},
    {"pause", wire::Action::PAUSE},
    {"drop", wire::Action::DROP},
    {"delay", wire::Action::DELAY},
    {"reorder", wire::Action::REORDER},
    {"partition", wire::Action::PARTITION},
    {"heal", wire::Action::HEAL},
});
constexpr std::array<std::string_view, 3> kTriggerKeys{"at", "when", "every"};
constexpr std::array<std::string_view, 2> kSlowKeys{"process", "ticks"};
constexpr std::array<std::string_view, 3> kCallKeys{"process", "method", "arguments"};
// Kafka's names. What they take, and what they do at that moment, says docs/scenarios.md.
constexpr std::array<std::string_view, 6> kMethods{"subscribe", "unsubscribe", "pause",
                                                   "resume",    "seek",        "enforceRebalance"};
constexpr std::array<std::string_view, 6> kLinkKeys{"from",     "to",    "api",
                                                    "response", "times", "percent"};

// Reads the actions of one rule.
class ActionReader {
 public:
  ActionReader(const KnownNames& known, NodeReader& reader) : known_(known), reader_(reader) {}

  std::optional<wire::Action> read(const YamlEntry& entry, wire::Action::Kind kind);

 private:
  void read_names(const YamlNode& node, std::string_view what,
                  google::protobuf::RepeatedPtrField<std::string>& names);
  void read_consumers(const YamlNode& node, std::string_view does, wire::Action& action);
  void read_slow(const YamlNode& node, wire::Action& action);
  void read_call(const YamlNode& node, wire::Action& action);
  void read_link(const YamlEntry& entry, wire::Action& action);
  void read_sides(const YamlNode& node, wire::Action& action);
  void read_flag(const YamlEntry& entry);

  const KnownNames& known_;
  NodeReader& reader_;
};

std::optional<wire::Action> ActionReader::read(const YamlEntry& entry, wire::Action::Kind kind) {
  wire::Action action;
  action.set_kind(kind);
  switch (kind) {
    case wire::Action::START:
    case wire::Action::KILL:
    case wire::Action::STOP:
    case wire::Action::CONT:
    case wire::Action::CLOSE:
    case wire::Action::RESTART:
      read_names(entry.value, entry.key, *action.mutable_processes());
      break;
    case wire::Action::SLOW:
      read_slow(entry.value, action);
      break;
    case wire::Action::CALL:
      read_call(entry.value, action);
      break;
    case wire::Action::DROP:
    case wire::Action::DELAY:
    case wire::Action::REORDER:
      read_link(entry, action);
      break;
    case wire::Action::PARTITION:
      read_sides(entry.value, action);
      break;
    case wire::Action::PAUSE:
    case wire::Action::HEAL:
      read_flag(entry);
      break;
  }
  return action;
}

void ActionReader::read_names(const YamlNode& node, std::string_view what,
                              google::protobuf::RepeatedPtrField<std::string>& names) {
  for (const Word& word : reader_.words(node, what)) {
    if (is_process(word, known_, reader_)) names.Add(std::string(word.text));
  }
}

// Whom only an application of a consumer can obey.
void ActionReader::read_consumers(const YamlNode& node, std::string_view does,
                                  wire::Action& action) {
  for (const Word& word : reader_.words(node, "process")) {
    if (!is_process(word, known_, reader_)) continue;
    if (can_do(word, "consumer", does, known_, reader_)) action.add_processes(word.text);
  }
}

void ActionReader::read_slow(const YamlNode& node, wire::Action& action) {
  if (!reader_.is_map(node, "slow")) return;
  reader_.only_keys(node, kSlowKeys, "slow");
  const YamlNode* process = node.find("process");
  const YamlNode* ticks = node.find("ticks");
  if (process == nullptr || ticks == nullptr) {
    reader_.mistake(node.place, "slow needs a process and its ticks: {process: C2, ticks: 15}");
    return;
  }
  read_consumers(*process, "processes no records", action);
  const auto value = reader_.integer(*ticks, "ticks", {1, kTicksMax});
  if (value) action.set_ticks(*value);
}

void ActionReader::read_call(const YamlNode& node, wire::Action& action) {
  if (!reader_.is_map(node, "call")) return;
  reader_.only_keys(node, kCallKeys, "call");
  const YamlNode* process = node.find("process");
  const YamlNode* method = node.find("method");
  if (process == nullptr || method == nullptr) {
    reader_.mistake(node.place,
                    "call needs a process and a method of its Kafka client: "
                    "{process: C2, method: subscribe, arguments: [orders]}");
    return;
  }
  read_consumers(*process, "has no methods to call", action);
  const auto word = reader_.word(*method, "method");
  if (word && reader_.one_of(*word, "method", kMethods)) action.set_method(word->text);
  if (const YamlNode* arguments = node.find("arguments")) {
    for (const Word& argument : reader_.words(*arguments, "arguments")) {
      action.add_arguments(argument.text);
    }
  }
}

void ActionReader::read_link(const YamlEntry& entry, wire::Action& action) {
  if (!reader_.is_map(entry.value, entry.key)) return;
  std::vector<std::string_view> keys(kLinkKeys.begin(), kLinkKeys.end());
  if (action.kind() == wire::Action::DELAY) keys.push_back("ticks");
  reader_.only_keys(entry.value, keys, entry.key);
  wire::Link& link = *action.mutable_link();
  for (const YamlEntry& part : entry.value.entries) {
    if (part.key == "from") read_names(part.value, "from", *link.mutable_from());
    if (part.key == "to") read_names(part.value, "to", *link.mutable_to());
    if (part.key == "api") {
      for (const Word& word : reader_.words(part.value, "api")) {
        if (is_api(word, reader_)) link.add_api(word.text);
      }
    }
    if (part.key == "response") {
      if (const auto value = reader_.boolean(part.value, "response")) link.set_response(*value);
    }
    if (part.key == "times") {
      const auto value = reader_.integer(part.value, "times", {1, 1'000'000'000});
      if (value) link.set_times(static_cast<std::int32_t>(*value));
    }
    if (part.key == "percent") {
      const auto value = reader_.integer(part.value, "percent", {1, 100});
      if (value) link.set_percent(static_cast<std::int32_t>(*value));
    }
    if (part.key == "ticks") {
      const auto value = reader_.integer(part.value, "ticks", {1, kTicksMax});
      if (value) action.set_ticks(*value);
    }
  }
  if (action.kind() == wire::Action::DELAY && entry.value.find("ticks") == nullptr) {
    reader_.mistake(entry.place, "delay needs ticks: how long a message takes");
  }
}

// [[C1], [B1, C2]], or one name: it against everybody else.
void ActionReader::read_sides(const YamlNode& node, wire::Action& action) {
  if (node.kind == YamlNode::Kind::kScalar) {
    read_names(node, "partition", *action.add_sides()->mutable_processes());
    wire::Side* others = action.add_sides();
    for (const std::string& name : known_.processes) {
      if (name != node.text) others->add_processes(name);
    }
    return;
  }
  if (!reader_.is_list(node, "partition")) return;
  std::set<std::string> seen;
  for (const YamlNode& side : node.items) {
    wire::Side* added = action.add_sides();
    for (const Word& word : reader_.words(side, "a side of a partition")) {
      if (!is_process(word, known_, reader_)) continue;
      if (!seen.insert(word.text).second) {
        reader_.mistake(word.place, fmt::format("{} stands on two sides", word.text));
      }
      added->add_processes(word.text);
    }
  }
  if (node.items.size() < 2) reader_.mistake(node.place, "a partition needs at least two sides");
}

void ActionReader::read_flag(const YamlEntry& entry) {
  if (entry.value.kind == YamlNode::Kind::kNull) return;
  const auto value = reader_.boolean(entry.value, entry.key);
  if (value && !*value) reader_.mistake(entry.value.place, entry.key + ": false does nothing");
}

void read_trigger(const YamlNode& node, const KnownNames& known, NodeReader& reader,
                  std::int64_t last, wire::Rule& rule) {
  const YamlNode* at = node.find("at");
  const YamlNode* when = node.find("when");
  if ((at == nullptr) == (when == nullptr)) {
    reader.mistake(node.place, at == nullptr ? "a rule needs `at: TICK` or `when: {...}`"
                                             : "a rule has `at` or `when`, not both");
    return;
  }
  if (when != nullptr) {
    const auto match = read_match(*when, known, reader);
    if (match) *rule.mutable_when() = *match;
    return;
  }
  const auto tick = reader.integer(*at, "at", {0, kTicksMax});
  if (!tick) return;
  rule.set_at_tick(*tick);
  if (*tick > last) {
    reader.mistake(at->place,
                   fmt::format("tick {} is after the end of the run (until: {})", *tick, last));
  }
}

void read_rule(const YamlNode& node, const KnownNames& known, NodeReader& reader,
               wire::Plan& plan) {
  if (!reader.is_map(node, "a rule of the timeline")) return;
  std::vector<std::string_view> keys(kTriggerKeys.begin(), kTriggerKeys.end());
  for (const ActionKey& action : kActionKeys) keys.push_back(action.key);
  reader.only_keys(node, keys, "a rule");
  wire::Rule& rule = *plan.add_rules();
  rule.set_text(to_flow(node));
  read_trigger(node, known, reader, plan.until().tick(), rule);
  if (const YamlNode* every = node.find("every")) {
    const auto value = reader.boolean(*every, "every");
    if (value) rule.set_every(*value);
    if (node.find("at") != nullptr) reader.mistake(every->place, "every goes with `when` only");
  }
  for (const YamlEntry& entry : node.entries) {
    for (const ActionKey& known_action : kActionKeys) {
      if (entry.key != known_action.key) continue;
      const auto action = ActionReader(known, reader).read(entry, known_action.kind);
      if (action) *rule.add_actions() = *action;
    }
  }
  // A misspelt action has been named already.
  const bool all_known = std::all_of(node.entries.begin(), node.entries.end(), [&](const auto& e) {
    return std::find(keys.begin(), keys.end(), e.key) != keys.end();
  });
  if (rule.actions().empty() && all_known) {
    reader.mistake(node.place, "a rule without an action: start, kill, stop, cont, close, ...");
  }
}

// app.restart: rules of a supervisor for each process that has one.
void add_supervisors(wire::Plan& plan) {
  for (const wire::ProcessSpec& process : plan.processes()) {
    for (const wire::Property& property : process.properties()) {
      if (property.name() != "app.restart" || property.value() == "never") continue;
      wire::Rule& rule = *plan.add_rules();
      rule.set_every(true);
      rule.set_text(fmt::format("{{restart: {}}} of {}", property.value(), process.name()));
      rule.mutable_when()->set_process(process.name());
      rule.mutable_when()->set_event(std::string(events::kProcessExited));
      if (property.value() == "on-failure") {
        wire::Attribute& code = *rule.mutable_when()->add_where();
        code.set_key("code");
        code.set_value("1");
      }
      wire::Action& action = *rule.add_actions();
      action.set_kind(wire::Action::START);
      action.add_processes(process.name());
    }
  }
}

}  // namespace

void read_until(const YamlNode& node, const KnownNames& known, NodeReader& reader,
                wire::Plan& plan) {
  wire::Until& until = *plan.mutable_until();
  until.set_tick(kTicksMax);
  if (node.kind != YamlNode::Kind::kMap) {
    const auto tick = reader.integer(node, "until", {0, kTicksMax});
    if (tick) until.set_tick(*tick);
    return;
  }
  const YamlNode* limit = node.find("at most");
  if (limit == nullptr) {
    reader.mistake(node.place, "until an event needs a limit too: `at most: TICK`");
  } else {
    const auto tick = reader.integer(*limit, "at most", {0, kTicksMax});
    if (tick) until.set_tick(*tick);
  }
  const auto match = read_match(node, known, reader, {"at most"});
  if (match) *until.mutable_when() = *match;
}

void read_timeline(const YamlNode* timeline, const KnownNames& known, NodeReader& reader,
                   wire::Plan& plan) {
  wire::Rule first;
  first.set_at_tick(0);
  first.set_text("{at: 0, start: what no rule starts}");
  *plan.add_rules() = first;
  if (timeline != nullptr && reader.is_list(*timeline, "timeline")) {
    for (const YamlNode& node : timeline->items) read_rule(node, known, reader, plan);
  }
  std::set<std::string> started;
  for (const wire::Rule& rule : plan.rules()) {
    for (const wire::Action& action : rule.actions()) {
      if (action.kind() != wire::Action::START) continue;
      started.insert(action.processes().begin(), action.processes().end());
    }
  }
  wire::Action action;
  action.set_kind(wire::Action::START);
  for (const wire::ProcessSpec& process : plan.processes()) {
    if (!started.contains(process.name())) action.add_processes(process.name());
  }
  if (action.processes().empty()) {
    plan.mutable_rules()->erase(plan.mutable_rules()->begin());
  } else {
    *plan.mutable_rules(0)->add_actions() = action;
    plan.mutable_rules(0)->set_text(
        fmt::format("{{at: 0, start: [{}]}}", fmt::join(action.processes(), ", ")));
  }
  add_supervisors(plan);
}

}  // namespace fencepost::lab
