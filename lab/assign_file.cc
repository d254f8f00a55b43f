#include "lab/assign_file.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "lab/node_reader.h"
#include "lab/yaml_tree.h"

namespace fencepost::lab {
namespace {

using consumer::MemberSubscription;

constexpr std::int64_t kPartitionsMax = 1'000'000;
constexpr auto kKeys =
    std::to_array<std::string_view>({"topics", "members", "assignor", "app.cooperative-sticky"});
constexpr auto kMemberKeys =
    std::to_array<std::string_view>({"subscribe", "owned", "generation", "group.instance.id"});
constexpr auto kRules = std::to_array<std::string_view>({"sticky", "simple"});

class GroupReader {
 public:
  explicit GroupReader(Mistakes& mistakes) : reader_(mistakes) {}

  GroupFile read(const YamlNode& root) {
    if (!reader_.is_map(root, "the file")) return {};
    reader_.only_keys(root, kKeys, "the file");
    read_topics(root);
    read_members(root);
    read_assignor(root);
    return std::move(group_);
  }

 private:
  void read_topics(const YamlNode& root) {
    const YamlNode* topics = root.find("topics");
    if (topics == nullptr) return reader_.mistake(root.place, "topics are missing: {orders: 3}");
    if (!reader_.is_map(*topics, "topics")) return;
    for (const YamlEntry& entry : topics->entries) {
      const auto count = reader_.integer(entry.value, "the number of partitions of " + entry.key,
                                         {.min = 0, .max = kPartitionsMax});
      if (count) group_.input.partition_counts[entry.key] = static_cast<std::int32_t>(*count);
    }
  }

  void read_members(const YamlNode& root) {
    const YamlNode* members = root.find("members");
    if (members == nullptr) {
      return reader_.mistake(root.place, "members are missing: {C1: {subscribe: [orders]}}");
    }
    if (!reader_.is_map(*members, "members")) return;
    for (const YamlEntry& entry : members->entries) {
      MemberSubscription& member = group_.input.members.emplace_back();
      member.member_id = MemberId(entry.key);
      read_member(entry, member);
    }
  }

  void read_member(const YamlEntry& entry, MemberSubscription& member) {
    const std::string what = "member " + entry.key;
    if (!reader_.is_map(entry.value, what)) return;
    reader_.only_keys(entry.value, kMemberKeys, what);
    read_subscription(entry, member);
    if (const YamlNode* owned = entry.value.find("owned")) read_claims(*owned, what, member);
    if (const YamlNode* generation = entry.value.find("generation")) {
      const auto number =
          reader_.integer(*generation, "generation of " + what,
                          {.min = -1, .max = std::numeric_limits<std::int32_t>::max()});
      if (number) member.generation = Generation(static_cast<std::int32_t>(*number));
    }
    if (const YamlNode* instance = entry.value.find("group.instance.id")) {
      if (const auto word = reader_.word(*instance, "group.instance.id of " + what)) {
        member.instance_id = word->text;
      }
    }
  }

  // A topic may be without metadata: then it is subscribed to and not there, as in Kafka.
  void read_subscription(const YamlEntry& entry, MemberSubscription& member) {
    const YamlNode* subscribe = entry.value.find("subscribe");
    if (subscribe == nullptr) {
      return reader_.mistake(entry.place, "member " + entry.key + " has no subscribe: [TOPIC]");
    }
    if (subscribe->kind == YamlNode::Kind::kList && subscribe->items.empty()) return;
    for (const Word& word : reader_.words(*subscribe, "the topics of member " + entry.key)) {
      member.topics.push_back(word.text);
    }
    std::sort(member.topics.begin(), member.topics.end());
    member.topics.erase(std::unique(member.topics.begin(), member.topics.end()),
                        member.topics.end());
  }

  // [orders-0, orders-1]
  void read_claims(const YamlNode& owned, const std::string& what, MemberSubscription& member) {
    if (owned.kind == YamlNode::Kind::kList && owned.items.empty()) return;
    for (const Word& word : reader_.words(owned, "what " + what + " owns")) {
      const std::size_t dash = word.text.rfind('-');
      const std::string index = dash == std::string::npos ? "" : word.text.substr(dash + 1);
      const bool numeric = !index.empty() && index.size() < 9 &&
                           index.find_first_not_of("0123456789") == std::string::npos;
      if (!numeric || dash == 0) {
        reader_.mistake(word.place, fmt::format("\"{}\" is not TOPIC-PARTITION", word.text));
        continue;
      }
      member.owned.insert({word.text.substr(0, dash), PartitionId(std::stoi(index))});
    }
  }

  void read_assignor(const YamlNode& root) {
    if (const YamlNode* node = root.find("assignor")) {
      const auto word = reader_.word(*node, "assignor");
      const auto names = consumer::assignor_names();
      if (word && reader_.one_of(*word, "assignor", names)) group_.assignor = word->text;
    }
    if (const YamlNode* node = root.find("app.cooperative-sticky")) {
      const auto word = reader_.word(*node, "app.cooperative-sticky");
      if (word && reader_.one_of(*word, "rule", kRules) && word->text == "simple") {
        group_.rule = consumer::StickyRule::kSimple;
      }
    }
  }

  NodeReader reader_;
  GroupFile group_;
};

LoadedGroup read_group(const std::optional<std::string>& text, const std::string& name,
                       Mistakes& mistakes) {
  LoadedGroup loaded;
  if (text) {
    if (const auto root = parse_yaml(*text, name, mistakes)) {
      GroupFile group = GroupReader(mistakes).read(*root);
      if (mistakes.empty()) loaded.group = std::move(group);
    }
  }
  loaded.mistakes = mistakes.sorted();
  return loaded;
}

}  // namespace

LoadedGroup load_group(const std::string& path) {
  Mistakes mistakes;
  const std::optional<std::string> text = read_text_file(path, path, mistakes);
  return read_group(text, path, mistakes);
}

LoadedGroup parse_group(const std::string& text, const std::string& name) {
  Mistakes mistakes;
  return read_group(text, name, mistakes);
}

}  // namespace fencepost::lab
