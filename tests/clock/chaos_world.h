// The physical world around the clock, as a seeded simulation: processes that take their time,
// bytes that are lost with their sender, kills and stops at any moment. It hosts the same ClockCore
// as the real clock does, and keeps what a run leaves: capture and journal.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clock/core/clock_core.h"
#include "common/random.h"
#include "tests/clock/toy_node.h"

namespace fencepost::test {

// A rule of the tick protocol that the world leaves out, to show that the rule is needed.
enum class Omit { kNothing, kExit, kHold, kStorage, kNeed };

struct Leaves {
  std::string capture;  // every record, serialized and framed
  std::vector<wire::Decision> journal;
  std::optional<std::string> failure;  // of the run, or "hang"
  int kills = 0;                       // by hand
  int kills_in_step = 0;
  int held = 0;  // steps held by a freeze
  int supplies = 0;
};

class ChaosWorld {
 public:
  // With `faults`, hands of fate kill, stop, continue, terminate and start processes.
  ChaosWorld(wire::Plan plan, std::uint64_t seed, bool faults, Omit omit = Omit::kNothing);
  Leaves run();

 private:
  // What an operating system knows about a process.
  struct Process {
    std::string name;
    std::optional<clock::ParticipantId> id;  // welcomed
    bool alive = true;
    bool stopped = false;
    std::unique_ptr<Node> node;
    std::deque<wire::Grant> grants;  // bytes from the clock, not yet read
    std::map<std::pair<std::string, std::uint64_t>, wire::Frame> cache;  // frames from peers
    std::optional<StepResult> stepped;  // ran, and is writing its results
    std::size_t frames_written = 0;
    bool rows_written = false;
    bool needed = false;  // has asked for what it lacks
    bool exits = false;
    std::deque<wire::ClockMessage> to_clock;  // bytes on their way to the clock
    bool eof_read = false;
  };
  using Row = std::pair<Tick, wire::StoredRow>;

  bool act_once();
  bool work(Process& process);
  bool begin_step(Process& process);
  void write_something(Process& process);
  void send_frame(const wire::Frame& frame);
  bool read_at_clock(Process& process);
  void handle(clock::Effect& effect);
  void welcome(const clock::WelcomeTo& effect);
  void perform(const wire::Act& act);
  void disturb();
  void spawn(const std::string& name);
  void kill(Process& process);
  void drain();
  Process* living(const std::string& name);
  std::uint64_t draw(std::uint64_t bound) { return random_.below(bound); }

  wire::Plan plan_;
  Random random_;
  bool faults_;
  Omit omit_;
  Leaves leaves_;
  clock::ClockCore core_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::map<std::string, std::vector<Row>> disks_;
  bool finished_ = false;
};

}  // namespace fencepost::test
