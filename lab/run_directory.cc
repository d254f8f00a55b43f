#include "lab/run_directory.h"

#include <spdlog/fmt/fmt.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace fencepost::lab {
namespace fs = std::filesystem;

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << bytes;
  out.flush();
  if (!out) throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
}

void RunDirectory::prepare() const {
  std::error_code error;
  if (fs::exists(path_, error)) {
    if (!fs::is_directory(path_)) {
      throw std::runtime_error(fmt::format("{}: is a file, not a directory", path_.string()));
    }
    const bool is_run = fs::exists(capture()) || fs::exists(journal()) || fs::exists(plan());
    if (!is_run && !fs::is_empty(path_)) {
      throw std::runtime_error(fmt::format(
          "{}: holds something that is not a run; choose another --out", path_.string()));
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
      fs::remove_all(entry.path(), error);
    }
  }
  fs::create_directories(path_, error);
  if (!fs::is_directory(path_)) {
    throw std::runtime_error(
        fmt::format("{}: cannot be made: {}", path_.string(), error.message()));
  }
}

void RunDirectory::keep(const Scenario& scenario) const {
  write_file(plan(), scenario.plan.SerializeAsString());
  for (const SourceFile& file : scenario.files) {
    const bool first = &file == &scenario.files.front();
    write_file(first ? this->scenario() : path_ / file.name, file.text);
  }
}

wire::Plan RunDirectory::read_plan() const {
  std::ifstream in(plan(), std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  wire::Plan plan;
  if (!in || !plan.ParseFromString(bytes.str())) {
    throw std::runtime_error(
        fmt::format("{}: is not the directory of a run (no usable plan.bin)", path_.string()));
  }
  return plan;
}

}  // namespace fencepost::lab
