#include "tests/processes/process_world.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <spdlog/fmt/fmt.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
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
  if (testing::Test::HasFailure()) {
    fmt::print(stderr, "kept for inspection: {} (journal.yaml, plan.bin, logs)\n", path_.string());
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string RunDirectory::text_of(const std::string& file) const {
  std::ifstream stream(path_ / file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string RunDirectory::log_of(const std::string& process) const {
  return text_of("logs/" + process + ".log");
}

namespace {

using Deadline = std::chrono::steady_clock::time_point;
constexpr std::chrono::seconds kPatience{30};

// False if nothing has come until then.
bool readable(int descriptor, Deadline deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  pollfd waiting{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, static_cast<int>(std::max(left.count(), std::int64_t{0}))) > 0;
}

}  // namespace

bool RunDirectory::eventually(const std::function<bool()>& holds) const {
  constexpr std::uint32_t kChanges = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE;
  const Deadline deadline = std::chrono::steady_clock::now() + kPatience;
  const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  bool held = false;
  do {
    // The logs' folder comes with the run: watched anew each time, which costs nothing.
    inotify_add_watch(watch, path_.c_str(), kChanges);
    inotify_add_watch(watch, (path_ / "logs").c_str(), kChanges);
    char news[4096];
    while (read(watch, news, sizeof news) > 0) continue;
    held = holds();
  } while (!held && readable(watch, deadline));
  close(watch);
  return held;
}

BackgroundResult result_of(const RunDirectory& directory) {
  BackgroundResult result;
  std::istringstream text(directory.text_of("result"));
  text >> result.supplies >> std::ws;
  std::getline(text, result.failure);
  return result;
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

wire::Plan shop_plan(std::int64_t until) {
  wire::Plan plan = billing_plan(until);
  plan.set_name("shop");
  wire::Property& topics = *plan.mutable_processes(0)->mutable_properties(0);
  topics.set_value("orders:3,payments:3,invoices:1");
  plan.mutable_processes(1)->mutable_properties(1)->set_value("orders:2000");
  add_process(plan, "P2", "producer",
              {{"bootstrap.servers", "B1:19092"}, {"app.records", "payments:2000"}});
  wire::ProcessSpec member = plan.processes(2);
  for (wire::Property& property : *member.mutable_properties()) {
    if (property.name() == "app.subscribe") property.set_value("orders,payments");
  }
  for (const int place : {2, 3})
    *plan.mutable_processes(place)->mutable_properties() = member.properties();
  member.set_name("C3");
  *plan.add_processes() = member;
  add_process(plan, "A1", "consumer",
              {{"bootstrap.servers", "B1:19092"},
               {"app.assign", "invoices"},
               {"auto.offset.reset", "earliest"}});
  add_process(plan, "M1", "consumer",
              {{"bootstrap.servers", "B1:19092"},
               {"group.id", "mailing"},
               {"app.subscribe", "invoices"},
               {"session.timeout.ms", "6000"},
               {"heartbeat.interval.ms", "1000"},
               {"auto.offset.reset", "earliest"}});
  for (const std::string name : {"P2", "C3", "A1", "M1"}) {
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
  std::istringstream text(directory.text_of("clock.address"));
  std::string address;
  text >> address;
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

bool everybody_gone(const RunDirectory& directory) {
  const Deadline deadline = std::chrono::steady_clock::now() + kPatience;
  for (std::vector<pid_t> left = processes_of(directory); !left.empty();
       left = processes_of(directory)) {
    const int process = static_cast<int>(syscall(SYS_pidfd_open, left.front(), 0));
    if (process < 0) continue;  // gone meanwhile
    const bool ended = readable(process, deadline);
    close(process);
    if (!ended) return false;
  }
  return true;
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
    std::ofstream(options.out + "/result") << result.supplies << '\n'
                                           << result.failure.value_or("") << '\n';
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
