#include "tests/wireshark/tshark.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "lab/partition_names.h"

namespace fencepost::test {
namespace {

namespace fs = std::filesystem;

constexpr char kEscape = '\x1b';

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string without_root_warning(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("Running as user \"root\"")) out += line + "\n";
  }
  return out;
}

}  // namespace

bool is_installed(const std::string& program) {
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return false;
  for (const std::string_view folder : lab::split(path, ':')) {
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

Printed print(const std::string& program, const std::vector<std::string>& arguments,
              const fs::path& scratch) {
  const std::string out = scratch / "printed.out";
  const std::string err = scratch / "printed.err";
  constexpr int kMode = 0600;
  posix_spawn_file_actions_t files{};
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   kMode);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   kMode);
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  Printed printed;
  if (posix_spawnp(&pid, program.c_str(), &files, nullptr, argv.data(), environ) == 0) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    printed.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  posix_spawn_file_actions_destroy(&files);
  printed.output = contents_of(out);
  printed.errors = without_root_warning(contents_of(err));
  return printed;
}

Tshark::Tshark(fs::path file, fs::path scratch, std::vector<std::string> options)
    : file_(std::move(file)), scratch_(std::move(scratch)), options_(std::move(options)) {}

std::string Tshark::text(const std::vector<std::string>& arguments) const {
  const fs::path script = fs::path(FENCEPOST_SOURCE_DIR) / "docs/wireshark/fencepost.lua";
  std::vector<std::string> words = {"-n", "-X", "lua_script:" + script.string(), "-r",
                                    file_.string()};
  words.insert(words.end(), options_.begin(), options_.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Printed printed = print("tshark", words, scratch_);
  EXPECT_EQ(printed.exit_code, 0) << printed.errors;
  EXPECT_EQ(printed.errors, "");
  return printed.output;
}

std::vector<Tshark::Row> Tshark::rows(const std::string& filter,
                                      const std::vector<std::string>& fields) const {
  std::vector<std::string> words = {
      "-Y", filter,         "-T", "fields",
      "-E", "separator=/t", "-E", std::string("aggregator=") + kEscape};
  for (const std::string& field : fields) {
    words.emplace_back("-e");
    words.push_back(field);
  }
  std::vector<Row> rows;
  std::istringstream lines(text(words));
  for (std::string line; std::getline(lines, line);) {
    Row& row = rows.emplace_back();
    std::istringstream cells(line);
    for (const std::string& field : fields) std::getline(cells, row[field], '\t');
  }
  return rows;
}

std::vector<std::string> Tshark::values(const std::string& filter, const std::string& field) const {
  std::vector<std::string> values;
  for (Row& row : rows(filter, {field})) values.push_back(std::move(row[field]));
  return values;
}

std::size_t Tshark::count(const std::string& filter) const {
  return rows(filter, {"frame.number"}).size();
}

void Tshark::expect_sound() const {
  EXPECT_EQ(
      text({"-Y",
            "_ws.malformed || _ws.lua.error || fencepost.malformed || fencepost.unknown || "
            "_ws.expert.severity == \"Error\" || tcp.analysis.flags || "
            "ip.checksum.status == 0 || tcp.checksum.status == 0 || udp.checksum.status == 0"}),
      "");
}

}  // namespace fencepost::test
