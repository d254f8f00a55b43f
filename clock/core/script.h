// The scenario's timeline as the clock runs it: rules at a tick, breakpoints on events and packets,
// and the end of the run. It observes what accepted steps emit, and says which rules fire.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/ids.h"
#include "proto/plan.pb.h"

namespace fencepost::clock {

class Script {
 public:
  explicit Script(const wire::Plan& plan);

  void observe_event(const std::string& process, const wire::Event& event);
  void observe_packet(const wire::Frame& frame);

  // The next tick in which a rule acts, given that ticks before `earliest` are closed.
  std::optional<Tick> next_due(Tick earliest) const;
  // The rules that act in tick `label`, in file order.
  std::vector<int> due(Tick label) const;
  // The same; each is taken once.
  std::vector<int> take_due(Tick label);

  // The event that ends the run has been observed.
  bool until_observed() const { return until_observed_; }
  // The last tick of the run.
  std::optional<Tick> last_tick() const { return last_tick_; }

 private:
  struct Breakpoint {
    const wire::Match* match;
    std::int64_t seen = 0;
  };
  template <class Matches>
  void observe(const Matches& matches);

  std::set<std::pair<Tick, int>> timeline_;             // rules at a tick: not yet acted
  std::vector<std::optional<Breakpoint>> breakpoints_;  // by rule
  std::vector<bool> every_;
  std::set<int> fired_;  // breakpoints that act in the next tick
  std::optional<Breakpoint> until_;
  bool until_observed_ = false;
  std::optional<Tick> last_tick_;
};

// Whether an event or a packet agrees with every field of a match but `nth`.
bool matches_event(const wire::Match& match, const std::string& process, const wire::Event& event);
bool matches_packet(const wire::Match& match, const wire::Frame& frame);

// The codes in a response that are not NONE, in the order of its fields.
std::vector<std::int32_t> error_codes(const wire::Frame& frame);

}  // namespace fencepost::clock
