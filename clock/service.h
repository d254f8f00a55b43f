// The clock as a process: hosts ClockCore (clock/core), turns what happens at its connections into
// facts, and does what the core asks: grants, supplies, the capture, the journal, acts of the
// runner. What people say to it: clock/commands.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clock/commands.h"
#include "clock/core/clock_core.h"
#include "clock/operators.h"
#include "clock/pacing.h"
#include "clock/sessions.h"
#include "clock/stop_watch.h"
#include "common/capture_file.h"
#include "common/host/doorway.h"
#include "common/host/process_log.h"
#include "proto/plan.pb.h"

namespace fencepost::clock {

struct ServiceOptions {
  std::string out_directory;            // gets capture.bin and journal.yaml
  std::chrono::milliseconds a_tick{0};  // 0: as fast as it can
  // A run that waits for somebody so long, in one tick and without any fact, is aborted; 0: never.
  std::chrono::seconds watchdog{60};
  // Whoever owes a step for so long, and cannot be looked at, counts as stopped; absent: nobody.
  std::optional<std::chrono::milliseconds> grace{};
  // Whether a `pause` of the scenario waits for a person.
  bool stop_at_breakpoints = false;
};

class ClockService : private SessionEvents {
 public:
  // Throws std::runtime_error if a file cannot be written.
  ClockService(wire::Plan plan, ServiceOptions options, ProcessLog& log);

  // Throws std::runtime_error. Returns the address.
  std::string listen(const std::string& address);
  // Runs until the run has ended. False if it is void.
  bool run();

 private:
  std::string on_hello(const wire::Hello& hello) override;
  void on_hello_withdrawn(const std::string& name) override;
  bool on_message(const ParticipantId& from, wire::ClockMessage& message) override;
  void on_gone(const ParticipantId& who) override;
  void on_runner() override;
  void on_observed(const wire::Observed& observed) override;
  void on_runner_gone() override;
  void on_farewell() override;

  std::string on_stranger(const std::shared_ptr<FrameStream>& stream, std::string_view bytes);
  void on_exit(const wire::Observed& observed);
  Commands::Hands hands();
  void fact();  // something was told to the core: do what follows from it
  bool may_open();
  void open_later(Tick due);
  void apply_effects();
  void apply(WelcomeTo& effect);
  void apply(GrantTo& effect);
  void apply(SupplyTo& effect);
  void apply(Perform& effect);
  void apply(TurnAway& effect);
  void apply(AppendJournal& effect);
  void apply(PausePacing& effect);
  void apply(Finished& effect);
  void ask_runner(const wire::Act& act);
  bool signal_stranger(const wire::Act& act);
  bool breaks_before(Tick due);
  void look_after();  // the watchdog and the progress for the runner
  void look_for_stops();
  void take_findings();
  void wait_for_signal();
  void write_journal(const std::string& text);
  wire::Status status() const;
  wire::Status full_status() const;

  const wire::Plan plan_;
  ServiceOptions options_;
  ProcessLog& log_;
  asio::io_context context_{1};
  CaptureWriter capture_;
  std::string journal_path_;
  std::ofstream journal_;
  ClockCore core_;
  Doorway doorway_;
  Sessions sessions_;
  Operators operators_;
  Pacing pacing_;
  Commands commands_;
  StopWatch stop_watch_;
  asio::signal_set signals_;
  asio::steady_timer pace_timer_;
  asio::steady_timer care_timer_;
  asio::steady_timer stops_timer_;
  bool begun_ = false;  // the first tick has been opened
  bool more_posted_ = false;
  bool looking_ = false;                   // for stops
  std::optional<Tick> passed_breakpoint_;  // a person has gone on from there

  using Child = std::pair<std::string, std::int64_t>;  // name and pid
  std::set<Child> children_;                           // of the runner
  std::set<Child> stopped_;                            // of them, as it has seen
  std::set<Child> welcomed_;
  std::vector<wire::Act> acts_;  // for a runner that has not come yet

  std::uint64_t facts_ = 0;
  std::uint64_t facts_seen_ = 0;  // by the watchdog
  std::chrono::milliseconds quiet_{0};
  Tick told_tick_{-1};  // to the runner
  std::uint64_t supplies_ = 0;
  bool interrupted_ = false;
  std::optional<Finished> finished_;
};

}  // namespace fencepost::clock
