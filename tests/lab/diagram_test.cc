// Diagrams: what the sequence diagram draws and counts, and that the trace of every demo keeps the
// rules of its format. The real Mermaid reads the former in tests/browser.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "lab/diagram/mermaid_text.h"
#include "lab/diagram/sequence.h"
#include "lab/diagram/trace.h"
#include "lab/diagram/trace_lines.h"
#include "lab/history.h"
#include "lab/run_scenario.h"
#include "lab/scenario.h"
#include "tests/lab/run_builder.h"
#include "tests/lab/trace_rules.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {
namespace fs = std::filesystem;
using testing::TestWithParam;

const fs::path kScenarios = fs::path(FENCEPOST_SOURCE_DIR) / "scenarios";

std::vector<std::string> lines_with(const std::string& text, std::string_view part) {
  std::vector<std::string> found;
  for (const std::string_view line : split(text, '\n')) {
    if (line.find(part) != std::string_view::npos) found.emplace_back(line);
  }
  return found;
}

std::size_t messages_in(const std::string& diagram) { return lines_with(diagram, ": t=").size(); }

// A demo's run, in this process.
class DemoRun {
 public:
  explicit DemoRun(const std::string& name) : directory_(scratch_.path() / "run") {
    directory_.prepare();
    LoadedScenario loaded = load_scenario((kScenarios / (name + ".yaml")).string());
    if (!loaded.scenario) throw std::runtime_error(name + " is no scenario");
    plan_ = loaded.scenario->plan;
    run_plan(plan_, {.world = World::kInProcess}, directory_);
    index_ = std::make_unique<RunIndex>(directory_.capture().string(), &plan_);
  }
  std::string sequence(const SequenceOptions& options) const {
    return sequence_diagram(*index_, &plan_, options);
  }
  std::string trace() const { return trace_of(*index_, directory_.capture().string()); }
  const RunIndex& index() const { return *index_; }
  History history() const { return read_history(directory_.capture().string()); }

 private:
  test::Scratch scratch_;
  RunDirectory directory_;
  wire::Plan plan_;
  std::unique_ptr<RunIndex> index_;
};

// ---- text ----

TEST(MermaidText, WritesWhatMeansSomethingAsEntities) {
  EXPECT_EQ(mermaid_text("group=billing", 99), "group=billing");
  EXPECT_EQ(mermaid_text("a;b#c", 99), "a#59;b#35;c");
  EXPECT_EQ(mermaid_text("x: y:z", 99), "x: y#58;z");
  EXPECT_EQ(mermaid_text("<b>\"&\"", 99), "#60;b#62;#34;#38;#34;");
  EXPECT_EQ(mermaid_text("%%{init}%%", 99), "#37;#37;#123;init#125;#37;#37;");
  EXPECT_EQ(mermaid_text("\uFB02\u00B0\u00B0\u00B6\u00DF", 99), "#64258;#176;#176;#182;#223;");
}

TEST(MermaidText, LeavesNoLineAndNoWordThatEndsABlock) {
  EXPECT_EQ(mermaid_text("a\nb\r", 99), "a#92;x0ab#92;x0d");
  EXPECT_EQ(mermaid_text("end", 99), "#101;nd");
  EXPECT_EQ(mermaid_text("the END.", 99), "the #69;ND.");
  EXPECT_EQ(mermaid_text("send ending", 99), "send ending");
}

TEST(MermaidText, IsCutBeforeItIsMadeHarmless) {
  EXPECT_EQ(mermaid_text(";;;;", 2), "#59;#59;...");
}

// ---- sequence diagrams ----

TEST(SequenceDiagram, CountsHeartbeatsThatSucceedInNotes) {
  const DemoRun run("demos/07b-zombie-sigstop");
  const std::string folded = run.sequence({.limit = 0});
  EXPECT_EQ(lines_with(folded, "Heartbeat Response  error=").size(),
            lines_with(folded, "Heartbeat Response").size());
  EXPECT_FALSE(lines_with(folded, " heartbeats (C1 ").empty());
  EXPECT_EQ(messages_in(run.sequence({.limit = 0, .all = true})), run.index().packet_count());
}

TEST(SequenceDiagram, TellsStopsEvictionsAndWhoOwnsWhat) {
  const std::string text = DemoRun("demos/07b-zombie-sigstop").sequence({.limit = 0});
  for (const char* line :
       {"  participant C2 as C2<br/>consumer", "  Note over C2: tick 56: is stopped (SIGSTOP)",
        "  Note over B1: tick 62: C2 is removed from group billing<br/>session of member C2 "
        "expired",
        "  Note over C2: tick 67: has lost o2 p2",
        "  Note over C1: tick 67: is assigned o0 o1 o2 p0 p1 p2"}) {
    EXPECT_EQ(lines_with(text, line).size(), 1u) << line;
  }
}

