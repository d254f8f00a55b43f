// tcpdump listens on the loopback interface while a run goes over real sockets: the dissector shows
// the packets of the run's own list, whatever ports its brokers have chosen.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT: kill() is POSIX
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

#include "common/capture_file.h"
#include "lab/commands/run.h"
#include "lab/packets/info.h"
#include "lab/run_scenario.h"
#include "lab/scenario.h"
#include "tests/scratch.h"
#include "tests/wireshark/tshark.h"

namespace fencepost::lab {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

// Names that no other test has: all use the same interface.
constexpr const char* kScenario = R"(
name: live-capture
tick.ms: 1000
topics: {orders: 3, invoices: 1}
defaults:
  broker: {group.initial.rebalance.delay.ms: 0}
  consumer:
    session.timeout.ms: 6000
    heartbeat.interval.ms: 2000
    auto.offset.reset: earliest
processes:
  Captured-B: {role: broker}
  Captured-P: {role: producer, records: {orders: 12}, interval.ms: 2000}
  Captured-C: {role: consumer, group.id: billing, subscribe: orders, output: invoices}
  Captured-D: {role: consumer, group.id: billing, subscribe: orders, output: invoices}
timeline:
  - {at: 0, start: [Captured-B, Captured-P, Captured-C]}
  - {at: 10, start: Captured-D}
  - {at: 30, close: Captured-C}
until: 45
)";

// Waits for a condition that another process brings about; false after ten seconds.
bool eventually(const std::function<bool()>& holds) {
  const auto end = steady_clock::now() + std::chrono::seconds(10);
  while (!holds()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

std::string contents_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Tcpdump {
 public:
  Tcpdump(const fs::path& file, const fs::path& log) : log_(log) {
    std::vector<std::string> words = {"tcpdump", "-i", "lo",   "-n", "-U", "-B",
                                      "32768",   "-Z", "root", "-w", file, "--immediate-mode",
                                      "tcp"};
    if (geteuid() != 0) words.erase(words.begin() + 7, words.begin() + 9);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (posix_spawnp(&pid_, "tcpdump", &files, nullptr, argv.data(), environ) != 0) pid_ = -1;
    posix_spawn_file_actions_destroy(&files);
  }
  ~Tcpdump() { stop(); }
  Tcpdump(const Tcpdump&) = delete;
  Tcpdump& operator=(const Tcpdump&) = delete;

  // False if it may not.
  bool listens() const {
    eventually([&] { return said().find("listening on") != std::string::npos || has_ended(); });
    return !has_ended();
  }
  void stop() {
    if (pid_ <= 0) return;
    kill(pid_, SIGINT);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
  std::string said() const { return contents_of(log_); }

 private:
  bool has_ended() const {
    siginfo_t seen{};
    return pid_ <= 0 ||
           (waitid(P_PID, static_cast<id_t>(pid_), &seen, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            seen.si_pid != 0);
  }

  fs::path log_;
  pid_t pid_ = -1;
};

using Traffic = std::map<std::string, std::vector<std::string>>;  // "C1 B1" -> Infos in order

Traffic recorded_traffic(const std::string& capture) {
  Traffic traffic;
  PartitionNames names;
  CaptureReader reader(capture);
  while (const auto record = reader.next()) {
    if (record->has_header()) names = PartitionNames(record->header().topics());
    if (!record->has_packet()) continue;
    const wire::Frame& frame = record->packet().frame();
    traffic[frame.header().source() + " " + frame.header().destination()].push_back(
        info_of(frame, names));
  }
  return traffic;
}

std::vector<std::string> items(const std::string& joined) {
  std::vector<std::string> all;
  for (const std::string_view item : split(joined, '\x1b')) all.emplace_back(item);
  return all;
}

Traffic captured_traffic(const test::Tshark& tshark) {
  const std::string info = "fencepost.info";
  Traffic traffic;
  for (auto& row : tshark.rows("fencepost.source contains \"Captured-\"",
                               {"fencepost.source", "fencepost.destination", info})) {
    std::vector<std::string>& direction = traffic[items(row["fencepost.source"]).front() + " " +
                                                  items(row["fencepost.destination"]).front()];
    for (std::string& text : items(row[info])) direction.push_back(std::move(text));
  }
  return traffic;
}

class LiveCapture : public testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT("tshark");
    SKIP_WITHOUT("tcpdump");
  }

  RunOutcome run() {
    LoadedScenario loaded = parse_scenario(kScenario, "scenario.yaml");
    identify(loaded.scenario.value().plan, std::nullopt);
    directory_.prepare();
    return run_plan(loaded.scenario->plan, {.world = World::kProcesses}, directory_);
  }

  test::Scratch scratch_;
  fs::path file_ = scratch_.path() / "lo.pcap";
  RunDirectory directory_{scratch_.path() / "run"};
};

TEST_F(LiveCapture, IsThePacketListOfTheRun) {
  Tcpdump tcpdump(file_, scratch_.path() / "tcpdump.log");
  if (!tcpdump.listens()) GTEST_SKIP() << "tcpdump may not listen here: " << tcpdump.said();
  const RunOutcome outcome = run();
  tcpdump.stop();
  ASSERT_EQ(outcome.failure, std::nullopt);
  const test::Tshark tshark(file_, scratch_.path(), {"-o", "fencepost.topics:orders=o,invoices=i"});
  EXPECT_EQ(tshark.text({"-Y", "_ws.lua.error"}), "");
  Traffic captured = captured_traffic(tshark);
  for (const auto& [direction, infos] : recorded_traffic(directory_.capture().string())) {
    const std::vector<std::string>& seen = captured[direction];
    if (outcome.supplies == 0) {
      EXPECT_EQ(seen, infos) << direction;
    } else {
      // What the clock had to supply may not have gone over a socket.
      EXPECT_GE(seen.size() + outcome.supplies, infos.size()) << direction;
    }
  }
  EXPECT_EQ(tshark.count("fencepost.PeerHello.name contains \"Captured-\""), 3U);
}

}  // namespace
}  // namespace fencepost::lab
