// runs/NAME/: what a run leaves (docs/capture.md).
#pragma once

#include <filesystem>
#include <string>

#include "lab/scenario.h"

namespace fencepost::lab {

class RunDirectory {
 public:
  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  // Makes an empty directory. What an earlier run left there is removed; a directory that holds
  // anything else is left alone and throws std::runtime_error, as does one that cannot be made.
  void prepare() const;
  // Keeps what the run was made from: the scenario with what it includes, and its plan.
  void keep(const Scenario& scenario) const;

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
  std::filesystem::path path_;
};

// Throws std::runtime_error naming the file.
void write_file(const std::filesystem::path& path, const std::string& bytes);

}  // namespace fencepost::lab
