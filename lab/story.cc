#include "lab/story.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <set>

#include "lab/checkers/delivery.h"
#include "lab/checkers/groups.h"
#include "lab/checkers/offsets.h"
#include "lab/checkers/probes.h"
#include "lab/expectations.h"
#include "lab/hand_overs.h"
#include "lab/packets/printable.h"
#include "lab/timeline.h"
#include "lab/why/why.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

constexpr std::size_t kWidth = 98;
constexpr std::size_t kRecordsShown = 200;
constexpr std::size_t kTimelineShown = 400;
constexpr std::size_t kRebalancesShown = 200;  // of each group
constexpr std::size_t kRebalancesExplained = 2'000;
constexpr std::size_t kWhysShown = 200;

// Writes the summary, section by section.
class Story {
 public:
  Story(const History& history, const wire::Plan* plan)
      : history_(history), plan_(plan), hand_overs_(history) {
    const bool known =
        history.evidence != nullptr && history.rebalances.size() <= kRebalancesExplained;
    if (known) explained_ = why::Explainer(history, plan).story();
  }

  std::string tell(const std::string& about, const Judgement& judgement);

 private:
  void heading(const std::string& about);
  void timeline();
  void never();
  void rebalances();
  void rebalance(const Rebalance& rebalance, std::size_t number);
  void generations(const Rebalance& rebalance);
  void owners(std::string_view label, const Owners& owners);
  void pauses(const Rebalance& rebalance);
  std::string pause_text(const Rebalance& rebalance) const;
  void starts(const Rebalance& rebalance);
  void emptied(const Rebalance& rebalance);
  void why(const Rebalance& rebalance);
  void whys();
  void records();
  void delivery(const Delivery& delivery);
  void committed(const std::string& group);
  void readers();
  void errors();
  using ErrorRow = std::pair<ErrorKey, ErrorFact>;
  void error_rows(std::vector<ErrorRow> rows);
  void verdicts(std::string_view title, const std::vector<Verdict>& verdicts);

  void line(const std::string& text) { out_ += text + "\n"; }
  void title(std::string_view text) { out_ += fmt::format("\n{}\n", text); }
  void listed(std::string_view label, std::vector<std::string> words);
  std::string at(Tick tick) const {
    return fmt::format("{:>6} {:>10} ms", tick.value(), tick.value() * history_.header.tick_ms());
  }

  const History& history_;
  const wire::Plan* plan_;  // null: not known
  HandOvers hand_overs_;
  std::vector<why::Explanation> explained_;  // empty: the history has no evidence
  std::string out_;
};

std::string Story::tell(const std::string& about, const Judgement& judgement) {
  heading(about);
  timeline();
  rebalances();
  records();
  readers();
  errors();
  whys();
  never();
  verdicts("EXPECTED BY THE SCENARIO", judgement.expectations);
  verdicts("CHECKED ON EVERY RUN", judgement.checks);
  return std::move(out_);
}

void Story::heading(const std::string& about) {
  const wire::CaptureHeader& header = history_.header;
  line(header.scenario());
  if (!about.empty()) {
    std::vector<std::string> words;
    for (const std::string_view word : split(about, ' ')) words.emplace_back(word);
    line(wrapped(words, 0, kWidth));
  }
  line(fmt::format(
      "{} of {} ms (tick 0 to {}), seed {}; {}, {}{}",
      counted(history_.last_tick.value() + 1, "tick"), header.tick_ms(), history_.last_tick.value(),
      header.seed(), counted(history_.packets, "packet"), counted(history_.events, "event"),
      history_.packets_lost == 0
          ? ""
          : fmt::format(", {} lost by faults", counted(history_.packets_lost, "packet"))));
  if (!history_.ended) line("The capture has no end: the run was cut short.");
}

// ---- what happened ----

void Story::timeline() {
  title("WHAT HAPPENED            (tick, virtual time)");
  const std::vector<TimelineLine> lines = timeline_of(history_, plan_);
  const std::size_t shown = std::min(lines.size(), kTimelineShown);
  for (std::size_t index = 0; index < shown; ++index) {
    line(fmt::format("{}  {}", at(lines[index].tick), lines[index].text));
  }
  const std::int64_t more = static_cast<std::int64_t>(lines.size() - shown) + history_.fired_beyond;
  if (more > 0) line(fmt::format("  ... and {} more", more));
}

