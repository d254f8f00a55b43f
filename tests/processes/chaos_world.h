// A run over real processes to which random things happen, as people and machines do them: by
// signals, by commands to the clock, and by starts at another terminal, at any wall-clock moment.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "proto/plan.pb.h"
#include "tests/processes/process_world.h"
#include "tests/processes/strangers.h"

namespace fencepost::test {

struct ChaosProfile {
  std::chrono::milliseconds pace{0};  // 0: a free run
  int disturbances = 60;
  std::chrono::microseconds longest_pause{8000};  // between two of them
  bool by_hand = false;  // no runner: a clock alone, and every process started by hand
};

// What was decided in runs, by kind; "HOLD" counts the freezes that held a step.
using Tally = std::map<std::string, int>;
std::string to_string(const Tally& tally);

class DisturbedRun {
 public:
  // Starts it, and returns when all processes have joined. The profile depends on the seed.
  explicit DisturbedRun(std::uint32_t seed);
  ~DisturbedRun();
  DisturbedRun(const DisturbedRun&) = delete;
  DisturbedRun& operator=(const DisturbedRun&) = delete;

  void disturb();       // all of the profile's
  bool end_in_order();  // as Ctrl-C does; false if the run did not end with success
  // Adds what the journal has, and the supplies.
  void count_into(Tally& tally) const;

  const wire::Plan& plan() const { return plan_; }
  const RunDirectory& directory() const { return directory_; }

 private:
  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
  void start_clock_by_hand();
  bool all_have_joined();
  void disturb_one();
  void start(const std::string& name);
  void start_by_hand(const std::string& name);
  void command(wire::Command::Kind kind, const std::string& process = "");
  void reap();

  wire::Plan plan_ = shop_plan(0);
  RunDirectory directory_;
  std::mt19937 random_;
  ChaosProfile profile_;
  std::string address_;
  pid_t runner_ = -1;
  std::map<pid_t, std::string> by_hand_;
  boost::asio::io_context context_;
  std::vector<std::unique_ptr<Stranger>> people_;  // at other terminals
};

}  // namespace fencepost::test
