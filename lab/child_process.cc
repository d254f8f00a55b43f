#include "lab/child_process.h"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace fencepost::lab {
namespace {

constexpr int kExitCannotExecute = 127;
constexpr int kFirstInherited = 3;  // behind the standard ones
constexpr mode_t kLogMode = 0644;

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

// A signal between fork and exec would run the parent's handler in the child.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before_);
  }
  ~AllSignalsBlocked() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Between fork and exec: only what is safe after a fork, nothing that allocates.
[[noreturn]] void become(char* const* words, int input, int output, int log, pid_t parent) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kExitCannotExecute);  // it died before the line above
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::close_range(kFirstInherited, ~0U, 0);
  reset_signals();
  ::execv(words[0], words);
  ::_exit(kExitCannotExecute);
}

}  // namespace

pid_t start_child(const ChildCommand& command) {
  if (::access(command.program.c_str(), X_OK) != 0) {
    throw std::runtime_error(
        fmt::format("cannot start {}: {}", command.program, std::strerror(errno)));
  }
  const File input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const File log(
      ::open(command.log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kLogMode));
  if (log.fd() < 0) {
    throw std::runtime_error(
        fmt::format("cannot write {}: {}", command.log_file, std::strerror(errno)));
  }
  std::vector<std::string> words = command.arguments;
  words.insert(words.begin(), command.program);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const pid_t parent = ::getpid();
  const AllSignalsBlocked blocked;
  const pid_t child = ::fork();
  if (child < 0) {
    throw std::runtime_error(
        fmt::format("cannot start {}: {}", command.program, std::strerror(errno)));
  }
  if (child == 0) {
    become(pointers.data(), input.fd(), command.output_fd.value_or(log.fd()), log.fd(), parent);
  }
  return child;
}

std::optional<ChildChange> next_change(pid_t child) {
  siginfo_t info{};
  const int status =
      ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG);
  if (status != 0 || info.si_pid == 0) return std::nullopt;
  using Kind = ChildChange::Kind;
  switch (info.si_code) {
    case CLD_STOPPED:
      return ChildChange{.kind = Kind::kStopped, .detail = "stopped"};
    case CLD_CONTINUED:
      return ChildChange{.kind = Kind::kContinued, .detail = "continued"};
    case CLD_EXITED:
      return ChildChange{.kind = Kind::kExited,
                         .status = info.si_status,
                         .detail = fmt::format("exit code {}", info.si_status)};
    default:
      return ChildChange{.kind = Kind::kExited,
                         .status = info.si_status,
                         .by_signal = true,
                         .detail = fmt::format("killed by signal {}", info.si_status)};
  }
}

}  // namespace fencepost::lab
