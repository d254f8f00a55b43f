// A small language for tests over real processes: plans of a few lines, run directories that
// vanish, and questions to the operating system about who is left.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/runner.h"
#include "proto/capture.pb.h"
#include "proto/plan.pb.h"

namespace fencepost::test {

// A run directory of its own, removed at the end, unless its test has failed: then it stays, and is
// named.
class RunDirectory {
 public:
  RunDirectory();
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  std::string path() const { return path_; }
  std::string text_of(const std::string& file) const;    // empty if there is none
  std::string log_of(const std::string& process) const;  // its text

  // Asks again whenever a file of the run has changed, until it holds; false after 30 seconds
  // without an answer. For what the run writes down.
  bool eventually(const std::function<bool()>& holds) const;

 private:
  std::filesystem::path path_;
};

using Setting = std::pair<std::string, std::string>;

// What tests want to know of a run that another process has run; in its file `result`.
struct BackgroundResult {
  std::uint64_t supplies = 0;
  std::string failure;  // empty: none
};
BackgroundResult result_of(const RunDirectory& directory);

// B1, a source P1 of `records` per partition of orders(3), and consumers C1 and C2 of group
// billing, all started in tick 0; ends at `until`.
wire::Plan billing_plan(std::int64_t until);
// The same with eight processes: P2 writes payments, C3 is a third member, A1 reads the invoices
// without a group and M1 is a group of its own.
wire::Plan shop_plan(std::int64_t until);
void add_process(wire::Plan& plan, const std::string& name, const std::string& role,
                 std::initializer_list<Setting> settings);
// At a tick, or when a process reports an event for the first time.
void add_action(wire::Plan& plan, std::int64_t at, wire::Action::Kind kind,
                const std::string& process);
void add_action_when(wire::Plan& plan, const std::string& reporter, const std::string& event,
                     wire::Action::Kind kind, const std::string& process);

lab::RunOptions options_for(const RunDirectory& directory);
lab::RunResult run(const wire::Plan& plan, const RunDirectory& directory);
std::vector<wire::CaptureRecord> capture_of(const RunDirectory& directory);
int count_events(const std::vector<wire::CaptureRecord>& capture, const std::string& process,
                 const std::string& event);
// "JOIN B1", "KILL C2", ... in order.
std::vector<std::string> lives_of(const std::vector<wire::CaptureRecord>& capture);

// Processes whose command line names this run directory.
std::vector<pid_t> processes_of(const RunDirectory& directory);
// The pid of one of them by its --name; nothing if it is not there.
std::optional<pid_t> pid_of(const RunDirectory& directory, const std::string& name);
// Waits until none of them is left; false after 30 seconds.
bool everybody_gone(const RunDirectory& directory);
// Asks again until it holds; false after ten seconds. The last resort: for what neither a file nor
// the end of a process tells.
bool eventually(const std::function<bool()>& holds);

// Runs the plan in a process of its own, so that this one can be killed, and leaves its result.
pid_t run_in_background(const wire::Plan& plan, const lab::RunOptions& options);
// What a command prints, both streams, and its exit code.
struct CommandResult {
  int exit_code = -1;
  std::string output;
};
CommandResult run_command(const std::string& command);

}  // namespace fencepost::test
