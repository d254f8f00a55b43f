#include "lab/live_watch.h"

#include <spdlog/fmt/fmt.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "lab/capture_feed.h"
#include "lab/clock_client.h"
#include "lab/clusters.h"
#include "lab/packets/printable.h"

namespace fencepost::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kAskInterval{250};  // for what the capture does not know
constexpr std::chrono::seconds kGreetingPatience{10};   // with those who do not come
constexpr int kAsksBeforeWaiting = 4;                   // the same tick open so often: say it

class LiveWatch {
 public:
  LiveWatch(const std::string& address, const LiveOptions& options)
      : address_(address), options_(options), list_(options.list), awaited_(options.awaited) {}

  void run();

 private:
  void take(const wire::CaptureChunk& chunk);
  void take(Tick tick, const wire::CaptureRecord& record);
  void ask();
  void greet(const wire::Status& status);
  void tell_pause(const wire::Status& status);
  void tell_waiting(const wire::Status& status);
  void tell_pids(const wire::Status& status);
  void show();

  const std::string& address_;
  const LiveOptions& options_;
  PacketList list_;
  CaptureFeed feed_;
  std::set<std::string> awaited_;  // have not come yet
  std::set<std::string> joined_;   // whose process ids have not been told
  bool greeted_ = false;
  bool broken_ = false;  // nobody reads
  std::string out_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point asked_ = Clock::now();
  bool paused_ = false;
  std::int64_t waiting_tick_ = -2;
  int waiting_asks_ = 0;
};

void LiveWatch::run() {
  ClockClient clock(address_);
  wire::Command command;
  command.set_kind(wire::Command::WATCH);
  clock.send(command);
  wire::ClockMessage message;
  while (!broken_) {
    switch (clock.receive(message, kAskInterval)) {
      case ClockClient::Heard::kEnd:
        if (!greeted_) out_.insert(0, list_.heading());
        greeted_ = true;
        return show();
      case ClockClient::Heard::kNothing:
        ask();
        break;
      case ClockClient::Heard::kMessage:
        if (message.has_refused())
          throw ClockError("the clock refuses: " + message.refused().reason());
        if (message.has_chunk()) take(message.chunk());
        break;
    }
    show();
  }
}

void LiveWatch::take(const wire::CaptureChunk& chunk) {
  feed_.add(chunk.bytes(),
            [this](Tick tick, const wire::CaptureRecord& record) { take(tick, record); });
  if (!chunk.up_to_date()) return;
  const bool news = !joined_.empty() && awaited_.empty();
  if (news || Clock::now() - asked_ >= kAskInterval) ask();
}

void LiveWatch::take(Tick tick, const wire::CaptureRecord& record) {
  out_ += list_.text_of(tick, record);
  if (!record.has_lifecycle() || record.lifecycle().kind() != wire::Lifecycle::JOIN) return;
  awaited_.erase(record.lifecycle().process());
  joined_.insert(record.lifecycle().process());
}

// The clock may end meanwhile; then its connection says so.
void LiveWatch::ask() {
  asked_ = Clock::now();
  wire::Status status;
  try {
    status = ask_status(address_);
  } catch (const ClockError&) {
    return;
  }
  greet(status);
  if (!greeted_) return;
  tell_pids(status);
  tell_pause(status);
  tell_waiting(status);
}

void LiveWatch::greet(const wire::Status& status) {
  if (greeted_) return;
  const bool all_there = awaited_.empty() && status.tick() >= 0;
  const bool overdue = Clock::now() - begun_ >= kGreetingPatience;
  if (!all_there && !status.paused() && !overdue) return;
  greeted_ = true;
  joined_.clear();
  out_.insert(0, (options_.greeting ? options_.greeting(status) : "") + list_.heading());
}

void LiveWatch::tell_pids(const wire::Status& status) {
  for (const wire::ProcessStatus& process : status.processes()) {
    if (!joined_.contains(process.name()) || !process.has_pid()) continue;
    out_ += list_.note(fmt::format("{} is pid {} now", process.name(), process.pid()));
  }
  joined_.clear();
}

void LiveWatch::tell_pause(const wire::Status& status) {
  if (status.paused() == paused_) return;
  paused_ = status.paused();
  if (!paused_) {
    out_ += list_.note("the clock goes on");
    return;
  }
  const std::string where = status.has_paused_at()
                                ? "paused at the breakpoint " + status.paused_at()
                                : fmt::format("paused after tick {}", status.tick());
  out_ += list_.note(fmt::format("{}; go on with: {} go, or step", where, own_command()));
}

// A process that is slow is waited for, however long it takes; a person may want to know.
void LiveWatch::tell_waiting(const wire::Status& status) {
  if (status.waiting_for().empty() || status.tick() != waiting_tick_) {
    waiting_tick_ = status.waiting_for().empty() ? -2 : status.tick();
    waiting_asks_ = 0;
    return;
  }
  if (++waiting_asks_ != kAsksBeforeWaiting) return;
  out_ += list_.note(fmt::format("the clock waits for {}", fmt::join(status.waiting_for(), ", ")));
}

void LiveWatch::show() {
  if (!greeted_ || out_.empty()) return;
  const bool written = std::fwrite(out_.data(), 1, out_.size(), stdout) == out_.size();
  broken_ = !written || std::fflush(stdout) != 0;
  out_.clear();
}

}  // namespace

void fit_to_terminal(PacketList::Options& options) {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  const bool is_dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  options.colour = is_terminal && !is_dumb && (no_colour == nullptr || *no_colour == '\0');
  winsize size{};
  if (is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) options.width = size.ws_col;
}

void watch_live(const std::string& address, const LiveOptions& options) {
  LiveWatch(address, options).run();
}

std::string state_text(wire::ProcessStatus::State state) {
  switch (state) {
    case wire::ProcessStatus::WAITING:
      return "joining";
    case wire::ProcessStatus::RUNNING:
      return "running";
    case wire::ProcessStatus::STOPPED:
      return "stopped";
    case wire::ProcessStatus::CLOSING:
      return "closing";
    case wire::ProcessStatus::GONE:
      return "not there";
  }
  return "";
}

std::string table_of(const wire::Status& status) {
  constexpr std::string_view kRow = "{:<8} {:<9} {:<9} {:>4} {:>8}  {}";
  std::string text =
      fmt::format(fmt::runtime(kRow), "PROCESS", "ROLE", "STATE", "LIFE", "PID", "LISTENS AT") +
      "\n";
  for (const wire::ProcessStatus& process : status.processes()) {
    const bool there = process.state() != wire::ProcessStatus::GONE && process.has_pid();
    std::string row =
        fmt::format(fmt::runtime(kRow), printable(process.name()), printable(process.role()),
                    state_text(process.state()), process.incarnation(),
                    there ? std::to_string(process.pid()) : "-",
                    there ? printable(process.listen_address()) : "");
    while (row.ends_with(' ')) row.pop_back();
    text += row + "\n";
  }
  return text;
}

}  // namespace fencepost::lab
