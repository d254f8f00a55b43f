// Real processes, killed, stopped, continued, terminated and started again at random moments:
// whatever comes of it must be written down so that it replays to the same bytes.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "common/capture_file.h"
#include "lab/child_process.h"
#include "lab/journal_file.h"
#include "tests/processes/process_world.h"

namespace fencepost::test {
namespace {

using namespace std::chrono_literals;

const std::vector<std::string> kNames = {"B1", "P1", "C1", "C2"};

std::string bytes_of(const RunDirectory& directory) {
  std::string all;
  for (const wire::CaptureRecord& record : capture_of(directory)) append_framed(all, record);
  return all;
}

class Chaos : public testing::TestWithParam<int> {
 protected:
  Chaos() : random_(static_cast<std::mt19937::result_type>(GetParam())) {
    lab::RunOptions options = options_for(directory_);
    options.pace = 2ms;
    runner_ = run_in_background(plan_, options);
    EXPECT_TRUE(eventually([this] {
      std::ifstream file(directory_.path() + "/clock.address");
      return static_cast<bool>(file >> address_) &&
             std::all_of(kNames.begin(), kNames.end(), [this](const std::string& name) {
               return directory_.log_of(name).find("joined") != std::string::npos;
             });
    }));
  }
  ~Chaos() override {
    if (runner_ > 0) kill(runner_, SIGKILL);
    for (const auto& [pid, name] : by_hand_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }

  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

  void disturb() {
    const std::string name = kNames[static_cast<std::size_t>(below(4))];
    const std::optional<pid_t> pid = pid_of(directory_, name);
    if (!pid) return start(name);
    const int dice = below(10);
    if (dice < 2) {
      kill(*pid, SIGKILL);
    } else if (dice < 3) {
      kill(*pid, SIGTERM);
    } else if (dice < 6 &&
               !by_hand_.contains(*pid)) {  // the runner sees only its own children stop
      kill(*pid, SIGSTOP);
    } else {
      kill(*pid, SIGCONT);
    }
  }

  void start(const std::string& name) {
    for (const wire::ProcessSpec& spec : plan_.processes()) {
      if (spec.name() != name) continue;
      lab::ChildCommand command;
      command.program = std::string(FENCEPOST_BINARIES) + "/" + spec.role();
      command.arguments = {"--name", name, "--clock", address_};
      if (spec.role() == "broker") {
        command.arguments.insert(command.arguments.end(),
                                 {"--data", directory_.path() + "/data/" + name + ".db"});
      }
      for (const wire::Property& property : spec.properties()) {
        command.arguments.insert(command.arguments.end(),
                                 {"-X", property.name() + "=" + property.value()});
      }
      command.log_file = directory_.path() + "/logs/" + name + ".log";
      by_hand_[lab::start_child(command)] = name;
    }
  }

  void reap() {
    for (auto child = by_hand_.begin(); child != by_hand_.end();) {
      child =
          waitpid(child->first, nullptr, WNOHANG) == 0 ? std::next(child) : by_hand_.erase(child);
    }
  }

  wire::Plan plan_ = billing_plan(1'000'000);
  RunDirectory directory_;
  std::mt19937 random_;
  std::string address_;
  pid_t runner_ = -1;
  std::map<pid_t, std::string> by_hand_;
};

TEST_P(Chaos, WhateverHappensReplays) {
  constexpr int kDisturbances = 60;
  for (int i = 0; i < kDisturbances; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(below(8000)));
    reap();
    disturb();
  }
  for (const std::string& name : kNames) {
    if (const auto pid = pid_of(directory_, name)) kill(*pid, SIGCONT);
  }
  kill(runner_, SIGINT);
  int status = 0;
  waitpid(std::exchange(runner_, -1), &status, 0);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << directory_.log_of("clock");

  const auto journal = lab::load_journal(directory_.path() + "/journal.yaml");
  ASSERT_TRUE(journal.ended);
  plan_.set_replay(true);
  for (const wire::Decision& decision : journal.decisions) *plan_.add_journal() = decision;
  const RunDirectory other;
  const lab::RunResult result = run(plan_, other);
  ASSERT_EQ(result.failure, std::nullopt) << other.log_of("clock");
  EXPECT_TRUE(bytes_of(directory_) == bytes_of(other))
      << "seed " << GetParam() << ", " << journal.decisions.size() << " decisions";
  RecordProperty("decisions", static_cast<int>(journal.decisions.size()));
  RecordProperty("supplies", static_cast<int>(result.supplies));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Chaos, testing::Range(1, 9));

}  // namespace
}  // namespace fencepost::test
