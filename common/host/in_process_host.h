// All nodes and the clock's logic in one process, without sockets (DESIGN 2): for tests, and for
// searching through thousands of runs a second. Gives the same capture as the process host.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/core/clock_core.h"
#include "common/host/row_memory.h"
#include "common/node.h"

namespace fencepost {

// How to make a node of each role ("broker", "consumer", ...).
using NodeFactories = std::map<std::string, std::function<std::unique_ptr<Node>(NodeContext)>>;

struct InProcessResult {
  std::string reason;  // why the run ended
  bool disturbed = false;
  std::optional<std::string> failure;  // present: the run is void
  Tick last_tick{0};
};

class InProcessHost {
 public:
  using JournalSink = std::function<void(const wire::Decision&)>;

  // The sinks take capture and journal as they are decided; the journal's may be empty.
  InProcessHost(wire::Plan plan, NodeFactories factories, clock::CaptureSink capture,
                JournalSink journal = {});
  ~InProcessHost();

  // Runs to the end, or to the next boundary once `stop` says so: the journal has that end. Throws
  // ConfigError where a process's properties are unusable.
  InProcessResult run(const std::function<bool()>& stop = {});

  // A node that is there and not stopped, as the run has left it; null if there is none.
  Node* node(const std::string& name);

 private:
  void perform(const wire::Act& act);
  void start(const wire::Act& act);
  void welcome(const clock::WelcomeTo& effect);
  void step(clock::GrantTo& effect);
  void handle(clock::Effect& effect);

  wire::Plan plan_;
  NodeFactories factories_;
  JournalSink journal_;
  clock::ClockCore core_;
  std::map<std::string, wire::ProcessSpec> starting_;  // said Hello, not yet welcomed
  std::map<std::string, std::unique_ptr<Node>> nodes_;
  std::map<std::string, RowMemory> stored_;  // by name, over incarnations
  std::optional<clock::Finished> finished_;
};

// The properties of a process, checked. Throws ConfigError.
Properties properties_of(const wire::ProcessSpec& spec);

}  // namespace fencepost