TEST(SequenceDiagram, ColoursEachRebalanceOnce) {
  const DemoRun run("demos/02-range-eager");
  const std::string text = run.sequence({.limit = 0});
  EXPECT_EQ(lines_with(text, "  rect ").size(), run.history().rebalances.size());
  EXPECT_EQ(lines_with(text, "  rect ").size(),
            static_cast<std::size_t>(std::ranges::count(split(text, '\n'), "  end")));
}

TEST(SequenceDiagram, OfAPartBeginsInsideARebalance) {
  const std::string text =
      DemoRun("demos/07b-zombie-sigstop").sequence({.from = Tick(64), .to = Tick(64), .limit = 0});
  EXPECT_EQ(lines_with(text, "group billing rebalances").size(), 1u);
  EXPECT_EQ(lines_with(text, ": t=64 ").size(), messages_in(text));
  EXPECT_GT(messages_in(text), 0u);
}

TEST(SequenceDiagram, SaysWhatItLeavesOut) {
  const DemoRun run("demos/07b-zombie-sigstop");
  const std::string text = run.sequence({.limit = 50});
  EXPECT_EQ(messages_in(text), 50u);
  const std::size_t drawn = messages_in(run.sequence({.limit = 0}));
  EXPECT_EQ(lines_with(text, fmt::format("50 messages are drawn. {} more ", drawn - 50)).size(),
            1u);
  EXPECT_EQ(lines_with(text, "--limit 0 shows them").size(), 1u);
  const std::string whole = run.sequence({.limit = 0});
  EXPECT_EQ(run.sequence({.limit = messages_in(whole)}), whole);
}

TEST(SequenceDiagram, OfSomeApisAndProcessesHasNoOthers) {
  const DemoRun run("demos/02-range-eager");
  const std::string joins = run.sequence({.only = {"JoinGroup"}, .limit = 0});
  EXPECT_EQ(messages_in(joins), lines_with(joins, " JoinGroup Re").size());
  const std::string text = run.sequence({.hosts = {"C2"}, .limit = 0});
  EXPECT_GT(messages_in(text), 0u);
  EXPECT_TRUE(lines_with(text, "  C1->>").empty());
  EXPECT_TRUE(lines_with(text, "Note over C1").empty());
}

TEST(SequenceDiagram, CrossesOutWhatIsLost) {
  const DemoRun run("situations/R14-broker-restart");
  std::size_t lost = 0;
  for (EntryId id = 0; id < run.index().entries().size(); ++id) {
    const wire::CaptureRecord record = run.index().read(id);
    if (record.has_packet() && record.packet().fate() != wire::Packet::ARRIVES) ++lost;
  }
  const std::string text = run.sequence({.limit = 0});
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(lines_with(text, "-x").size(), lost);
}

TEST(SequenceDiagram, NamesProcessesWithoutTrippingOverTheirNames) {
  const test::Scratch scratch;
  const std::string file = (scratch.path() / "capture.bin").string();
  RunBuilder()
      .joins("B1", "broker")
      .joins("end", "consumer")
      .joins("x;y -> z", "consumer")
      .fetches("x;y -> z", "orders-0", 0)
      .killed("end")
      .ends()
      .write(file);
  const std::string text = sequence_diagram(RunIndex(file), nullptr, {.all = true});
  EXPECT_EQ(lines_with(text, " as #101;nd<br/>consumer").size(), 1u);
  EXPECT_EQ(lines_with(text, " as x#59;y -#62; z<br/>consumer").size(), 1u);
  EXPECT_EQ(messages_in(text), 3u);
}

// ---- traces ----

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const std::string folder : {"demos", "situations"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(kScenarios / folder)) {
      const std::string name = entry.path().stem().string();
      if (name != "setting") names.push_back(folder + "/" + name);
    }
  }
  std::ranges::sort(names);
  return names;
}

class TraceOfRun : public TestWithParam<std::string> {};

TEST_P(TraceOfRun, KeepsTheRulesOfItsFormat) {
  const DemoRun run(GetParam());
  const std::string text = run.trace();
  const TraceFacts facts = read_trace(text);
  EXPECT_EQ(facts.broken, std::vector<std::string>{});
  std::size_t received = 0;
  for (const IndexEntry& entry : run.index().entries()) {
    if (entry.received) ++received;
  }
  EXPECT_EQ(facts.arrows, received);
  const History history = run.history();
  const auto long_ones = std::ranges::count_if(history.rebalances, [](const Rebalance& one) {
    return !one.settled || one.settled->tick > one.begun.tick;
  });
  EXPECT_EQ(facts.spans_named("rebalance "), static_cast<std::size_t>(long_ones));
  EXPECT_EQ(run.trace(), text);
}

