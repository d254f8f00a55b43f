#include "lab/children.h"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "lab/unexpected_end.h"

namespace fencepost::lab {
namespace {

// After a SIGKILL, so it does not take long.
void reap(pid_t pid) {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

Children::~Children() {
  for (const auto& [pid, child] : children_) ::kill(pid, SIGKILL);
  for (const auto& [pid, child] : children_) reap(pid);
}

pid_t Children::start(const std::string& name, const ChildCommand& command) {
  const pid_t pid = start_child(command);
  children_[pid] = {.name = name, .log_file = command.log_file};
  return pid;
}

void Children::signal(pid_t pid, Child& child, int number) {
  child.sent.insert(number);
  ::kill(pid, number);
}

void Children::signal(const std::string& name, int number) {
  for (auto& [pid, child] : children_) {
    if (child.name == name) signal(pid, child, number);
  }
}

void Children::kill_all() {
  for (auto& [pid, child] : children_) signal(pid, child, SIGKILL);
}

void Children::kill_stopped() {
  for (auto& [pid, child] : children_) {
    if (child.stopped) signal(pid, child, SIGKILL);
  }
}

std::vector<Children::News> Children::look() {
  std::vector<News> all;
  std::set<pid_t> gone;
  for (auto& [pid, child] : children_) {
    while (const std::optional<ChildChange> change = next_change(pid)) {
      all.push_back(note(pid, child, *change));
      if (change->kind != ChildChange::Kind::kExited) continue;
      gone.insert(pid);
      break;
    }
  }
  for (const pid_t pid : gone) children_.erase(pid);
  return all;
}

Children::News Children::note(pid_t pid, Child& child, const ChildChange& change) {
  News news{.pid = pid, .name = child.name, .change = change, .unexpected = std::nullopt};
  child.stopped = change.kind == ChildChange::Kind::kStopped;
  if (change.kind == ChildChange::Kind::kExited) {
    news.unexpected = unexpected_end(child.name, change, child.sent, child.log_file);
  }
  return news;
}

}  // namespace fencepost::lab
