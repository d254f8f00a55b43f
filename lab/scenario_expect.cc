#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <limits>

#include "common/error_code.h"
#include "lab/scenario.h"
#include "lab/scenario_parts.h"

namespace fencepost::lab {
namespace {

constexpr std::int64_t kCountMax = std::numeric_limits<std::int32_t>::max();
constexpr Limits kAnyCount{0, kCountMax};

// Java exceptions that stand for no single error code.
constexpr std::array<std::string_view, 4> kClientExceptions{
    "CommitFailedException", "RebalanceInProgressException", "WakeupException",
    "NoOffsetForPartitionException"};

std::vector<std::string_view> error_words() {
  std::vector<std::string_view> words(kClientExceptions.begin(), kClientExceptions.end());
  for (const ErrorInfo& error : all_errors()) {
    words.push_back(error.name);
    words.push_back(error.exception);
  }
  return words;
}

class ExpectReader {
 public:
  ExpectReader(const KnownNames& known, NodeReader& reader) : known_(known), reader_(reader) {}

  Expectations read(const YamlNode& node);

 private:
  using Part = void (ExpectReader::*)(const YamlEntry&);
  struct Row {
    std::string_view key;
    Part part;
  };
  static const std::array<Row, 17> kRows;

  void group(const YamlEntry& entry);
  void records(const YamlEntry& entry);
  void number(const YamlEntry& entry);
  void assignments(const YamlEntry& entry);
  void pauses(const YamlEntry& entry);
  void errors(const YamlEntry& entry);
  void order(const YamlEntry& entry);
  void seen(const YamlEntry& entry);
  void ticks(const YamlNode& node, Watch& watch);
  void committed(const YamlEntry& entry);
  void fetches(const YamlEntry& entry);
  void reads(const YamlEntry& entry);
  void leaders(const YamlEntry& entry);
  void why(const YamlEntry& entry);
  void invoices_once(const YamlEntry& entry);

  void add(const Place& place, std::string text, ExpectedFact fact);
  // The items of a list, or the one map that stands in its place.
  std::vector<const YamlNode*> maps(const YamlEntry& entry);
  // `roles` are those that can do what is expected, `fails` what others never do.
  std::optional<std::string> process(const YamlNode& map, std::string_view roles,
                                     std::string_view fails);
  void check_record(const Word& word);
  ExpectRecords count_or_names(const YamlNode& node, std::string_view what);

