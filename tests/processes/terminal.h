// A person's terminal with a command in it, and what that person does at another one.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/processes/process_world.h"

namespace fencepost::test {

// `fencepost` with these arguments in a pseudo-terminal of its own; works in `directory`.
class Terminal {
 public:
  Terminal(const RunDirectory& directory, const std::vector<std::string>& arguments);
  ~Terminal();  // ends what is still there
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Reads on until the text has been shown, behind what earlier calls have found; false after 30 s
  // without it.
  bool shows(const std::string& text);
  void type(const std::string& keys);
  void close();  // the window is gone
  // Reads to the end. The exit code; -1 if a signal ended it.
  int wait();
  pid_t pid() const { return pid_; }
  const std::string& screen() const { return screen_; }

 private:
  bool read_more(int patience_ms);

  pid_t pid_ = -1;
  int master_ = -1;
  bool waited_ = false;
  std::string screen_;
  std::size_t seen_ = 0;
};

// `fencepost WORDS` at another terminal, in the same directory.
CommandResult at_another_terminal(const RunDirectory& directory, const std::string& words);

// The process id that `fencepost ps` shows for a name; 0 if it shows none.
pid_t pid_by_ps(const RunDirectory& directory, const std::string& name,
                const std::string& cluster = "");

// Waits until no process works in this directory; false after a while.
bool nobody_works_in(const RunDirectory& directory);

}  // namespace fencepost::test
