#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "lab/commands/command.h"
#include "lab/journal_file.h"
#include "lab/report/page.h"
#include "lab/report/report_data.h"
#include "lab/run_directory.h"

namespace fencepost::lab {
namespace {
namespace fs = std::filesystem;

struct ReportArguments {
  std::string run;
  std::string other;  // empty: there is none
  std::string out;    // empty: in the first run's directory
};

// With the properties of those who joined from outside.
wire::Plan plan_of(const RunDirectory& run) {
  wire::Plan plan = run.read_plan();
  if (fs::exists(run.journal())) {
    for (const wire::Decision& decision : load_journal(run.journal().string()).decisions) {
      *plan.add_journal() = decision;
    }
  }
  return plan;
}

// A directory that was moved or cut short may lack its scenario: then nothing is expected of it.
ReportSource source_of(const std::string& path) {
  require_run(path);
  ReportSource source;
  if (fs::is_regular_file(path)) {
    source.capture = path;
    return source;
  }
  const RunDirectory run(path);
  source.capture = run.capture().string();
  if (fs::exists(run.plan())) source.plan = plan_of(run);
  if (fs::exists(run.scenario())) source.scenario = load_scenario(run.scenario().string()).scenario;
  return source;
}

// The directory of a run that is named by it, or by its capture.
fs::path directory_of(const std::string& run) {
  const fs::path whole = fs::weakly_canonical(run);
  return fs::is_directory(whole) ? whole : whole.parent_path();
}

// Two runs do not take the place of the page of the first one alone.
std::string file_name(const ReportArguments& arguments) {
  if (arguments.other.empty()) return kReportFile;
  return kReportAgainst + directory_of(arguments.other).filename().string() + ".html";
}

fs::path out_of(const ReportArguments& arguments) {
  if (!arguments.out.empty()) return arguments.out;
  const fs::path first = arguments.run;
  return (fs::is_directory(first) ? first : first.parent_path()) / file_name(arguments);
}

int write_report(const ReportArguments& arguments) {
  const fs::path out = out_of(arguments);
  require_not_of_run(out, arguments.run);
  if (!arguments.other.empty()) require_not_of_run(out, arguments.other);
  boost::json::array runs;
  runs.push_back(report_data(source_of(arguments.run)));
  if (!arguments.other.empty()) runs.push_back(report_data(source_of(arguments.other)));
  const std::string page = report_page(std::move(runs));
  if (out == "-") {
    std::cout << page;
    return kExitHolds;
  }
  write_file(out, page);
  fmt::print("{} ({} KB): open it in a browser\n", out.string(), (page.size() + 1023) / 1024);
  return kExitHolds;
}

}  // namespace

void add_report(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command =
      app.add_subcommand("report", "Write a page that shows a run, or two beside each other");
  command->add_option("DIR", arguments->run, "A run directory or a capture.bin")->required();
  command->add_option("DIR2", arguments->other, "Another one, to stand beside it in step by tick");
  command->add_option("--out", arguments->out,
                      "The page; - is standard output (default: DIR/report.html; of two runs "
                      "DIR/report-vs-DIR2.html)");
  command->footer(
      "One file that fetches nothing: every packet as an arrow, who owned which partition and "
      "when\n"
      "it was paused, offsets, members and their countdowns at each tick, and why it happened.\n"
      "In the page, ? lists the keys.\n\n"
      "Examples:\n"
      "  fencepost report runs/cooperative\n"
      "  fencepost report runs/range-eager runs/cooperative --out compared.html\n");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return write_report(*arguments); }; });
}

}  // namespace fencepost::lab
