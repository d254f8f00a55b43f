#include "lab/report/report_data.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "lab/checkers/delivery.h"
#include "lab/expectations.h"
#include "lab/frame_facts.h"
#include "lab/hand_overs.h"
#include "lab/history.h"
#include "lab/report/traffic.h"
#include "lab/run_index.h"
#include "lab/story.h"
#include "lab/timeline.h"
#include "lab/why/why.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

namespace json = boost::json;

json::array texts(const std::vector<std::string>& lines) {
  json::array out;
  for (const std::string& line : lines) out.emplace_back(utf8(line));
  return out;
}

json::value tick_or_null(const std::optional<Moment>& moment) {
  return moment ? json::value(moment->tick.value()) : json::value(nullptr);
}

// Collects what a history knows; Traffic brings what is as long as the run.
class ReportData {
 public:
  explicit ReportData(const ReportSource& source)
      : source_(source),
        index_(source.capture, source.plan ? &*source.plan : nullptr),
        history_(read_history(source.capture, {}, Detail::kAll)),
        traffic_(index_, history_.names, partitions_, strings_) {}

  json::object make();

 private:
  void number_partitions();
  void heading(json::object& out);
  void verdicts(json::object& out) const;
  void lives(json::object& out);
  void partitions(json::object& out) const;
  void ownerships(json::object& out);
  void rebalances(json::object& out);
  json::object rebalance(const Rebalance& one);
  json::object owners(const Owners& owners) const;
  void story(json::object& out) const;
  void why(json::object& out) const;
  void records(json::object& out) const;
  void errors(json::object& out) const;

  const ReportSource& source_;
  RunIndex index_;
  History history_;
  PartitionNumbers partitions_;
  Strings strings_;
  Traffic traffic_;
  json::array pauses_;
};

json::object ReportData::make() {
  json::object out;
  number_partitions();
  heading(out);
  verdicts(out);
  traffic_.read(source_.capture);
  traffic_.release(out);
  lives(out);
  partitions(out);
  ownerships(out);
  rebalances(out);
  story(out);
  why(out);
  records(out);
  errors(out);
  json::array processes;
  for (const std::string& name : traffic_.processes()) {
    const auto life = std::ranges::find(history_.lives, name, &Life::process);
    const std::string role = life == history_.lives.end() ? "" : life->role;
    const auto group = history_.group_of.find(name);
    processes.push_back(json::object{
        {"name", utf8(name)},
        {"role", utf8(role)},
        {"group", utf8(group == history_.group_of.end() ? std::string() : group->second)}});
  }
  out["processes"] = std::move(processes);
  out["strings"] = strings_.release();
  return out;
}

void ReportData::number_partitions() {
  for (const auto& topic : history_.header.topics()) {
    for (const TopicPartition& where : history_.names.partitions_of(topic.topic())) {
      partitions_.add(where);
    }
  }
  for (const Ownership& one : history_.ownerships) partitions_.add(one.partition);
  for (const auto& [name, fact] : history_.records) {
    partitions_.add(fact.home);
    for (const Appended& appended : fact.appended) partitions_.add(appended.partition);
  }
  for (const auto& [name, appends] : history_.invoices) {
    for (const Appended& appended : appends) partitions_.add(appended.partition);
  }
  partitions_.number();
}

// The counts are those of the first lines of summary.txt.
void ReportData::heading(json::object& out) {
  const wire::CaptureHeader& header = history_.header;
  out["name"] = utf8(header.scenario());
  out["about"] = utf8(source_.scenario ? source_.scenario->about : std::string());
  out["seed"] = std::to_string(header.seed());
  out["tick_ms"] = header.tick_ms();
  out["last_tick"] = history_.last_tick.value();
  out["ended"] = history_.ended;
  out["end_reason"] = utf8(history_.end_reason);
  out["counts"] = json::object{
      {"packets", history_.packets}, {"lost", history_.packets_lost}, {"events", history_.events}};
  json::array apis;
  for (const std::string_view api : all_apis()) apis.emplace_back(utf8(api));
  out["apis"] = std::move(apis);
}

json::array rows_of(const std::vector<Verdict>& verdicts) {
  json::array rows;
  for (const Verdict& verdict : verdicts) {
    rows.push_back(json::object{{"outcome", to_string(verdict.outcome)},
                                {"subject", utf8(verdict.subject)},
                                {"detail", utf8(verdict.detail)},
                                {"details", texts(verdict.details)}});
  }
  return rows;
}