void Story::never() {
  if (plan_ == nullptr) return;
  const std::vector<std::string> found = never_happened(history_, *plan_);
  if (found.empty()) return;
  title("NEVER HAPPENED");
  for (const std::string& text : found) line("  " + text);
}

// ---- rebalances ----

void Story::listed(std::string_view label, std::vector<std::string> words) {
  if (words.empty()) words.emplace_back("none");
  line(fmt::format("      {:<9}{}", label, wrapped(words, 15, kWidth)));
}

void Story::owners(std::string_view label, const Owners& owners) {
  std::map<std::string, std::set<TopicPartition>> by_process;
  for (const auto& [partition, process] : owners) by_process[process].insert(partition);
  std::string text;
  for (const auto& [process, partitions] : by_process) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "   ", process,
                        history_.names.list(partitions));
  }
  line(fmt::format("      {:<9}{}", label, text.empty() ? "nobody owns anything" : text));
}

void Story::generations(const Rebalance& rebalance) {
  for (const std::size_t index : rebalance.generations) {
    const GenerationFact& generation = history_.generations[index];
    std::string text = fmt::format("generation {}", generation.generation.value());
    if (!generation.assignor.empty()) text += ", " + generation.assignor;
    if (!generation.leader.empty()) text += ", led by " + generation.leader;
    text += fmt::format("; members {}", fmt::join(generation.members, " "));
    if (!generation.stable) text += "; never Stable";
    line(fmt::format("      {:<9}{}", "who", text));
    std::vector<std::string> idle;
    for (const auto& [process, partitions] : generation.assignment) {
      if (partitions.empty()) idle.push_back(process);
    }
    if (!idle.empty()) listed("idle", idle);
  }
}

void Story::pauses(const Rebalance& rebalance) {
  if (rebalance.pauses.empty()) {
    line(fmt::format("      {:<9}{}", "paused", "nothing"));
    return;
  }
  line(fmt::format("      {:<9}{}", "paused", pause_text(rebalance)));
  std::vector<std::string> words;
  for (const Pause& pause : rebalance.pauses) {
    const std::string until =
        pause.until ? std::to_string(pause.until->value()) : std::string("the end");
    words.push_back(fmt::format("{} {}-{} ({})", history_.names.short_name(pause.partition),
                                pause.from.value(), until, pause.why));
    if (&pause != &rebalance.pauses.back()) words.back() += ",";
  }
  line(fmt::format("      {:<9}{}", "", wrapped(words, 15, kWidth)));
}

std::string Story::pause_text(const Rebalance& rebalance) const {
  const std::int64_t ticks = pause_ticks(rebalance, history_.last_tick);
  return fmt::format("{} ({} ms) over {}", counted(ticks, "partition-tick"),
                     ticks * history_.header.tick_ms(),
                     counted(static_cast<std::int64_t>(rebalance.pauses.size()), "partition"));
}

void Story::starts(const Rebalance& rebalance) {
  const std::vector<std::string> lines = lines_of(hand_overs_.of(rebalance), history_.names);
  if (lines.empty()) return;
  line("      FROM WHERE");
  for (const std::string& text : lines) {
    std::vector<std::string> words;
    for (const std::string_view word : split(text, ' ')) words.emplace_back(word);
    line("               " + wrapped(words, 17, kWidth));
  }
}

// Without a number: it led to nothing that has members.
void Story::emptied(const Rebalance& rebalance) {
  line(fmt::format("  -   tick {}: the group is Empty: nobody owns anything now",
                   rebalance.settled->tick.value()));
  why(rebalance);
  owners("before", rebalance.before);
  pauses(rebalance);
}

