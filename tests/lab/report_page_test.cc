// report.html: what it counts, that its data is whole, and that no text can break out of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "common/capture_file.h"
#include "lab/commands/command.h"
#include "lab/commands/run.h"
#include "lab/history.h"
#include "lab/report/columns.h"
#include "lab/report/page.h"
#include "lab/report/report_data.h"
#include "lab/run_index.h"
#include "tests/lab/run_builder.h"
#include "tests/scratch.h"

namespace fencepost::lab {
namespace {

namespace json = boost::json;

constexpr std::string_view kDataBegins =
    "<script type=\"application/json\" id=\"data\" data-coding=\"json\">";

// The directory of a demo's run.
class ReportPage : public testing::Test {
 protected:
  // Runs a demo in this process and gives what its report is made from.
  ReportSource demo(const std::string& name) {
    const std::string file = std::string(FENCEPOST_SOURCE_DIR) + "/scenarios/demos/" + name;
    ReportSource source;
    source.scenario = load_scenario(file).scenario;
    source.plan = source.scenario->plan;
    const RunDirectory directory(scratch_.path() / "run");
    directory.prepare();
    EXPECT_FALSE(run_plan(*source.plan, {.world = World::kInProcess}, directory).failure);
    source.capture = directory.capture().string();
    return source;
  }

  ReportSource built(const RunBuilder& run) {
    ReportSource source;
    source.capture = (scratch_.path() / "capture.bin").string();
    run.write(source.capture);
    return source;
  }

  std::filesystem::path scratch() const { return scratch_.path(); }

