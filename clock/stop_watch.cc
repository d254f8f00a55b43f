#include "clock/stop_watch.h"

#include "common/host/pid_space.h"

namespace fencepost::clock {

StopWatch::StopWatch(std::optional<std::chrono::milliseconds> grace)
    : grace_(grace), own_pid_space_(own_pid_space()) {}

void StopWatch::watch(const ParticipantId& who, const wire::Hello& hello) {
  const bool is_of_this_host = !own_pid_space_.empty() && hello.pid_space() == own_pid_space_;
  if (!is_of_this_host && !grace_) return;
  Watched& watched = watched_[who];
  if (is_of_this_host) watched.pid = hello.pid();
}

void StopWatch::forget(const ParticipantId& who) { watched_.erase(who); }

void StopWatch::on_grant(const ParticipantId& who, Instant now) {
  const auto found = watched_.find(who);
  if (found != watched_.end() && !found->second.pid) found->second.granted = now;
}

bool StopWatch::on_word(const ParticipantId& who) {
  const auto found = watched_.find(who);
  if (found == watched_.end() || found->second.pid) return false;
  found->second.granted.reset();
  return std::exchange(found->second.stopped, false);
}

std::vector<StopWatch::Finding> StopWatch::look(Instant now) {
  std::vector<Finding> findings;
  for (auto& [who, watched] : watched_) {
    const bool stopped = watched.pid ? is_stopped(*watched.pid)
                                     : watched.stopped || (watched.granted && grace_ &&
                                                           now - *watched.granted >= *grace_);
    if (stopped == watched.stopped) continue;
    watched.stopped = stopped;
    findings.push_back({.who = who, .stopped = stopped});
  }
  return findings;
}

}  // namespace fencepost::clock
