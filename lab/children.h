// The children of a run: starts them, sends them signals, sees what becomes of them, and leaves
// none behind.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/child_process.h"

namespace fencepost::lab {

class Children {
 public:
  struct News {
    pid_t pid = 0;
    std::string name;
    ChildChange change;
    // kExited: it ended without having been told to, or not with success. One sentence.
    std::optional<std::string> unexpected;
  };

  Children() = default;
  // Kills and reaps who is left.
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  // As start_child() does it, and throws.
  pid_t start(const std::string& name, const ChildCommand& command);
  // To everybody alive of this name.
  void signal(const std::string& name, int number);
  void kill_all();
  // Who is stopped cannot hear that the run is over.
  void kill_stopped();

  // What has happened since the last question, by pid. Does not block.
  std::vector<News> look();
  bool empty() const { return children_.empty(); }

 private:
  struct Child {
    std::string name;
    std::string log_file;
    bool stopped = false;
    std::set<int> sent = {};  // the signals that it got from here
  };

  static void signal(pid_t pid, Child& child, int number);
  News note(pid_t pid, Child& child, const ChildChange& change);

  std::map<pid_t, Child> children_;
};

}  // namespace fencepost::lab