INSTANTIATE_TEST_SUITE_P(All, TraceOfRun, testing::ValuesIn(scenario_names()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '/'; }, '_');
                           return name;
                         });

TEST(Trace, HasAGapWhereAProcessIsStopped) {
  const TraceFacts facts = read_trace(DemoRun("demos/07b-zombie-sigstop").trace());
  for (const char* track : {"C2 consumer/life", "C2 consumer/batches"}) {
    for (const TraceFacts::Span& span : facts.spans_on(track)) {
      EXPECT_TRUE(span.to_us <= 56'000'000 || span.from_us >= 63'000'000) << track;
    }
  }
  EXPECT_EQ(facts.spans_on("C2 consumer/life").size(), 2u);
}

TEST(Trace, ShowsWhoOwnsAPartitionAndItsPauses) {
  const TraceFacts facts = read_trace(DemoRun("demos/07b-zombie-sigstop").trace());
  const auto told = [&](const std::string& track) {
    std::string text;
    for (const TraceFacts::Span& span : facts.spans_on("group billing/" + track)) {
      text += fmt::format("{} {}-{};", span.name, span.from_us / 1'000'000, span.to_us / 1'000'000);
    }
    return text;
  };
  EXPECT_EQ(told("p2"), "C2 8-62;C1 67-78;C2 82-121;");
  EXPECT_EQ(told("p2 former owner"), "C2 (no member any more) 62-67;");
  EXPECT_EQ(told("p2 pauses"), "paused: removed 62-69;paused: revoked 78-84;");
}

TEST(Trace, CountsWhatIsNotCommitted) {
  const DemoRun run("demos/04-commit-after-crash-k2");
  const TraceFacts facts = read_trace(run.trace());
  const std::vector<std::int64_t>& lags = facts.counters.at("group billing/lag p2");
  EXPECT_EQ(lags.front(), 0);
  EXPECT_EQ(*std::ranges::max_element(lags), 3);
  EXPECT_EQ(lags.back(), 0);
}

TEST(Trace, SharesATickAmongItsPackets) {
  RunBuilder builder;
  builder.joins("B1", "broker").joins("C1", "consumer").at(1);
  for (int count = 0; count < 50; ++count) builder.fetches("C1", "orders-0", count);
  builder.ends();
  const test::Scratch scratch;
  const std::string file = (scratch.path() / "capture.bin").string();
  builder.write(file);
  const TraceFacts facts = read_trace(trace_of(RunIndex(file), file));
  EXPECT_EQ(facts.broken, std::vector<std::string>{});
  EXPECT_EQ(facts.spans_on("C1 consumer/packets").size(), 51u);
}

// ---- the rules themselves ----

TEST(TraceRules, FindWhatIsBroken) {
  const auto broken = [](const std::string& events) {
    return read_trace("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[" + events + "]}")
        .broken.size();
  };
  const std::string begin = R"({"name":"a","ph":"B","pid":1,"tid":1,"ts":5})";
  const std::string end = R"({"name":"a","ph":"E","pid":1,"tid":1,"ts":7})";
  const std::string early = R"({"name":"a","ph":"E","pid":1,"tid":1,"ts":4})";
  const std::string start = R"({"name":"x","cat":"c","ph":"s","id":1,"pid":1,"tid":1,"ts":5})";
  const std::string finish =
      R"({"name":"x","cat":"c","ph":"f","bp":"e","id":1,"pid":1,"tid":1,"ts":6})";
  EXPECT_EQ(broken(begin + "," + end), 0u);
  EXPECT_EQ(broken(begin + "," + start + "," + finish + "," + end), 0u);
  EXPECT_GT(broken(begin), 0u);
  EXPECT_GT(broken(end), 0u);
  EXPECT_GT(broken(begin + "," + early), 0u);
  EXPECT_GT(broken(begin + "," + start + "," + end), 0u);
  EXPECT_GT(broken(begin + "," + finish + "," + end), 0u);
  EXPECT_GT(broken(start + "," + finish), 0u) << "no span around them";
}

TEST(TraceLines, HoldAnyText) {
  TraceLines out;
  out.name_process(1, "a\"b\\\n");
  out.name_track({1, 1}, "</script>");
  out.span({1, 1}, 0, 1, std::string("\xff\x00\x1b", 3), {{"key", "\""}});
  const TraceFacts facts = read_trace(out.written({}));
  EXPECT_EQ(facts.broken, std::vector<std::string>{});
  ASSERT_EQ(facts.spans.size(), 1u);
  EXPECT_EQ(facts.spans.front().name, "\\xff\\x00\\x1b");
}

}  // namespace
}  // namespace fencepost::lab
