#include "lab/runner.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/host/address.h"
#include "common/host/frame_stream.h"
#include "common/host/process_host.h"
#include "lab/announcement.h"
#include "lab/children.h"

namespace fencepost::lab {
namespace {

constexpr std::chrono::seconds kGrace{5};  // for children to end by themselves
constexpr const char* kClock = "(clock)";  // which no process can be called

// Whoever was started with nohup wants to outlive the terminal.
bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

class Runner {
 public:
  Runner(const wire::Plan& plan, const RunOptions& options)
      : plan_(plan),
        options_(options),
        signals_(context_, SIGCHLD, SIGINT, SIGTERM),
        limit_(context_),
        grace_(context_) {
    result_.capture_path = options_.out + "/capture.bin";
    if (!is_ignored(SIGHUP)) signals_.add(SIGHUP);
  }

  RunResult run() {
    prepare_directory();
    wait_for_signal();
    connect_to_clock(start_clock());
    if (options_.on_clock) options_.on_clock(clock_address_);
    watch_time();
    context_.run();
    if (!lost_clock_)
      std::ranges::move(without_clock_, std::back_inserter(result_.unexpected_ends));
    if (failed_by_loss_) result_.failure = "lost the clock: " + clock_detail_;
    return std::move(result_);
  }

 private:
  void prepare_directory();
  std::string start_clock();
  void connect_to_clock(const std::string& address);
  void watch_time();
  void wait_for_signal();
  void interrupt(int signal);
  void on_message(std::string_view bytes);
  void on_status(const wire::Status& status);
  void on_clock_lost();
  void act(const wire::Act& act);
  void start(const wire::Act& act);
  wire::ProcessSpec spec_of(const wire::Act& act) const;
  std::vector<std::string> arguments_of(const wire::ProcessSpec& spec) const;
  void look_at_children();
  void observe(const Children::News& news);
  void account_for(const Children::News& news);
  std::string log_file_of(const std::string& name) const;
  void tell(const Children::News& news);
  void tell(const wire::Observed& observed);
  void end_children();
  void kill_children();
  void leave_when_alone();

  const wire::Plan& plan_;
  const RunOptions& options_;
  asio::io_context context_{1};
  asio::signal_set signals_;
  asio::steady_timer limit_;
  asio::steady_timer grace_;
  std::shared_ptr<FrameStream> clock_;
  std::string clock_address_;
  std::optional<pid_t> clock_pid_;  // while it lives
  Children children_;
  RunResult result_;
  bool ended_ = false;  // the clock has said so, or is lost
  bool lost_clock_ = false;
  bool failed_by_loss_ = false;             // that is what the run has failed by
  std::vector<std::string> without_clock_;  // ends of those who say that the clock is lost
  std::string clock_detail_ = "its connection ended";
};

// ---- start ----

void Runner::prepare_directory() {
  const std::filesystem::path out(options_.out);
  std::filesystem::create_directories(out / "logs");
  // A database of an earlier run would be refused.
  std::filesystem::remove_all(out / "data");
  std::filesystem::create_directories(out / "data");
  const std::string path = out / "plan.bin";
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!plan_.SerializeToOstream(&file) || !file.flush()) {
    throw std::runtime_error("cannot write " + path);
  }
}

std::string Runner::start_clock() {
  Announcement announcement;
  ChildCommand command;
  command.program = options_.binaries + "/clock";
  command.arguments = {"--plan",      options_.out + "/plan.bin",
                       "--out",       options_.out,
                       "--pace",      std::to_string(options_.pace.count()),
                       "--watchdog",  std::to_string(options_.watchdog.count()),
                       "--log-level", options_.log_level};
  if (options_.stop_at_breakpoints) command.arguments.emplace_back("--stop-at-breakpoints");
  command.log_file = log_file_of("clock");
  command.output_fd = announcement.write_end();
  clock_pid_ = children_.start(kClock, command);
  announcement.close_write_end();
  const std::optional<std::string> address = announcement.read_address();
  if (!address) throw std::runtime_error("the clock did not start; see " + command.log_file);
  return *address;
}

void Runner::connect_to_clock(const std::string& address) {
  clock_address_ = address;
  // For a person who wants to start one more process by hand.
  std::ofstream(options_.out + "/clock.address") << address << '\n';
  tcp::socket socket(context_);
  boost::system::error_code error;
  socket.connect(resolve_address(context_, address), error);
  if (error) {
    throw std::runtime_error(
        fmt::format("cannot reach the clock at {}: {}", address, error.message()));
  }
  clock_ = std::make_shared<FrameStream>(std::move(socket));
  clock_->set_limit(kMaxStepBytes);
  clock_->start([this](std::string_view bytes) { on_message(bytes); },
                [this](const std::string&) { on_clock_lost(); });
  wire::ClockMessage message;
  message.mutable_runner_hello();
  static_cast<void>(clock_->send(message));
  clock_->flush();
}

// ---- what the clock says ----

void Runner::on_message(std::string_view bytes) {
  wire::ClockMessage message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    result_.failure = "the clock sent a malformed message";
    clock_->close();
    return on_clock_lost();
  }
  if (message.has_act()) act(message.act());
  if (message.has_status()) on_status(message.status());
  if (message.has_refused()) {
    result_.failure = "the clock refused the runner: " + message.refused().reason();
  }
}

