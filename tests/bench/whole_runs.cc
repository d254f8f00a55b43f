#include "tests/bench/whole_runs.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace fencepost::bench {
namespace {
namespace fs = std::filesystem;

// The value of a line such as "VmHWM:   12345 kB"; empty if the process is gone.
std::string status_of(const fs::path& process, const std::string& key) {
  std::ifstream status(process / "status");
  std::string line;
  while (std::getline(status, line)) {
    if (!line.starts_with(key + ":")) continue;
    const std::size_t begin = line.find_first_not_of(" \t", key.size() + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

void look_at_memory(const fs::path& process, WholeRun& run) {
  const std::string peak = status_of(process, "VmHWM");
  if (peak.empty()) return;
  std::int64_t& known = run.peak_kib[status_of(process, "Name")];
  known = std::max(known, static_cast<std::int64_t>(std::stoll(peak)));
}

// The command itself, and the processes that it has started.
void look_at_family(pid_t command, WholeRun& run) {
  look_at_memory(fs::path("/proc") / std::to_string(command), run);
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (status_of(entry.path(), "PPid") == std::to_string(command)) look_at_memory(entry, run);
  }
}

pid_t start(const std::string& fencepost, const std::vector<std::string>& arguments) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child > 0) return child;
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  std::vector<char*> argv{const_cast<char*>(fencepost.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

WholeRun run_command(const std::string& fencepost, const std::vector<std::string>& arguments) {
  constexpr useconds_t kLook = 20'000;
  WholeRun run;
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = start(fencepost, arguments);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    look_at_family(child, run);
    usleep(kLook);
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("fencepost " + arguments.front() + " has failed");
  }
  return run;
}

}  // namespace fencepost::bench
