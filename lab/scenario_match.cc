#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

#include "common/events.h"
#include "lab/scenario_parts.h"

namespace fencepost::lab {
namespace {

std::vector<std::string_view> event_names() {
  std::vector<std::string_view> names;
  for (const events::EventInfo& event : events::all_events()) names.push_back(event.name);
  return names;
}

const events::EventInfo* find_event(std::string_view name) {
  for (const events::EventInfo& event : events::all_events()) {
    if (event.name == name) return &event;
  }
  return nullptr;
}

// Who reports an event.
struct EventRoles {
  std::string_view event;
  std::string_view roles;
};
constexpr std::array kEventRoles = std::to_array<EventRoles>({
    {events::kBrokerLoaded, "broker"},
    {events::kTopicCreated, "broker"},
    {events::kLogAppended, "broker"},
    {events::kLogDeleted, "broker"},
    {events::kGroupState, "broker"},
    {events::kMemberAdded, "broker"},
    {events::kMemberRemoved, "broker"},
    {events::kOffsetCommitted, "broker"},
    {events::kOffsetRemoved, "broker"},
    {events::kPartitionsAdded, "broker"},
    {events::kTopicDeleted, "broker"},
    {events::kClientState, "consumer"},
    {events::kPartitionsRevoked, "consumer"},
    {events::kPartitionsAssigned, "consumer"},
    {events::kPartitionsLost, "consumer"},
    {events::kAssignmentComputed, "consumer"},
    {events::kPositionReset, "consumer"},
    {events::kOffsetsCommitted, "consumer"},
    {events::kCommitFailed, "consumer"},
    {events::kClientError, "consumer,producer,admin"},
    {events::kClientClosed, "consumer"},
    {events::kClientCalled, "consumer"},
    {events::kPollReturned, "consumer"},
    {events::kRecordProcessing, "consumer"},
    {events::kRecordProcessed, "consumer"},
    {events::kRecordRead, "consumer"},
    {events::kRecordSent, "consumer,producer"},
    {events::kRecordAcknowledged, "consumer,producer"},
    {events::kRecordFailed, "consumer,producer"},
    {events::kProduceRetry, "consumer,producer"},
    {events::kSourceFinished, "producer"},
    {events::kProbeAnswered, "probe"},
    {events::kProbeFinished, "probe"},
    {events::kProbeMismatch, "probe"},
});

// Events that the table does not know are anybody's.
std::string_view roles_of(std::string_view event) {
  for (const EventRoles& row : kEventRoles) {
    if (row.event == event) return row.roles;
  }
  return "broker,consumer,producer,probe,admin";
}

// Reads one `when`: keys of its own, the rest are attributes of the event.
class MatchReader {
 public:
  MatchReader(const KnownNames& known, NodeReader& reader) : known_(known), reader_(reader) {}

  std::optional<wire::Match> read(const YamlNode& node,
                                  const std::vector<std::string_view>& besides);

 private:
  void read_packet(const YamlNode& node, const std::vector<std::string_view>& besides);
  void read_event(const YamlNode& node, const std::vector<std::string_view>& besides);
  void add_attribute(const YamlEntry& entry);
  void add_where(const std::string& key, const std::string& value);
  std::string full_names(const Word& word) const;

  const KnownNames& known_;
  NodeReader& reader_;
  wire::Match match_;
};

std::optional<wire::Match> MatchReader::read(const YamlNode& node,
                                             const std::vector<std::string_view>& besides) {
  if (!reader_.is_map(node, "what to wait for")) return std::nullopt;
  if (const YamlNode* process = node.find("process")) {
    const auto word = reader_.word(*process, "process");
    if (word && is_process(*word, known_, reader_)) match_.set_process(word->text);
  }
  if (const YamlNode* nth = node.find("nth")) {
    const auto value = reader_.integer(*nth, "nth", {1, 1'000'000'000});
    if (value) match_.set_nth(static_cast<std::int32_t>(*value));
  }
  const bool has_api = node.find("api") != nullptr;
  const bool has_event = node.find("event") != nullptr;
  if (has_api == has_event) {
    reader_.mistake(node.place, has_api ? "either an event or an api, not both"
                                        : "neither an event nor an api to wait for");
    return std::nullopt;
  }
  has_api ? read_packet(node, besides) : read_event(node, besides);
  return match_;
}

void MatchReader::read_packet(const YamlNode& node, const std::vector<std::string_view>& besides) {
  std::vector<std::string_view> keys{"process", "api", "response", "to", "nth", "error"};
  keys.insert(keys.end(), besides.begin(), besides.end());
  reader_.only_keys(node, keys, "a packet");
  const auto api = reader_.word(*node.find("api"), "api");
  if (api && is_api(*api, reader_)) match_.set_api(api->text);
  if (const YamlNode* response = node.find("response")) {
    if (const auto value = reader_.boolean(*response, "response")) match_.set_response(*value);
  }
  if (const YamlNode* error = node.find("error")) {
    if (const auto value = reader_.boolean(*error, "error")) match_.set_error(*value);
  }
  const YamlNode* to = node.find("to");
  const auto word = to == nullptr ? std::nullopt : reader_.word(*to, "to");
  if (word && is_process(*word, known_, reader_)) match_.set_to(word->text);
}

void MatchReader::read_event(const YamlNode& node, const std::vector<std::string_view>& besides) {
  const auto name = reader_.word(*node.find("event"), "event");
  if (!name || !reader_.one_of(*name, "event", event_names())) return;
  match_.set_event(name->text);
  if (match_.has_process()) {
    can_do({match_.process(), node.find("process")->place}, roles_of(name->text),
           fmt::format("never reports {}", name->text), known_, reader_);
  }
  std::vector<std::string_view> keys = split(find_event(name->text)->keys, ',');
  keys.insert(keys.end(), {"process", "event", "nth"});
  keys.insert(keys.end(), besides.begin(), besides.end());
  reader_.only_keys(node, keys, name->text);
  for (const YamlEntry& entry : node.entries) {
    const auto own = [&](std::string_view key) { return key == entry.key; };
    if (own("process") || own("event") || own("nth")) continue;
    if (std::any_of(besides.begin(), besides.end(), own)) continue;
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) add_attribute(entry);
  }
}

void MatchReader::add_where(const std::string& key, const std::string& value) {
  wire::Attribute* attribute = match_.add_where();
  attribute->set_key(key);
  attribute->set_value(value);
}

// Partitions may be given by their short names; a `partition: o2` says the topic too.
void MatchReader::add_attribute(const YamlEntry& entry) {
  if (entry.value.kind == YamlNode::Kind::kScalar && entry.value.text.empty()) {
    add_where(entry.key, "");
    return;
  }
  std::string joined;
  for (const Word& word : reader_.words(entry.value, entry.key)) {
    joined += (joined.empty() ? "" : ",") + full_names(word);
  }
  const auto partition = known_.partitions.parse(joined);
  if (entry.key == "partition" && partition) {
    add_where("topic", partition->topic);
    add_where("partition", std::to_string(partition->partition.value()));
    return;
  }
  add_where(entry.key, joined);
}

std::string MatchReader::full_names(const Word& word) const {
  const auto partition = known_.partitions.parse(word.text);
  return partition ? to_string(*partition) : word.text;
}

}  // namespace

std::optional<wire::Match> read_match(const YamlNode& node, const KnownNames& known,
                                      NodeReader& reader, std::vector<std::string_view> besides) {
  return MatchReader(known, reader).read(node, besides);
}

}  // namespace fencepost::lab