 private:
  test::Scratch scratch_;
};

std::string page_of(const ReportSource& source) {
  json::array runs;
  runs.push_back(report_data(source));
  return report_page(std::move(runs));
}

// The text of the element that holds the data.
std::string data_in(const std::string& page) {
  const std::size_t begin = page.find(kDataBegins) + kDataBegins.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

std::size_t times(const std::string& text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

std::size_t rows_in(const json::object& data, std::string_view table, std::string_view column) {
  return data.at(table).at(column).as_array().size();
}

TEST_F(ReportPage, CountsWhatTheSummaryCounts) {
  const ReportSource source = demo("04-commit-after-crash-k2.yaml");
  const json::object data = report_data(source);
  const History history = read_history(source.capture);
  EXPECT_EQ(data.at("counts").at("packets").as_int64(), history.packets);
  EXPECT_EQ(data.at("counts").at("events").as_int64(), history.events);
  EXPECT_EQ(data.at("last_tick").as_int64(), history.last_tick.value());
  EXPECT_EQ(data.at("rebalances").as_array().size(), history.rebalances.size());
  EXPECT_EQ(data.at("records").at(0).at("duplicates").as_array().size(), 2U);
  EXPECT_EQ(rows_in(data, "packets", "info"), static_cast<std::size_t>(history.packets));
}

TEST_F(ReportPage, HasAVerdictForEachExpectation) {
  const ReportSource source = demo("04-commit-after-crash-k2.yaml");
  const json::object data = report_data(source);
  const json::array& expected = data.at("verdicts").at("expected").as_array();
  EXPECT_EQ(expected.size(), source.scenario->expectations.list.size());
  for (const json::value& verdict : expected) EXPECT_EQ(verdict.at("outcome").as_string(), "valid");
}

TEST_F(ReportPage, TablesAreWholeAndCausesComeBeforeTheirEffects) {
  const ReportSource source = demo("07b-zombie-sigstop.yaml");
  const json::object data = report_data(source);
  const RunIndex index(source.capture);
  EXPECT_EQ(rows_in(data, "entries", "what"), index.entries().size());
  EXPECT_EQ(rows_in(data, "packets", "to"), index.packet_count());
  for (const auto& [name, table] : data) {
    if (!table.is_object() || !table.as_object().contains("tick")) continue;
    for (const auto& [column, values] : table.as_object()) {
      EXPECT_EQ(values.as_array().size(), rows_in(data, name, "tick")) << name << '.' << column;
    }
  }
  const json::array& distances = data.at("entries").at("cause").as_array();
  for (std::size_t entry = 0; entry < distances.size(); ++entry) {
    EXPECT_GE(distances[entry].as_int64(), 0);
    EXPECT_LE(distances[entry].as_int64(), static_cast<std::int64_t>(entry));
  }
}

TEST_F(ReportPage, TellsWhyARecordStandsTwice) {
  const json::object data = report_data(demo("04-commit-after-crash-k2.yaml"));
  EXPECT_FALSE(data.at("why").as_array().empty());
  const json::object& records = data.at("record_why").as_object();
  EXPECT_EQ(records.size(), 2U);
  ASSERT_TRUE(records.contains("p2.3"));
  EXPECT_FALSE(records.at("p2.3").as_array().empty());
}

TEST_F(ReportPage, KnowsWhenAProcessWasStopped) {
  const json::object data = report_data(demo("07b-zombie-sigstop.yaml"));
  ASSERT_EQ(data.at("stops").as_array().size(), 1U);
  const json::array& stop = data.at("stops").at(0).as_array();
  EXPECT_EQ(data.at("processes").at(stop.at(0).to_number<std::size_t>()).at("name").as_string(),
            "C2");
  EXPECT_EQ(stop.at(1).as_int64(), 56);
  EXPECT_EQ(stop.at(2).as_int64(), 63);
}

TEST_F(ReportPage, HoldsValidJsonAndFetchesNothing) {
  const std::string page = page_of(demo("03-cooperative.yaml"));
  const json::value data = json::parse(data_in(page));
  EXPECT_EQ(data.at("runs").as_array().size(), 1U);
  EXPECT_TRUE(data.at("messages").as_object().contains("JoinGroupRequest"));
  EXPECT_TRUE(data.at("messages").as_object().contains("ConsumerProtocolAssignment"));
  const std::string without_data = page.substr(0, page.find(kDataBegins));
  for (const std::string_view word : {"http:", "https:", "@import", "url(", " src="}) {
    EXPECT_EQ(times(page, word), 0U) << word;
  }
  EXPECT_EQ(times(page, "{{"), 0U);
  EXPECT_EQ(times(without_data, "<title>cooperative - Fencepost</title>"), 1U);
}

TEST_F(ReportPage, IsTheSameForTheSameCapture) {
  const ReportSource source = demo("02-range-eager.yaml");
  EXPECT_EQ(page_of(source), page_of(source));
}

TEST_F(ReportPage, ShowsTwoRuns) {
  const ReportSource source = demo("02-range-eager.yaml");
  json::array runs;
  runs.push_back(report_data(source));
  runs.push_back(report_data(source));
  const json::value data = json::parse(data_in(report_page(std::move(runs))));
  EXPECT_EQ(data.at("runs").as_array().size(), 2U);
}

// Runs `fencepost report` with these arguments.
void report(const std::string& arguments) {
  CLI::App app;
  Chosen chosen;
  add_report(app, chosen);
  app.parse("report " + arguments);
  EXPECT_EQ(chosen(), 0);
}

TEST_F(ReportPage, OfTwoRunsHasANameOfItsOwn) {
  const std::filesystem::path first = scratch() / "first";
  const std::filesystem::path second = scratch() / "second";
  for (const std::filesystem::path& run : {first, second}) {
    std::filesystem::create_directories(run);
    RunBuilder().joins("B1", "broker").ends().write((run / "capture.bin").string());
  }
  report(first.string());
  const auto alone = std::filesystem::file_size(first / "report.html");
  report(first.string() + " " + second.string() + "/");
  report(first.string() + " " + (second / "capture.bin").string());
  EXPECT_EQ(std::filesystem::file_size(first / "report.html"), alone);
  EXPECT_GT(std::filesystem::file_size(first / "report-vs-second.html"), alone);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(first), {}), 3);
}

TEST_F(ReportPage, HostileNamesDoNotBreakOut) {
  RunBuilder run;
  const std::string evil = "</script><script>alert(1)</script>";
  run.joins("B1", "broker").joins(evil, "consumer").joins("\xff<!--", "producer");
  run.at(2).prepares("Empty", "member <b> joined").forms(1, {{evil, "orders-0"}});
  run.at(3).assigned(evil, 1, "orders-0").at(4).appended("P1", "orders-0", 0, "o0.0</script>");
  run.ends();
  const std::string page = page_of(built(run));
  const std::string plain = page_of(built(RunBuilder().joins("B1", "broker").ends()));
  EXPECT_EQ(times(page, "</script"), times(plain, "</script"));
  EXPECT_EQ(times(page, "<script"), times(plain, "<script"));
  EXPECT_EQ(times(data_in(page), "<"), 0U);
  const json::value data = json::parse(data_in(page));
  const json::array& processes = data.at("runs").at(0).at("processes").as_array();
  EXPECT_TRUE(std::ranges::any_of(
      processes, [&](const json::value& one) { return one.at("name").as_string() == evil; }));
}

TEST_F(ReportPage, ATornOrMissingCaptureIsAnError) {
  ReportSource source;
  source.capture = (scratch() / "none.bin").string();
  EXPECT_THROW(report_data(source), std::runtime_error);
  source = built(RunBuilder().joins("B1", "broker").ends());
  std::filesystem::resize_file(source.capture, std::filesystem::file_size(source.capture) - 1);
  EXPECT_THROW(report_data(source), std::runtime_error);
  std::filesystem::resize_file(source.capture, 0);
  EXPECT_THROW(report_data(source), std::runtime_error);
}

TEST_F(ReportPage, ARunThatWasCutShortIsShown) {
  const json::object data = report_data(built(RunBuilder().joins("B1", "broker")));
  EXPECT_FALSE(data.at("ended").as_bool());
}

TEST(ReportColumns, BytesThatAreNoCharactersAreReplaced) {
  EXPECT_EQ(utf8("o0.0 \xc3\xa9"), "o0.0 \xc3\xa9");
  EXPECT_EQ(utf8("a\xff"), "a\xef\xbf\xbd");
  EXPECT_EQ(utf8("\xc0\x80"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(utf8("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(utf8(""), "");
}

TEST(ReportColumns, TicksAreDifferencesAndTextsStandOnce) {
  Strings strings;
  EXPECT_EQ(strings.of(""), 0);
  EXPECT_EQ(strings.of("a"), 1);
  EXPECT_EQ(strings.of("a"), 1);
  ColumnTable table({"tick", "value"});
  table.row({3, 7});
  table.row({5, 8});
  const json::object out = table.release();
  EXPECT_EQ(json::serialize(out), R"({"tick":[3,2],"value":[7,8]})");
}

}  // namespace
}  // namespace fencepost::lab