void Story::rebalance(const Rebalance& rebalance, std::size_t number) {
  const std::int64_t tick_ms = history_.header.tick_ms();
  if (rebalance.settled) {
    const std::int64_t ticks = (rebalance.settled->tick - rebalance.begun.tick).value();
    line(fmt::format("  #{:<3}ticks {} to {}: {} ({} ms)", number, rebalance.begun.tick.value(),
                     rebalance.settled->tick.value(), counted(ticks, "tick"), ticks * tick_ms));
  } else {
    line(fmt::format("  -   from tick {} on: not finished when the run ended",
                     rebalance.begun.tick.value()));
  }
  why(rebalance);
  generations(rebalance);
  owners("before", rebalance.before);
  if (rebalance.settled) owners("after", rebalance.after);
  pauses(rebalance);
  if (explained_.empty()) starts(rebalance);
}

std::vector<std::string> words_of(const std::vector<std::string>& sentences) {
  std::vector<std::string> words;
  for (const std::string& sentence : sentences) {
    const std::string text = printable(sentence);
    for (const std::string_view word : split(text, ' ')) words.emplace_back(word);
  }
  return words;
}

// In whole sentences, or as the coordinator says it where no more is known.
void Story::why(const Rebalance& rebalance) {
  for (const why::Explanation& one : explained_) {
    if (!one.rebalance || &history_.rebalances[*one.rebalance] != &rebalance) continue;
    listed("why", words_of(one.sentences));
    return;
  }
  for (const std::string& reason : rebalance.reasons) {
    line(fmt::format("      {:<9}{}", "why", without_uuids(reason)));
  }
}

// What the rebalances do not tell already.
void Story::whys() {
  std::size_t shown = 0;
  std::size_t more = 0;
  for (const why::Explanation& one : explained_) {
    if (one.rebalance) continue;
    if (shown == 0) title("WHY");
    if (++shown > kWhysShown) {
      ++more;
      continue;
    }
    line(fmt::format("{:>6}  {}", one.when.tick.value(),
                     wrapped(words_of(one.sentences), 8, kWidth)));
  }
  if (more > 0) line(fmt::format("  ... and {} more", more));
}

// Numbers and sums are those of the expectations `rebalances`, `paused` and `pause.ticks`.
void Story::rebalances() {
  for (const std::string& group : history_.groups()) {
    title(fmt::format("REBALANCES of group {}", group));
    const std::vector<const Rebalance*> counted_ones = settled_rebalances(history_, group);
    const std::set<const Rebalance*> settled(counted_ones.begin(), counted_ones.end());
    std::size_t number = 0;
    std::size_t shown = 0;
    Rebalance sum;
    for (const Rebalance& one : history_.rebalances) {
      if (one.group != group) continue;
      const bool counts = settled.contains(&one);
      if (counts) ++number;
      if (++shown <= kRebalancesShown) {
        one.settled && !counts ? emptied(one) : rebalance(one, number);
      }
      if (counts) sum.pauses.insert(sum.pauses.end(), one.pauses.begin(), one.pauses.end());
    }
    if (shown > kRebalancesShown) line(fmt::format("  ... and {} more", shown - kRebalancesShown));
    line(fmt::format("  in all {}: paused {}",
                     counted(static_cast<std::int64_t>(number), "rebalance"), pause_text(sum)));
  }
}

// ---- records ----

std::vector<std::string> shortened(std::vector<std::string> names) {
  if (names.size() <= kRecordsShown) return names;
  const std::size_t more = names.size() - kRecordsShown;
  names.resize(kRecordsShown);
  names.push_back(fmt::format("... and {} more", more));
  return names;
}

void Story::delivery(const Delivery& delivery) {
  line(fmt::format(
      "  group {}: {} of the sources, {}", delivery.group, counted(delivery.records, "record"),
      delivery.by_invoices ? "judged by their invoices" : "judged by what was processed"));
  listed("once", {std::to_string(delivery.once)});
  std::vector<std::string> names;
  for (const auto& [name, times] : delivery.duplicates) names.push_back(name);
  sort_records(names);
  for (std::string& name : names) {
    const std::int64_t times = delivery.duplicates.at(name);
    if (times > 2) name += fmt::format("({}x)", times);
  }
  listed("twice", shortened(std::move(names)));
  listed("lost", shortened(delivery.lost));
  listed("pending", shortened(delivery.pending));
  committed(delivery.group);
}

