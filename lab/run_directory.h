// runs/NAME/: what a run leaves (docs/capture.md).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lab/scenario.h"

namespace fencepost::lab {

// What commands leave beside a run if they are not told otherwise; it goes when the run goes.
inline constexpr const char* kReportFile = "report.html";
inline constexpr const char* kReportAgainst = "report-vs-";  // the other run's name, ".html"
inline constexpr const char* kDiagramFile = "diagram.mmd";
inline constexpr const char* kTraceFile = "trace.json";

class RunDirectory {
 public:
  explicit RunDirectory(std::filesystem::path path);

  // Makes the directory ready for a run, which has it for itself until this object, with its
  // copies, is gone. What an earlier run left there is removed, and nothing else is touched; but
  // one that was disturbed by hand cannot be had again: it is renamed to NAME.1, NAME.2, ..., which
  // is said on standard error. Throws std::runtime_error if another run is using the directory, if
  // it holds what is not a run, or if it cannot be made.
  void prepare() const;
  // Keeps what the run was made from: the scenario with what it includes, and its plan.
  void keep(const Scenario& scenario) const;

  // The files and folders that a run leaves here, whether they are there or not.
  std::vector<std::filesystem::path> of_the_run() const;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path capture() const { return path_ / "capture.bin"; }
  std::filesystem::path journal() const { return path_ / "journal.yaml"; }
  std::filesystem::path packets() const { return path_ / "packets.log"; }
  std::filesystem::path plan() const { return path_ / "plan.bin"; }
  std::filesystem::path summary() const { return path_ / "summary.txt"; }
  std::filesystem::path scenario() const { return path_ / "scenario.yaml"; }

  // The plan that keep() wrote. Throws std::runtime_error if this is not the directory of a run.
  wire::Plan read_plan() const;

 private:
  class Lock;

  bool holds_run() const;
  bool is_disturbed() const;
  void set_aside() const;
  void remove_run() const;
  void make() const;
  std::filesystem::path included() const { return path_ / "included.txt"; }

  std::filesystem::path path_;
  std::shared_ptr<Lock> lock_;  // shared with copies
};

// Throws std::runtime_error, with the runs beside it, if there is nothing of that name.
void require_run(const std::filesystem::path& path);

// Throws std::runtime_error if `out` is a file that a run left, by whatever name or link: of the
// run `source` (a directory, or a capture), or of the directory that `out` is in. What commands
// make of a run must not take its place.
void require_not_of_run(const std::filesystem::path& out, const std::filesystem::path& source);

// Throws std::runtime_error naming the file.
void write_file(const std::filesystem::path& path, const std::string& bytes);

}  // namespace fencepost::lab
