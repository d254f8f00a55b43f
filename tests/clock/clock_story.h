// A small language for tests of the clock's core: processes act, ticks open, and what the clock
// decided is read back as short lines ("3 KILL C", "3 step A", "2 A>B arrives 3").
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clock/core/clock_core.h"

namespace fencepost::test {

class ClockStory {
 public:
  explicit ClockStory(wire::Plan plan = {});

  // Newcomers from outside; they become active in the tick that open() opens.
  ClockStory& hello(const std::string& name);
  ClockStory& open(std::int64_t paced = -1);
  // Ends the step that `name` owes: what it sends ("B" for a request, "B:7" for the answer to its
  // request 7), what it reports, and when it wakes.
  struct Did {
    std::vector<std::string> sends{};
    std::string event{};
    std::optional<std::int64_t> wake{};
    std::optional<int> exit{};
  };
  bool done(const std::string& name, const Did& did);
  bool done(const std::string& name) { return done(name, Did{}); }
  ClockStory& gone(const std::string& name);
  ClockStory& stopped(const std::string& name);
  ClockStory& continued(const std::string& name);
  ClockStory& closing(const std::string& name);
  // A process that was to start has been killed before it said Hello.
  ClockStory& lost(const std::string& name);
  // Lets everyone who owes a step finish it with nothing to tell, until no tick is open.
  ClockStory& quiet();

  // Who was granted what since the last call, e.g. "A@3", "A@3 CLOSE", "A@3 <B.1", "A@3 <gone B".
  std::vector<std::string> grants();
  // What the core asked the host to do since the last call, e.g. "START C".
  std::vector<std::string> acts();
  // Who was turned away since the last call.
  std::vector<std::string> turned_away() { return std::exchange(turned_away_, {}); }
  // Takes note of what the core has done since; the calls above do so themselves.
  void catch_up() { drain(); }
  // The journal's lines so far, e.g. "3 KILL C", "3 FREEZE C holding".
  const std::vector<std::string>& journal() const { return journal_; }
  // The capture's lines so far, without receptions.
  const std::vector<std::string>& capture() const { return capture_; }
  bool captured(const std::string& line) const;
  clock::ClockCore& core() { return *core_; }
  std::optional<clock::Finished> finished() const { return finished_; }

 private:
  struct Life {
    clock::ParticipantId id;
    std::uint64_t sequence = 0;
    std::int32_t correlation = 0;
    std::int64_t owes = -1;
  };
  void drain();
  void note(const wire::CaptureRecord& record);
  wire::Frame frame_to(Life& life, const std::string& to);

  std::int64_t tick_ = 0;
  std::unique_ptr<clock::ClockCore> core_;
  std::map<std::string, Life> lives_;
  std::vector<std::string> grants_;
  std::vector<std::string> acts_;
  std::vector<std::string> turned_away_;
  std::vector<std::string> journal_;
  std::vector<std::string> capture_;
  std::optional<clock::Finished> finished_;
};

}  // namespace fencepost::test