void Story::committed(const std::string& group) {
  std::vector<std::string> words;
  for (const auto& [partition, offset] : history_.committed(group)) {
    words.push_back(fmt::format("{}={}", history_.names.short_name(partition), offset.value()));
  }
  listed("commits", std::move(words));
}

void Story::records() {
  const std::vector<Delivery> found = deliveries(history_);
  if (found.empty()) return;
  title("RECORDS");
  for (const Delivery& one : found) delivery(one);
  std::vector<std::string> doubled;
  for (const auto& [name, fact] : history_.records) {
    if (fact.appended.size() > 1) doubled.push_back(name);
  }
  if (doubled.empty()) return;
  sort_records(doubled);
  line(fmt::format("  written twice by their source: {}",
                   fmt::join(shortened(std::move(doubled)), " ")));
}

void Story::readers() {
  if (history_.reads.empty()) return;
  title("READERS without a group");
  for (const auto& [reader, reads] : history_.reads) {
    std::vector<std::string> again = reads.again.names();
    line(fmt::format("  {}: saw {}, {} different", reader, counted(reads.count, "record"),
                     reads.different.size()));
    sort_records(again);
    if (!again.empty()) listed("twice", shortened(std::move(again)));
  }
}

std::string error_text(const ErrorKey& key) {
  return key.error == "NONE" || key.error.empty() ? "(no request sent)" : key.error;
}

void Story::errors() {
  std::vector<ErrorRow> errors;
  std::vector<ErrorRow> protocol;
  for (const auto& [key, fact] : history_.errors) {
    (is_protocol(key) ? protocol : errors).emplace_back(key, fact);
  }
  title("ERRORS");
  if (errors.empty()) line("  none");
  error_rows(std::move(errors));
  if (protocol.empty()) return;
  line("  part of the protocol:");
  error_rows(std::move(protocol));
}

void Story::error_rows(std::vector<ErrorRow> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const ErrorRow& left, const ErrorRow& right) {
    return left.second.first < right.second.first;
  });
  std::size_t process_width = 0;
  std::size_t name_width = 0;
  std::size_t exception_width = 0;
  for (const auto& [key, fact] : rows) {
    process_width = std::max(process_width, key.process.size());
    name_width = std::max(name_width, error_text(key).size());
    exception_width = std::max(exception_width, key.exception.size());
  }
  for (const auto& [key, fact] : rows) {
    const std::string where = key.api.empty() ? "reported by the client" : key.api + " refused";
    line(fmt::format("  {:<{}}  {:<{}}  {:<{}}  {}, {}{}", key.process, process_width,
                     error_text(key), name_width, key.exception, exception_width, where,
                     how_often(fact.count, {fact.first.tick, fact.last.tick}),
                     fact.detail.empty() ? "" : ": " + fact.detail));
  }
}

// ---- verdicts ----

void Story::verdicts(std::string_view heading, const std::vector<Verdict>& verdicts) {
  if (verdicts.empty()) return;
  title(heading);
  for (const Verdict& verdict : verdicts) {
    const bool valid = verdict.outcome == Verdict::Outcome::kValid;
    const std::string detail = valid || verdict.detail.empty() ? "" : "   " + verdict.detail;
    line(fmt::format("  {:<8} {}{}", to_string(verdict.outcome), verdict.subject, detail));
    for (const std::string& finding : verdict.details) line("           " + finding);
  }
}

}  // namespace

bool is_protocol(const ErrorKey& key) {
  return (key.api == "JoinGroup" && key.error == "MEMBER_ID_REQUIRED") ||
         (key.api == "Heartbeat" && key.error == "REBALANCE_IN_PROGRESS");
}

std::vector<Verdict> check_all(const History& history) {
  std::vector<Verdict> verdicts = {check_groups(history), check_offsets(history),
                                   check_delivery(history)};
  if (!history.probes.empty()) verdicts.push_back(check_probes(history));
  return verdicts;
}

std::string tell_story(const History& history, const std::string& about, const Judgement& judgement,
                       const wire::Plan* plan) {
  // Names, values and reasons may hold anything.
  const std::string text = Story(history, plan).tell(about, judgement);
  std::string safe;
  for (const std::string_view line : split(text, '\n')) safe += printable(line) + "\n";
  return safe;
}

}  // namespace fencepost::lab