void ReportData::verdicts(json::object& out) const {
  std::vector<Verdict> expected;
  if (source_.scenario) {
    const Expectations& expectations = source_.scenario->expectations;
    expected = judge(expectations, read_history(source_.capture, expectations));
  }
  out["verdicts"] =
      json::object{{"expected", rows_of(expected)}, {"checks", rows_of(check_all(history_))}};
}

void ReportData::lives(json::object& out) {
  json::array lives;
  for (const Life& life : history_.lives) {
    const std::string_view ends[] = {"running", "killed", "exited"};
    lives.push_back(json::array{traffic_.process(life.process), life.incarnation.value(),
                                life.joined.tick.value(), tick_or_null(life.ended),
                                ends[static_cast<std::size_t>(life.end)]});
  }
  out["lives"] = std::move(lives);
  json::array stops;
  std::map<std::string, std::int64_t> since;
  const auto close = [&](const std::string& who, json::value until) {
    const auto open = since.find(who);
    if (open == since.end()) return;
    stops.push_back(json::array{traffic_.process(who), open->second, std::move(until)});
    since.erase(open);
  };
  for (const LifecycleFact& fact : history_.lifecycles) {
    const wire::Lifecycle::Kind kind = fact.what.kind();
    if (kind == wire::Lifecycle::FREEZE) {
      since.try_emplace(fact.what.process(), fact.when.tick.value());
    } else if (kind != wire::Lifecycle::CLOSE) {
      close(fact.what.process(), fact.when.tick.value());
    }
  }
  while (!since.empty()) close(std::string(since.begin()->first), nullptr);
  out["stops"] = std::move(stops);
}

void ReportData::partitions(json::object& out) const {
  json::array rows;
  for (const TopicPartition& where : partitions_.all()) {
    rows.push_back(json::object{{"name", utf8(history_.names.short_name(where))},
                                {"topic", utf8(where.topic)},
                                {"index", where.partition.value()}});
  }
  out["partitions"] = std::move(rows);
  std::set<std::string> written;  // topics of the writers' invoices
  for (const auto& [name, appends] : history_.invoices) {
    for (const Appended& appended : appends) written.insert(appended.partition.topic);
  }
  out["outputs"] = texts({written.begin(), written.end()});
}

void ReportData::ownerships(json::object& out) {
  json::array rows;
  for (const Ownership& one : history_.ownerships) {
    const std::string_view ends[] = {"open", "revoked", "lost", "died"};
    rows.push_back(json::array{strings_.of(one.group), partitions_.of(one.partition),
                               traffic_.process(one.process), one.from.tick.value(),
                               tick_or_null(one.to), ends[static_cast<std::size_t>(one.end)],
                               one.generation.value(), tick_or_null(one.evicted)});
  }
  out["owners"] = std::move(rows);
}

json::object ReportData::owners(const Owners& owners) const {
  std::map<std::string, std::set<TopicPartition>> by_process;
  for (const auto& [partition, process] : owners) by_process[process].insert(partition);
  json::object out;
  for (const auto& [process, partitions] : by_process) {
    out[utf8(process)] = utf8(history_.names.list(partitions));
  }
  return out;
}

json::object ReportData::rebalance(const Rebalance& one) {
  json::array generations;
  for (const std::size_t at : one.generations) {
    const GenerationFact& fact = history_.generations[at];
    json::object shares;
    for (const auto& [process, partitions] : fact.assignment) {
      shares[utf8(process)] = utf8(history_.names.list(partitions));
    }
    generations.push_back(json::object{{"generation", fact.generation.value()},
                                       {"formed", fact.formed.tick.value()},
                                       {"stable", tick_or_null(fact.stable)},
                                       {"assignor", utf8(fact.assignor)},
                                       {"leader", utf8(fact.leader)},
                                       {"members", texts(fact.members)},
                                       {"assignment", std::move(shares)}});
  }
  std::vector<std::string> reasons;
  for (const std::string& reason : one.reasons) reasons.push_back(without_uuids(reason));
  const auto entry = index_.of_record(one.begun.record);
  return {{"group", utf8(one.group)},
          {"from", one.begun.tick.value()},
          {"to", tick_or_null(one.settled)},
          {"reasons", texts(reasons)},
          {"generations", std::move(generations)},
          {"before", owners(one.before)},
          {"after", owners(one.after)},
          {"paused", pause_ticks(one, history_.last_tick)},
          {"entry", entry ? json::value(*entry) : json::value(nullptr)}};
}

