// A child process of the runner: started so that it cannot outlive the runner, in a session of its
// own so that a person's Ctrl-C does not reach it, with its output in a file of its own.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace fencepost::lab {

struct ChildCommand {
  std::string program;                 // a path
  std::vector<std::string> arguments;  // without the program
  std::string log_file;                // gets standard error, and output unless `output_fd` is set
  std::optional<int> output_fd;        // gets standard output
};

// Starts it: own session, SIGKILL when the thread that called this ends, no open files but its
// standard ones, default signals. Call from the main thread. Throws std::runtime_error naming the
// program or the log file if that fails.
pid_t start_child(const ChildCommand& command);

// What has become of a child since the last question.
struct ChildChange {
  enum class Kind { kStopped, kContinued, kExited };
  Kind kind;
  int status = 0;  // kExited: its exit code, or the number of the signal
  bool by_signal = false;
  std::string detail;  // "exit code 2", "killed by signal 9"
};

// Does not block. After kExited the pid is no longer ours.
std::optional<ChildChange> next_change(pid_t child);

}  // namespace fencepost::lab