  const KnownNames& known_;
  NodeReader& reader_;
  Expectations result_;
};

const std::array<ExpectReader::Row, 17> ExpectReader::kRows{{
    {"group", &ExpectReader::group},
    {"duplicates", &ExpectReader::records},
    {"lost", &ExpectReader::records},
    {"pending", &ExpectReader::records},
    {"generations", &ExpectReader::number},
    {"rebalances", &ExpectReader::number},
    {"assignments", &ExpectReader::assignments},
    {"paused", &ExpectReader::pauses},
    {"pause.ticks", &ExpectReader::pauses},
    {"errors", &ExpectReader::errors},
    {"order", &ExpectReader::order},
    {"events", &ExpectReader::seen},
    {"committed", &ExpectReader::committed},
    {"fetches.from", &ExpectReader::fetches},
    {"reads", &ExpectReader::reads},
    {"leaders", &ExpectReader::leaders},
    {"why", &ExpectReader::why},
}};

Expectations ExpectReader::read(const YamlNode& node) {
  if (!reader_.is_map(node, "expect")) return {};
  std::vector<std::string_view> keys{"invoices.once"};
  for (const Row& row : kRows) keys.push_back(row.key);
  reader_.only_keys(node, keys, "expect");
  for (const YamlEntry& entry : node.entries) {
    if (entry.key == "invoices.once") invoices_once(entry);
    for (const Row& row : kRows) {
      if (row.key == entry.key) (this->*row.part)(entry);
    }
  }
  return std::move(result_);
}

void ExpectReader::add(const Place& place, std::string text, ExpectedFact fact) {
  result_.list.push_back({std::move(text), place, std::move(fact)});
}

std::vector<const YamlNode*> ExpectReader::maps(const YamlEntry& entry) {
  std::vector<const YamlNode*> found;
  if (entry.value.kind == YamlNode::Kind::kMap) return {&entry.value};
  if (!reader_.is_list(entry.value, entry.key)) return found;
  for (const YamlNode& item : entry.value.items) {
    if (reader_.is_map(item, fmt::format("an item of {}", entry.key))) found.push_back(&item);
  }
  return found;
}

std::optional<std::string> ExpectReader::process(const YamlNode& map, std::string_view roles,
                                                 std::string_view fails) {
  const YamlNode* node = map.find("process");
  if (node == nullptr) {
    reader_.mistake(map.place, "which process? The key `process` is missing");
    return std::nullopt;
  }
  const auto word = reader_.word(*node, "process");
  if (!word || !is_process(*word, known_, reader_)) return std::nullopt;
  if (!can_do(*word, roles, fails, known_, reader_)) return std::nullopt;
  return word->text;
}

// "o2.3": a partition, and an offset.
void ExpectReader::check_record(const Word& word) {
  const std::size_t dot = word.text.rfind('.');
  const bool whole = dot != std::string::npos && parse_integer(word.text.substr(dot + 1));
  if (!whole) {
    reader_.mistake(word.place, fmt::format("\"{}\" names no record: a partition, a dot and an "
                                            "offset, as in o2.3",
                                            word.text));
    return;
  }
  read_partition({word.text.substr(0, dot), word.place}, known_, reader_);
}

void ExpectReader::group(const YamlEntry& entry) {
  if (const auto word = reader_.word(entry.value, "group")) result_.group = word->text;
}

ExpectRecords ExpectReader::count_or_names(const YamlNode& node, std::string_view what) {
  ExpectRecords records;
  if (node.kind != YamlNode::Kind::kList) {
    records.count = reader_.integer(node, what, kAnyCount);
    return records;
  }
  records.names.emplace();
  for (const YamlNode& item : node.items) {
    if (const auto word = reader_.word(item, what)) records.names->push_back(word->text);
  }
  return records;
}

void ExpectReader::records(const YamlEntry& entry) {
  ExpectRecords records = count_or_names(entry.value, entry.key);
  records.what = entry.key == "duplicates" ? ExpectRecords::What::kDuplicates
                 : entry.key == "lost"     ? ExpectRecords::What::kLost
                                           : ExpectRecords::What::kPending;
  if (records.names) {
    for (const Word& word : reader_.words(entry.value, entry.key)) check_record(word);
    std::sort(records.names->begin(), records.names->end());
  }
  add(entry.place, entry.key + ": " + to_flow(entry.value), records);
}

void ExpectReader::number(const YamlEntry& entry) {
  const auto count = reader_.integer(entry.value, entry.key, kAnyCount);
  ExpectNumber number;
  number.what = entry.key == "rebalances" ? ExpectNumber::What::kRebalances
                                          : ExpectNumber::What::kGenerations;
  number.count = count.value_or(0);
  add(entry.place, entry.key + ": " + to_flow(entry.value), number);
}

void ExpectReader::assignments(const YamlEntry& entry) {
  ExpectAssignments assignments;
  for (const YamlNode* generation : maps(entry)) {
    auto& members = assignments.generations.emplace_back();
    for (const YamlEntry& member : generation->entries) {
      if (!is_process({member.key, member.place}, known_, reader_)) continue;
      auto& partitions = members[member.key];
      if (member.value.kind == YamlNode::Kind::kList && member.value.items.empty()) continue;
      for (const Word& word : reader_.words(member.value, "partitions")) {
        if (const auto where = read_partition(word, known_, reader_)) partitions.insert(*where);
      }
    }
  }
  add(entry.place, entry.key + ": " + to_flow(entry.value), assignments);
}

void ExpectReader::pauses(const YamlEntry& entry) {
  ExpectPauses pauses;
  pauses.what =
      entry.key == "paused" ? ExpectPauses::What::kPartitions : ExpectPauses::What::kTicks;
  if (!reader_.is_list(entry.value, entry.key)) return;
  for (const YamlNode& item : entry.value.items) {
    const auto count = reader_.integer(item, entry.key, kAnyCount);
    pauses.numbers.push_back(count.value_or(0));
  }
  add(entry.place, entry.key + ": " + to_flow(entry.value), pauses);
}

void ExpectReader::errors(const YamlEntry& entry) {
  constexpr std::array<std::string_view, 4> kKeys{"process", "error", "api", "count"};
  for (const YamlNode* map : maps(entry)) {
    reader_.only_keys(*map, kKeys, "errors");
    ExpectError expected;
    expected.process =
        process(*map, "consumer,producer,probe,admin", "is never refused anything").value_or("");
    const YamlNode* error = map->find("error");
    if (error == nullptr) reader_.mistake(map->place, "which error? The key `error` is missing");
    const auto word = error == nullptr ? std::nullopt : reader_.word(*error, "error");
    if (word && reader_.one_of(*word, "error", error_words())) expected.error = word->text;
    const YamlNode* api = map->find("api");
    const auto api_word = api == nullptr ? std::nullopt : reader_.word(*api, "api");
    if (api_word && is_api(*api_word, reader_)) expected.api = api_word->text;
    if (const YamlNode* count = map->find("count")) {
      expected.count = reader_.integer(*count, "count", kAnyCount);
    }
    add(map->place, "errors: " + to_flow(*map), expected);
  }
}

void ExpectReader::order(const YamlEntry& entry) {
  if (!reader_.is_map(entry.value, "order")) return;
  for (const YamlEntry& one : entry.value.entries) {
    if (!is_process({one.key, one.place}, known_, reader_)) continue;
    ExpectOrder order;
    order.process = one.key;
    for (const Word& word : reader_.words(one.value, "order")) {
      if (is_api(word, reader_)) order.apis.push_back(word.text);
    }
    add(one.place, fmt::format("order: {{{}: {}}}", one.key, to_flow(one.value)), order);
  }
}

void ExpectReader::seen(const YamlEntry& entry) {
  for (const YamlNode* map : maps(entry)) {
    ExpectEvent expected;
    const auto match = read_match(*map, known_, reader_, {"count", "ticks"});
    if (!match) continue;
    expected.match = *match;
    if (const YamlNode* count = map->find("count")) {
      expected.count = reader_.integer(*count, "count", kAnyCount);
    }
    expected.watch = result_.watches.size();
    Watch& watch = result_.watches.emplace_back(Watch{.match = *match});
    if (const YamlNode* when = map->find("ticks")) ticks(*when, watch);
    add(map->place, "events: " + to_flow(*map), expected);
  }
}

// One tick, or the first and the last of several.
void ExpectReader::ticks(const YamlNode& node, Watch& watch) {
  const bool list = node.kind == YamlNode::Kind::kList;
  if (list && node.items.size() != 2) {
    reader_.mistake(node.place, "ticks are one, or the first and the last: [30, 36]");
    return;
  }
  const auto first = reader_.integer(list ? node.items[0] : node, "ticks", {0, kTicksMax});
  const auto last = reader_.integer(list ? node.items[1] : node, "ticks", {0, kTicksMax});
  if (!first || !last) return;
  watch.first = Tick(*first);
  watch.last = Tick(*last);
  if (watch.first > watch.last) reader_.mistake(node.place, "the first tick is after the last");
}

void ExpectReader::committed(const YamlEntry& entry) {
  if (!reader_.is_map(entry.value, "committed")) return;
  ExpectCommitted committed;
  for (const YamlEntry& one : entry.value.entries) {
    const auto where = read_partition({one.key, one.place}, known_, reader_);
    if (!where) continue;
    auto& offset = committed.offsets[*where];
    if (one.value.kind == YamlNode::Kind::kNull) continue;
    const auto value =
        reader_.integer(one.value, "a committed offset", {0, std::numeric_limits<int64_t>::max()});
    if (value) offset = Offset(*value);
  }
  add(entry.place, "committed: " + to_flow(entry.value), committed);
}

void ExpectReader::fetches(const YamlEntry& entry) {
  constexpr std::array<std::string_view, 3> kKeys{"process", "partition", "offset"};
  for (const YamlNode* map : maps(entry)) {
    reader_.only_keys(*map, kKeys, "fetches.from");
    ExpectFetchFrom expected;
    expected.process = process(*map, "consumer", "sends no Fetch").value_or("");
    const YamlNode* partition = map->find("partition");
    const YamlNode* offset = map->find("offset");
    if (partition == nullptr || offset == nullptr) {
      reader_.mistake(map->place, "fetches.from needs process, partition and offset");
      continue;
    }
    const auto word = reader_.word(*partition, "partition");
    const auto where = word ? read_partition(*word, known_, reader_) : std::nullopt;
    if (where) expected.partition = *where;
    const auto value =
        reader_.integer(*offset, "offset", {0, std::numeric_limits<std::int64_t>::max()});
    expected.offset = Offset(value.value_or(0));
    add(map->place, "fetches.from: " + to_flow(*map), expected);
  }
}

void ExpectReader::reads(const YamlEntry& entry) {
  if (!reader_.is_map(entry.value, "reads")) return;
  for (const YamlEntry& one : entry.value.entries) {
    if (!is_process({one.key, one.place}, known_, reader_)) continue;
    ExpectRecords records = count_or_names(one.value, "reads");
    records.what = ExpectRecords::What::kReads;
    records.reader = one.key;
    add(one.place, fmt::format("reads: {{{}: {}}}", one.key, to_flow(one.value)), records);
  }
}

void ExpectReader::leaders(const YamlEntry& entry) {
  ExpectLeaders leaders;
  for (const Word& word : reader_.words(entry.value, "leaders")) {
    if (is_process(word, known_, reader_)) leaders.leaders.push_back(word.text);
  }
  add(entry.place, "leaders: " + to_flow(entry.value), leaders);
}

void ExpectReader::why(const YamlEntry& entry) {
  for (const YamlNode* map : maps(entry)) {
    if (auto expected = read_why(*map, known_, reader_)) {
      add(map->place, "why: " + to_flow(*map), std::move(*expected));
    }
  }
}

void ExpectReader::invoices_once(const YamlEntry& entry) {
  const auto value = reader_.boolean(entry.value, "invoices.once");
  if (value && !*value) reader_.mistake(entry.value.place, "leave it out instead of saying false");
  add(entry.place, "invoices.once: true", ExpectInvoicesOnce{});
}

}  // namespace

Expectations read_expect(const YamlNode& node, const KnownNames& known, NodeReader& reader) {
  return ExpectReader(known, reader).read(node);
}

}  // namespace fencepost::lab