void Runner::on_status(const wire::Status& status) {
  result_.last_tick = Tick(status.tick());
  result_.supplies = status.supplies();
  if (!status.ended()) {
    if (options_.on_progress) options_.on_progress(result_.last_tick);
    return;
  }
  ended_ = true;
  result_.disturbed = status.disturbed();
  result_.interrupted = result_.interrupted || status.interrupted();
  result_.capture_sha256 = status.capture_sha256();
  if (status.has_failure()) result_.failure = status.failure();
  limit_.cancel();
  clock_->finish_sending();
  end_children();
}

// Without its clock a run cannot go on, and nobody is left behind.
void Runner::on_clock_lost() {
  if (!ended_) {
    lost_clock_ = true;
    look_at_children();
    if (!result_.failure) {
      // Its connection ends before it does: how it has ended may be seen only later.
      failed_by_loss_ = true;
      result_.failure = "lost the clock";
    }
  }
  ended_ = true;
  limit_.cancel();
  end_children();
}

void Runner::act(const wire::Act& act) {
  switch (act.kind()) {
    case wire::Act::START:
      return start(act);
    case wire::Act::KILL:
      return children_.signal(act.process(), SIGKILL);
    case wire::Act::STOP:
      return children_.signal(act.process(), SIGSTOP);
    case wire::Act::CONT:
      return children_.signal(act.process(), SIGCONT);
    case wire::Act::CLOSE:
      return children_.signal(act.process(), SIGTERM);
  }
}

// ---- children ----

wire::ProcessSpec Runner::spec_of(const wire::Act& act) const {
  wire::ProcessSpec spec;
  if (act.has_role()) {
    spec.set_name(act.process());
    spec.set_role(act.role());
    *spec.mutable_properties() = act.properties();
    return spec;
  }
  for (const wire::ProcessSpec& planned : plan_.processes()) {
    if (planned.name() == act.process()) return planned;
  }
  throw std::runtime_error(fmt::format("nothing says how to start {}", act.process()));
}

std::vector<std::string> Runner::arguments_of(const wire::ProcessSpec& spec) const {
  std::vector<std::string> arguments = {"--name",       spec.name(),   "--clock",
                                        clock_address_, "--log-level", options_.log_level};
  if (spec.role() == "broker") {
    arguments.insert(arguments.end(),
                     {"--data", fmt::format("{}/data/{}.db", options_.out, spec.name())});
  }
  for (const wire::Property& property : spec.properties()) {
    arguments.insert(arguments.end(), {"-X", property.name() + "=" + property.value()});
  }
  return arguments;
}

