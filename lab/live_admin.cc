// An administrator for a cluster that is up.
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/events.h"
#include "lab/admin_frames.h"
#include "lab/admin_session.h"
#include "lab/capture_feed.h"
#include "lab/child_process.h"
#include "lab/clock_client.h"
#include "lab/interruption.h"
#include "lab/runner.h"

namespace fencepost::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookInterval{50};
constexpr std::chrono::seconds kAskInterval{1};
constexpr std::chrono::seconds kGrace{2};  // for the process to end when it is told to
constexpr int kVirtualPort = 19092;        // as scenarios have it

// A name that nobody has had in this run: its frames are those of this command alone.
std::string free_name(const wire::Status& status) {
  for (int number = 1;; ++number) {
    const std::string name = fmt::format("admin-{}", number);
    const bool used = std::ranges::any_of(status.processes(), [&](const auto& process) {
      return process.name() == name && process.incarnation() > 0;
    });
    if (!used) return name;
  }
}

std::string brokers_of(const wire::Status& status) {
  std::vector<std::string> servers;
  for (const wire::ProcessStatus& process : status.processes()) {
    if (process.role() != "broker") continue;
    servers.push_back(fmt::format("{}:{}", process.name(), kVirtualPort));
  }
  if (servers.empty()) throw ClockError("the cluster has no broker");
  return fmt::format("{}", fmt::join(servers, ","));
}

std::string last_line_of(const std::string& path) {
  std::ifstream in(path);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) last = std::move(line);
  }
  return last;
}

// What the child says on standard error; gone with this object.
class LogFile {
 public:
  LogFile() {
    const int fd = ::mkstemp(path_.data());
    if (fd < 0) throw std::runtime_error("cannot make the log file " + path_);
    ::close(fd);
  }
  ~LogFile() { ::unlink(path_.c_str()); }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "fencepost-admin-XXXXXX").string();
};

class LiveAdmin {
 public:
  LiveAdmin(const Cluster& cluster, const PropertyList& properties)
      : cluster_(cluster), name_(free_name(cluster.status)), frames_(name_, session_.facts) {
    start(properties);
  }
  ~LiveAdmin() { end_child(); }
  LiveAdmin(const LiveAdmin&) = delete;
  LiveAdmin& operator=(const LiveAdmin&) = delete;

  AdminSession run();

 private:
  void start(const PropertyList& properties);
  void take(Tick tick, const wire::CaptureRecord& record);
  void look_at_child();
  void say_if_paused();
  void end_child();

  const Cluster& cluster_;
  std::string name_;
  AdminSession session_;
  AdminFrames frames_;
  GroupStates states_;
  CaptureFeed feed_;
  LogFile log_;
  std::string step_of_;  // whose step the capture is at
  std::optional<pid_t> child_;
  bool ended_ = false;  // its life in the run, or the run
  bool told_ = false;   // that the clock is paused
  Clock::time_point asked_{};
};

void LiveAdmin::start(const PropertyList& properties) {
  ChildCommand command;
  command.program = directory_of_binaries() + "/admin";
  command.arguments = {"--name", name_, "--clock", cluster_.address};
  const auto add = [&](const std::string& name, const std::string& value) {
    command.arguments.insert(command.arguments.end(), {"-X", name + "=" + value});
  };
  add("bootstrap.servers", brokers_of(cluster_.status));
  for (const auto& [name, value] : properties) add(name, value);
  command.log_file = log_.path();
  child_ = start_child(command);
}

void LiveAdmin::take(Tick tick, const wire::CaptureRecord& record) {
  states_.add(tick, record);
  if (record.has_step()) step_of_ = record.step().process();
  if (record.has_packet()) frames_.add(record.packet().frame());
  if (record.has_occurrence() && step_of_ == name_) {
    const wire::Event& event = record.occurrence().event();
    if (event.name() == events::kClientError) session_.error = event;
  }
  if (!record.has_lifecycle() || record.lifecycle().process() != name_) return;
  const wire::Lifecycle& life = record.lifecycle();
  if (life.kind() != wire::Lifecycle::EXIT && life.kind() != wire::Lifecycle::KILL) return;
  ended_ = true;
  session_.tick = tick;
  session_.done = life.kind() == wire::Lifecycle::EXIT && life.exit_code() == 0;
  if (life.kind() == wire::Lifecycle::KILL) session_.problem = name_ + " was killed";
}

// It may end before it has joined; what it says then is all that is known.
void LiveAdmin::look_at_child() {
  if (!child_) return;
  const std::optional<ChildChange> change = next_change(*child_);
  if (!change || change->kind != ChildChange::Kind::kExited) return;
  child_.reset();
  if (change->status == 0 && !change->by_signal) return;  // its end is in the capture
  const std::string line = last_line_of(log_.path());
  session_.problem = line.empty() ? "the process admin ended: " + change->detail : line;
}

// Virtual time must pass for an answer to come.
void LiveAdmin::say_if_paused() {
  if (told_ || Clock::now() - asked_ < kAskInterval) return;
  asked_ = Clock::now();
  const wire::Status status = ask_status(cluster_.address);
  if (!status.paused()) return;
  told_ = true;
  fmt::print(stderr,
             "fencepost: the clock is paused after tick {}: the answers come when it goes on ({} "
             "go, or step)\n",
             status.tick(), own_command());
}

AdminSession LiveAdmin::run() {
  const Interruption interruption;
  ClockClient clock(cluster_.address);
  wire::Command command;
  command.set_kind(wire::Command::WATCH);
  clock.send(command);
  wire::ClockMessage message;
  while (!ended_ && !Interruption::has_come()) {
    const auto heard = clock.receive(message, kLookInterval);
    if (heard == ClockClient::Heard::kEnd) session_.problem = "the run has ended";
    if (heard == ClockClient::Heard::kEnd) break;
    if (heard == ClockClient::Heard::kMessage) {
      if (message.has_refused()) {
        throw ClockError("the clock refuses: " + message.refused().reason());
      }
      feed_.add(message.chunk().bytes(), [this](Tick tick, const wire::CaptureRecord& record) {
        if (!ended_) take(tick, record);
      });
      continue;
    }
    look_at_child();
    if (!child_ && !session_.problem.empty()) break;
    say_if_paused();
  }
  if (Interruption::has_come()) session_.problem = "interrupted";
  end_child();
  session_.standings = states_.groups();
  return std::move(session_);
}

void LiveAdmin::end_child() {
  if (!child_) return;
  if (!ended_) ::kill(*child_, SIGTERM);
  const auto deadline = Clock::now() + kGrace;
  bool killed = false;
  while (child_) {
    const std::optional<ChildChange> change = next_change(*child_);
    if (change && change->kind == ChildChange::Kind::kExited) child_.reset();
    if (!child_) return;
    if (!killed && Clock::now() >= deadline) {
      ::kill(*child_, SIGKILL);
      killed = true;
    }
    ::usleep(static_cast<useconds_t>(kLookInterval.count()) * 100);
  }
}

}  // namespace

AdminSession ask_cluster(const Cluster& cluster, const PropertyList& properties) {
  return LiveAdmin(cluster, properties).run();
}

}  // namespace fencepost::lab
