#include "tests/processes/process_world.h"

#include <dirent.h>
#include <spdlog/fmt/fmt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "common/capture_file.h"

namespace fencepost::test {

RunDirectory::RunDirectory() {
  std::string pattern = std::filesystem::temp_directory_path() / "fencepost-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  path_ = pattern;
}

RunDirectory::~RunDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string RunDirectory::log_of(const std::string& process) const {
  std::ifstream file(path_ / "logs" / (process + ".log"));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void add_process(wire::Plan& plan, const std::string& name, const std::string& role,
                 std::initializer_list<Setting> settings) {
  wire::ProcessSpec& spec = *plan.add_processes();
  spec.set_name(name);
  spec.set_role(role);
  for (const auto& [key, value] : settings) {
    wire::Property& property = *spec.add_properties();
    property.set_name(key);
    property.set_value(value);
  }
}

wire::Plan billing_plan(std::int64_t until) {
  wire::Plan plan;
  plan.set_name("billing");
  plan.set_run_id("run");
  plan.mutable_until()->set_tick(until);
  add_process(plan, "B1", "broker", {{"app.topics", "orders:3,invoices:1"}});
  add_process(plan, "P1", "producer",
              {{"bootstrap.servers", "B1:19092"}, {"app.records", "orders:5"}});
  for (const std::string name : {"C1", "C2"}) {
    add_process(plan, name, "consumer",
                {{"bootstrap.servers", "B1:19092"},
                 {"group.id", "billing"},
                 {"app.subscribe", "orders"},
                 {"app.output", "invoices"},
                 {"session.timeout.ms", "6000"},
                 {"heartbeat.interval.ms", "2000"},
                 {"auto.offset.reset", "earliest"},
                 {"enable.auto.commit", "false"}});
  }
  for (const std::string name : {"B1", "P1", "C1", "C2"}) {
    add_action(plan, 0, wire::Action::START, name);
  }
  return plan;
}

void add_action(wire::Plan& plan, std::int64_t at, wire::Action::Kind kind,
                const std::string& process) {
  wire::Rule& rule = *plan.add_rules();
  rule.set_at_tick(at);
  wire::Action& action = *rule.add_actions();
  action.set_kind(kind);
  action.add_processes(process);
}

void add_action_when(wire::Plan& plan, const std::string& reporter, const std::string& event,
                     wire::Action::Kind kind, const std::string& process) {
  wire::Rule& rule = *plan.add_rules();
  rule.mutable_when()->set_process(reporter);
  rule.mutable_when()->set_event(event);
  wire::Action& action = *rule.add_actions();
  action.set_kind(kind);
  action.add_processes(process);
}

lab::RunOptions options_for(const RunDirectory& directory) {
  lab::RunOptions options;
  options.binaries = FENCEPOST_BINARIES;
  options.out = directory.path();
  options.time_limit = std::chrono::seconds(120);
  return options;
}

lab::RunResult run(const wire::Plan& plan, const RunDirectory& directory) {
  return lab::run_over_processes(plan, options_for(directory));
}

std::vector<wire::CaptureRecord> capture_of(const RunDirectory& directory) {
  CaptureReader reader(directory.path() + "/capture.bin");
  std::vector<wire::CaptureRecord> records;
  while (std::optional<wire::CaptureRecord> record = reader.next()) {
    records.push_back(std::move(*record));
  }
  return records;
}

int count_events(const std::vector<wire::CaptureRecord>& capture, const std::string& process,
                 const std::string& event) {
  int count = 0;
  std::string reporter;
  for (const wire::CaptureRecord& record : capture) {
    if (record.has_step()) reporter = record.step().process();
    if (record.has_occurrence() && record.occurrence().event().name() == event &&
        reporter == process) {
      ++count;
    }
  }
  return count;
}

std::vector<std::string> lives_of(const std::vector<wire::CaptureRecord>& capture) {
  std::vector<std::string> lives;
  for (const wire::CaptureRecord& record : capture) {
    if (!record.has_lifecycle()) continue;
    lives.push_back(wire::Lifecycle::Kind_Name(record.lifecycle().kind()) + " " +
                    record.lifecycle().process());
  }
  return lives;
}

namespace {

// The words of a command line, each ended by a NUL; empty if there is no such process (any more).
std::string command_line_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/cmdline", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<pid_t> processes_with(const std::string& part) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (command_line_of(pid).find(part) != std::string::npos) found.push_back(std::stoi(pid));
  }
  return found;
}

// Where the clock of this run listens, as its children have been told.
std::string clock_address_in(const RunDirectory& directory) {
  std::ifstream file(directory.path() + "/clock.address");
  std::string address;
  file >> address;
  return address;
}

}  // namespace

std::vector<pid_t> processes_of(const RunDirectory& directory) {
  std::vector<pid_t> found = processes_with(directory.path());
  const std::string address = clock_address_in(directory);
  if (address.empty()) return found;
  for (const pid_t pid : processes_with(address)) {
    if (std::find(found.begin(), found.end(), pid) == found.end()) found.push_back(pid);
  }
  return found;
}

std::optional<pid_t> pid_of(const RunDirectory& directory, const std::string& name) {
  for (const pid_t pid : processes_of(directory)) {
    const std::string words = command_line_of(std::to_string(pid));
    const std::string wanted = std::string("--name") + '\0' + name + '\0';
    const bool is_clock = name == "clock" && words.find("--plan") != std::string::npos;
    if (is_clock || words.find(wanted) != std::string::npos) return pid;
  }
  return std::nullopt;
}

bool eventually(const std::function<bool()>& holds) {
  constexpr int kTurns = 1000;
  for (int turn = 0; turn < kTurns; ++turn) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

pid_t run_in_background(const wire::Plan& plan, const lab::RunOptions& options) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    const lab::RunResult result = lab::run_over_processes(plan, options);
    _exit(result.failure ? 1 : 0);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    _exit(2);
  }
}

CommandResult run_command(const std::string& command) {
  CommandResult result;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  std::size_t bytes = 0;
  while ((bytes = fread(buffer, 1, sizeof buffer, pipe)) > 0) result.output.append(buffer, bytes);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

}  // namespace fencepost::test