void Runner::start(const wire::Act& act) {
  try {
    const wire::ProcessSpec spec = spec_of(act);
    ChildCommand command;
    command.program = options_.binaries + "/" + spec.role();
    command.arguments = arguments_of(spec);
    command.log_file = log_file_of(spec.name());
    wire::Observed started;
    started.set_kind(wire::Observed::STARTED);
    started.set_process(spec.name());
    started.set_pid(children_.start(spec.name(), command));
    tell(started);
  } catch (const std::runtime_error& error) {
    wire::Observed failed;
    failed.set_kind(wire::Observed::EXITED);
    failed.set_process(act.process());
    failed.set_detail(error.what());
    tell(failed);
  }
}

std::string Runner::log_file_of(const std::string& name) const {
  return fmt::format("{}/logs/{}.log", options_.out, name);
}

void Runner::look_at_children() {
  for (const Children::News& news : children_.look()) observe(news);
  leave_when_alone();
}

void Runner::observe(const Children::News& news) {
  const bool exited = news.change.kind == ChildChange::Kind::kExited;
  if (news.pid != clock_pid_) {
    if (exited) account_for(news);
    tell(news);
  } else if (exited) {
    const bool killed_from_here = news.change.by_signal && !news.unexpected;
    if (!killed_from_here) clock_detail_ = news.change.detail;
    clock_pid_.reset();
  }
}

// When the clock is lost, that the others lose it too needs no words.
void Runner::account_for(const Children::News& news) {
  if (!news.unexpected) return;
  const bool misses_clock = !news.change.by_signal && news.change.status == kExitLostClock;
  if (misses_clock && ended_) return;
  (misses_clock ? without_clock_ : result_.unexpected_ends).push_back(*news.unexpected);
}

void Runner::tell(const Children::News& news) {
  wire::Observed observed;
  switch (news.change.kind) {
    case ChildChange::Kind::kStopped:
      observed.set_kind(wire::Observed::STOPPED);
      break;
    case ChildChange::Kind::kContinued:
      observed.set_kind(wire::Observed::CONTINUED);
      break;
    case ChildChange::Kind::kExited:
      observed.set_kind(wire::Observed::EXITED);
      if (news.change.by_signal) observed.set_signal(news.change.status);
      break;
  }
  observed.set_process(news.name);
  observed.set_pid(news.pid);
  observed.set_detail(news.change.detail);
  tell(observed);
}

void Runner::tell(const wire::Observed& observed) {
  if (!clock_ || ended_) return;
  wire::ClockMessage message;
  *message.mutable_observed() = observed;
  static_cast<void>(clock_->send(message));
  clock_->flush();
}

// ---- signals and time ----

void Runner::wait_for_signal() {
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    wait_for_signal();
    if (signal == SIGCHLD) {
      look_at_children();
    } else {
      interrupt(signal);
    }
  });
}

// The first one ends the run in order, the second at once; a terminal that closes may say so twice.
void Runner::interrupt(int signal) {
  if (result_.interrupted && signal == SIGHUP) return;
  if (result_.interrupted || !clock_pid_) return kill_children();
  result_.interrupted = true;
  ::kill(*clock_pid_, SIGTERM);
  grace_.expires_after(kGrace);
  grace_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) kill_children();
  });
}

void Runner::watch_time() {
  if (!options_.time_limit) return;
  limit_.expires_after(*options_.time_limit);
  limit_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled || ended_) return;
    result_.failure = fmt::format("not done after {} s, in tick {}", options_.time_limit->count(),
                                  result_.last_tick.value() + 1);
    kill_children();
  });
}

// ---- end ----

void Runner::end_children() {
  children_.kill_stopped();
  grace_.expires_after(kGrace);
  grace_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) kill_children();
  });
  leave_when_alone();
}

void Runner::kill_children() {
  ended_ = true;
  children_.kill_all();
  leave_when_alone();
}

void Runner::leave_when_alone() {
  if (!ended_ || !children_.empty()) return;
  if (result_.capture_sha256.empty() && !result_.failure) result_.failure = "interrupted";
  grace_.cancel();
  limit_.cancel();
  signals_.cancel();
  if (clock_) clock_->close();
}

}  // namespace

std::string directory_of_binaries() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

RunResult run_over_processes(const wire::Plan& plan, const RunOptions& options) {
  return Runner(plan, options).run();
}

}  // namespace fencepost::lab
