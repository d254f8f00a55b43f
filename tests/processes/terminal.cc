#include "tests/processes/terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

namespace fencepost::test {
namespace {

constexpr int kPatienceMs = 30'000;

std::string program() { return std::string(FENCEPOST_BINARIES) + "/fencepost"; }

[[noreturn]] void become(const std::string& directory, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  if (chdir(directory.c_str()) != 0) _exit(127);
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  execv(pointers[0], pointers.data());
  _exit(127);
}

}  // namespace

Terminal::Terminal(const RunDirectory& directory, const std::vector<std::string>& arguments) {
  pid_ = forkpty(&master_, nullptr, nullptr, nullptr);
  if (pid_ == 0) become(directory.path(), arguments);
}

Terminal::~Terminal() {
  if (!waited_) {
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close();
}

bool Terminal::read_more(int patience_ms) {
  pollfd question{.fd = master_, .events = POLLIN, .revents = 0};
  if (poll(&question, 1, patience_ms) <= 0) return false;
  char buffer[4096];
  const ssize_t bytes = ::read(master_, buffer, sizeof buffer);
  if (bytes <= 0) return false;  // EIO: nobody has the other end open
  screen_.append(buffer, static_cast<std::size_t>(bytes));
  return true;
}

bool Terminal::shows(const std::string& text) {
  for (;;) {
    const std::size_t found = screen_.find(text, seen_);
    if (found != std::string::npos) {
      seen_ = found + text.size();
      return true;
    }
    if (!read_more(kPatienceMs)) return false;
  }
}

void Terminal::type(const std::string& keys) {
  while (::write(master_, keys.data(), keys.size()) < 0 && errno == EINTR) {
  }
}

void Terminal::close() {
  if (master_ >= 0) ::close(std::exchange(master_, -1));
}

int Terminal::wait() {
  while (master_ >= 0 && read_more(kPatienceMs)) {
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  waited_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

CommandResult at_another_terminal(const RunDirectory& directory, const std::string& words) {
  return run_command("cd " + directory.path() + " && " + program() + " " + words);
}

pid_t pid_by_ps(const RunDirectory& directory, const std::string& name,
                const std::string& cluster) {
  const CommandResult table =
      at_another_terminal(directory, cluster.empty() ? "ps" : "ps --name " + cluster);
  std::istringstream lines(table.output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string process;
    words >> process;
    if (process != name) continue;
    for (std::string word; words >> word;) {
      const bool is_pid = word.size() > 1 && word.find_first_not_of("0123456789") == word.npos;
      if (is_pid) return std::stoi(word);
    }
  }
  return 0;
}

bool nobody_works_in(const RunDirectory& directory) {
  return eventually([&] {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::error_code ignored;
      const auto place = std::filesystem::read_symlink(entry.path() / "cwd", ignored);
      if (place == directory.path()) return false;
    }
    return true;
  });
}

}  // namespace fencepost::test
