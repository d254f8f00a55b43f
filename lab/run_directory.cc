#include "lab/run_directory.h"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/properties.h"
#include "lab/journal_file.h"
#include "lab/node_reader.h"

namespace fencepost::lab {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, std::string_view what) {
  throw std::runtime_error(fmt::format("{}: {}", path.string(), what));
}

}  // namespace

// The kernel's lock on the directory itself: it ends with the process, however that ends.
class RunDirectory::Lock {
 public:
  Lock() = default;
  ~Lock() { release(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // Throws std::runtime_error if somebody else has it.
  void take(const fs::path& path) {
    release();
    fd_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd_ < 0) fail(path, "cannot be opened");
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0 || !is_of(path)) {
      release();
      fail(path,
           "another run is using this directory; end it, or choose another --out (or --name of "
           "`up`)");
    }
  }
  void release() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  // Another run may have renamed it between the two calls.
  bool is_of(const fs::path& path) const {
    struct stat locked {};
    struct stat named {};
    return ::fstat(fd_, &locked) == 0 && ::stat(path.c_str(), &named) == 0 &&
           locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
  }

  int fd_ = -1;  // as the system calls have it
};

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << bytes;
  out.flush();
  if (!out) fail(path, "cannot be written");
}

void require_run(const fs::path& path) {
  constexpr std::size_t kShown = 12;
  std::error_code error;
  if (fs::exists(path, error)) return;
  const fs::path plain = path.has_filename() ? path : path.parent_path();
  const fs::path folder = plain.has_parent_path() ? plain.parent_path() : fs::path("runs");
  std::vector<std::string> runs;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (fs::exists(entry.path() / "capture.bin", error)) runs.push_back(entry.path().filename());
  }
  std::ranges::sort(runs);
  std::string message = "there is no run directory " + path.string();
  if (const auto near = nearest(plain.filename().string(), views(runs))) {
    message += fmt::format("; did you mean \"{}\"?", (folder / *near).string());
  } else if (runs.empty()) {
    message += fmt::format(", and no run in {}", fs::absolute(folder).string());
  } else {
    const bool many = runs.size() > kShown;
    if (many) runs.resize(kShown);
    message += fmt::format("; in {} there are: {}{}", folder.string(), fmt::join(runs, ", "),
                           many ? ", ..." : "");
  }
  throw std::runtime_error(message);
}

void require_not_of_run(const fs::path& out, const fs::path& source) {
  std::error_code none;
  const auto refuse_if = [&out, &none](const fs::path& file) {
    const fs::path there = fs::weakly_canonical(file, none);
    const bool by_name = !there.empty() && fs::weakly_canonical(out, none) == there;
    if (!by_name && !fs::equivalent(out, file, none)) return;
    fail(out, "belongs to the run itself: name another file");
  };
  const fs::path beside = fs::is_directory(source, none) ? source : source.parent_path();
  refuse_if(source);
  for (const fs::path& folder : {beside, out.parent_path()}) {
    const RunDirectory run(folder);
    if (!fs::exists(run.capture(), none)) continue;
    for (const fs::path& file : run.of_the_run()) {
      refuse_if(file);
      if (!fs::is_directory(file, none)) continue;
      for (const auto& inner : fs::directory_iterator(file, none)) refuse_if(inner.path());
    }
  }
}

RunDirectory::RunDirectory(fs::path path)
    : path_(std::move(path)), lock_(std::make_shared<Lock>()) {}

// ---- before a run ----

void RunDirectory::prepare() const {
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_)) {
    fail(path_, "is a file, not a directory");
  }
  make();
  if (!holds_run()) {
    if (fs::is_empty(path_)) return;
    fail(path_, "holds something that is not a run; choose another --out");
  }
  if (is_disturbed()) return set_aside();
  remove_run();
}

void RunDirectory::make() const {
  std::error_code error;
  fs::create_directories(path_, error);
  if (!fs::is_directory(path_)) fail(path_, "cannot be made: " + error.message());
  lock_->take(path_);
}

bool RunDirectory::holds_run() const {
  return fs::exists(capture()) || fs::exists(journal()) || fs::exists(plan());
}

// By a person; a replay can be had again from what it repeats. A journal that cannot be read has
// been in somebody's hands too.
bool RunDirectory::is_disturbed() const {
  if (!fs::exists(journal())) return false;
  try {
    if (fs::exists(plan()) && read_plan().replay()) return false;
    const JournalFile file = load_journal(journal().string());
    return std::ranges::any_of(file.decisions, [](const wire::Decision& decision) {
      return decision.kind() != wire::Decision::END;
    });
  } catch (const std::runtime_error&) {
    return true;
  }
}

void RunDirectory::set_aside() const {
  fs::path name = path_;
  if (!name.has_filename()) name = name.parent_path();  // "runs/NAME/"
  const auto numbered = [&name](int number) {
    return fs::path(fmt::format("{}.{}", name.string(), number));
  };
  int number = 1;
  while (fs::exists(fs::symlink_status(numbered(number)))) ++number;
  std::error_code error;
  fs::rename(path_, numbered(number), error);
  if (error) fail(path_, "cannot be renamed: " + error.message());
  fmt::print(stderr, "{}: holds a run that was disturbed by hand; kept as {}\n", name.string(),
             numbered(number).string());
  make();
}

// What a run leaves, whether it is there or not; included.txt comes last, since it names others.
std::vector<fs::path> RunDirectory::of_the_run() const {
  std::vector<fs::path> left = {capture(),  journal(),      packets(),
                                plan(),     summary(),      path_ / "clock.address",
                                scenario(), path_ / "logs", path_ / "data"};
  std::ifstream names(included());
  for (std::string name; std::getline(names, name);) {
    const fs::path file(name);
    if (file == file.filename() && fs::is_regular_file(path_ / file)) left.push_back(path_ / file);
  }
  left.push_back(included());
  return left;
}

void RunDirectory::remove_run() const {
  std::vector<fs::path> left = of_the_run();
  for (const char* view : {kReportFile, kDiagramFile, kTraceFile}) left.push_back(path_ / view);
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    const bool compares = entry.path().filename().string().starts_with(kReportAgainst);
    if (compares && entry.path().extension() == ".html") left.push_back(entry.path());
  }
  for (const fs::path& path : left) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) fail(path, "cannot be removed: " + error.message());
  }
}

// ---- what a run was made from ----

void RunDirectory::keep(const Scenario& scenario) const {
  write_file(plan(), scenario.plan.SerializeAsString());
  std::string names;
  for (const SourceFile& file : scenario.files) {
    const bool first = &file == &scenario.files.front();
    if (!first) names += file.name + "\n";
    write_file(first ? this->scenario() : path_ / file.name, file.text);
  }
  if (!names.empty()) write_file(included(), names);
}

wire::Plan RunDirectory::read_plan() const {
  std::ifstream in(plan(), std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  wire::Plan plan;
  if (!in || !plan.ParseFromString(bytes.str())) {
    fail(path_, "is not the directory of a run (no usable plan.bin)");
  }
  return plan;
}

}  // namespace fencepost::lab