// `number` is that of summary.txt; those without one led to nothing that counts.
void ReportData::rebalances(json::object& out) {
  const HandOvers hand_overs(history_);
  std::set<const Rebalance*> settled;
  for (const std::string& group : history_.groups()) {
    for (const Rebalance* one : settled_rebalances(history_, group)) settled.insert(one);
  }
  std::map<std::string, std::int64_t> numbers;
  json::array rows;
  for (const Rebalance& one : history_.rebalances) {
    json::object row = rebalance(one);
    if (settled.contains(&one)) row["number"] = ++numbers[one.group];
    row["starts"] = texts(lines_of(hand_overs.of(one), history_.names));
    for (const Pause& pause : one.pauses) {
      pauses_.push_back(
          json::array{rows.size(), partitions_.of(pause.partition), pause.from.value(),
                      pause.until ? json::value(pause.until->value()) : json::value(nullptr),
                      utf8(pause.why), utf8(pause.owner_before), utf8(pause.owner_after)});
    }
    rows.push_back(std::move(row));
  }
  out["rebalances"] = std::move(rows);
  out["pauses"] = std::move(pauses_);
}

void ReportData::story(json::object& out) const {
  json::array lines;
  const wire::Plan* const plan = source_.plan ? &*source_.plan : nullptr;
  for (const TimelineLine& line : timeline_of(history_, plan)) {
    lines.push_back(json::array{line.tick.value(), utf8(line.text)});
  }
  out["story"] = std::move(lines);
  out["never"] =
      texts(plan == nullptr ? std::vector<std::string>() : never_happened(history_, *plan));
}

// The story, and of each record that stands twice or is lost the sentences that say why.
void ReportData::why(json::object& out) const {
  const History history = read_history(source_.capture, Expectations{}, Reading::kWithEvidence);
  const why::Explainer explainer(history, source_.plan ? &*source_.plan : nullptr);
  json::array story;
  for (const why::Explanation& one : explainer.story()) {
    const auto entry = index_.of_record(one.when.record);
    story.push_back(
        json::object{{"tick", one.when.tick.value()},
                     {"what", why::name_of(one.what)},
                     {"group", utf8(one.group)},
                     {"rebalance", one.rebalance ? json::value(*one.rebalance) : json::value()},
                     {"wasted", one.wasted.value_or(false)},
                     {"entry", entry ? json::value(*entry) : json::value()},
                     {"sentences", texts(one.sentences)}});
  }
  out["why"] = std::move(story);
  json::object records;
  for (const auto& found : {explainer.duplicates(), explainer.losses()}) {
    for (const why::Explanation& one : found) records[utf8(one.subject)] = texts(one.sentences);
  }
  out["record_why"] = std::move(records);
}

void ReportData::records(json::object& out) const {
  json::array rows;
  for (const Delivery& one : deliveries(history_)) {
    json::array twice;
    std::vector<std::string> names;
    for (const auto& [name, times] : one.duplicates) names.push_back(name);
    sort_records(names);
    for (const std::string& name : names) {
      twice.push_back(json::array{utf8(name), one.duplicates.at(name)});
    }
    rows.push_back(json::object{{"group", utf8(one.group)},
                                {"by_invoices", one.by_invoices},
                                {"records", one.records},
                                {"once", one.once},
                                {"duplicates", std::move(twice)},
                                {"lost", texts(one.lost)},
                                {"pending", texts(one.pending)}});
  }
  out["records"] = std::move(rows);
}

void ReportData::errors(json::object& out) const {
  json::array rows;
  for (const auto& [key, fact] : history_.errors) {
    rows.push_back(json::object{{"process", utf8(key.process)},
                                {"api", utf8(key.api)},
                                {"error", utf8(key.error)},
                                {"exception", utf8(key.exception)},
                                {"count", fact.count},
                                {"first", fact.first.tick.value()},
                                {"last", fact.last.tick.value()},
                                {"detail", utf8(fact.detail)},
                                {"protocol", is_protocol(key)}});
  }
  out["errors"] = std::move(rows);
}

}  // namespace

json::object report_data(const ReportSource& source) { return ReportData(source).make(); }

}  // namespace fencepost::lab
