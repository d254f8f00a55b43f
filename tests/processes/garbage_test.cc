// Garbage on the ports of a run, while it goes on: one log line each, and a capture that shows
// nothing of it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "proto/clock.pb.h"
#include "tests/processes/replays.h"
#include "tests/processes/strangers.h"

namespace fencepost::test {
namespace {

using namespace std::chrono_literals;

struct Garbage {
  std::string what;
  std::string bytes;
};

std::string random_bytes(std::uint32_t seed, std::size_t size) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() & 0xffU);
  return bytes;
}

wire::PeerMessage frame_of_c1(std::uint64_t sequence) {
  wire::PeerMessage message;
  wire::Header& header = *message.mutable_frame()->mutable_header();
  header.set_source("C1");
  header.set_source_incarnation(1);
  header.set_sequence(sequence);
  header.set_destination("B1");
  return message;
}

// Says that it is C1, and sends what C1 has perhaps not sent yet.
std::string forged_frames() {
  constexpr std::uint64_t kFrames = 1000;
  wire::PeerMessage hello;
  hello.mutable_hello()->set_name("C1");
  hello.mutable_hello()->set_incarnation(1);
  std::string bytes = framed(hello.SerializeAsString());
  for (std::uint64_t sequence = 1; sequence <= kFrames; ++sequence) {
    bytes += framed(frame_of_c1(sequence).SerializeAsString());
  }
  return bytes;
}

std::string successor_of_c1() {
  constexpr std::uint32_t kFarAway = 1000;
  wire::PeerMessage hello;
  hello.mutable_hello()->set_name("C1");
  hello.mutable_hello()->set_incarnation(kFarAway);
  return framed(hello.SerializeAsString());
}

std::string done_without_hello() {
  wire::ClockMessage message;
  message.mutable_done()->set_tick(1);
  return framed(message.SerializeAsString());
}

std::string second_runner() {
  wire::ClockMessage message;
  message.mutable_runner_hello();
  return framed(message.SerializeAsString());
}

std::string hello_of_emperor() {
  wire::ClockMessage message;
  message.mutable_hello()->set_name("C9");
  message.mutable_hello()->set_role("emperor");
  return framed(message.SerializeAsString());
}

std::vector<Garbage> all_garbage() {
  std::vector<Garbage> all = {
      {"nothing", ""},
      {"a browser", "GET / HTTP/1.1\r\nHost: fencepost\r\n\r\n"},
      {"a huge length", "\xff\xff\xff\xff"},
      {"the largest length that is allowed, and little of it", std::string("\x01\x00\x00\x00x", 5)},
      {"an empty message", framed("")},
      {"no protobuf", framed("\xff\xff\xff\xff")},
      {"half a length", std::string(2, '\0')},
      {"half a message", framed(std::string(100, 'x')).substr(0, 50)},
      {"a Done first", done_without_hello()},
      {"a frame first", framed(frame_of_c1(1).SerializeAsString())},
      {"a bare Frame", framed(frame_of_c1(1).frame().SerializeAsString())},
      {"a second runner", second_runner()},
      {"a role that does not exist", hello_of_emperor()},
      {"forged frames", forged_frames()},
      {"a successor", successor_of_c1()},
  };
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    all.push_back({"random bytes, seed " + std::to_string(seed), random_bytes(seed, 64 * seed)});
    all.push_back({"random bytes in a frame, seed " + std::to_string(seed),
                   framed(random_bytes(seed, 16 * seed))});
  }
  return all;
}

// A run of some seconds, and strangers at the port of one of its processes.
class Strangers : public testing::TestWithParam<std::string> {
 protected:
  Strangers() {
    lab::RunOptions options = options_for(directory_);
    options.pace = 10ms;
    runner_ = run_in_background(plan_, options);
    EXPECT_TRUE(directory_.eventually([this] {
      const auto processes = plan_.processes();
      return std::all_of(processes.begin(), processes.end(), [this](const auto& spec) {
        return directory_.log_of(spec.name()).find("joined") != std::string::npos;
      });
    }));
    if (const auto pid = pid_of(directory_, GetParam())) address_ = listening_address(*pid);
    EXPECT_NE(address_, "");
  }
  ~Strangers() override {
    if (runner_ <= 0) return;
    kill(runner_, SIGKILL);
    waitpid(runner_, nullptr, 0);
  }

  // Its complaints are one for each who spoke, and at most one for each who was silent.
  void expect_an_unchanged_run(int spoke, int silent) {
    EXPECT_EQ(waitpid(runner_, nullptr, WNOHANG), 0) << "the run ended before its strangers did";
    int status = 0;
    waitpid(std::exchange(runner_, -1), &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << result_of(directory_).failure;
    EXPECT_TRUE(directory_.text_of("capture.bin") == capture_in_process(plan_));
    const std::string log = directory_.log_of(GetParam());
    EXPECT_GE(complaints_in(log), spoke);
    EXPECT_LE(complaints_in(log), spoke + silent);
  }

  const wire::Plan plan_ = billing_plan(250);
  RunDirectory directory_;
  pid_t runner_ = -1;
  std::string address_;
};

TEST_P(Strangers, WithGarbageGetOneLineEachAndChangeNothing) {
  boost::asio::io_context context;
  const std::vector<Garbage> garbage = all_garbage();
  for (const Garbage& each : garbage) talk(address_, each.bytes);
  Stranger silent(context, address_);
  Stranger stuck(context, address_);
  stuck.say(framed(std::string(100, 'x')).substr(0, 50));
  expect_an_unchanged_run(static_cast<int>(garbage.size()), 2);
}

TEST_P(Strangers, AThousandAtOnceChangeNothing) {
  constexpr int kStrangers = 1000;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  boost::asio::io_context context;
  std::vector<std::unique_ptr<Stranger>> strangers;
  for (int i = 0; i < kStrangers; ++i) {
    strangers.push_back(std::make_unique<Stranger>(context, address_));
  }
  int silent = 0;
  for (std::size_t i = 0; i < strangers.size(); ++i) {
    switch (i % 4) {
      case 0:
        ++silent;
        break;
      case 1:
        strangers[i]->say(framed(std::string(100, 'x')).substr(0, 50));
        ++silent;
        break;
      case 2:
        strangers[i]->say(random_bytes(static_cast<std::uint32_t>(i), 64));
        strangers[i]->say_no_more();
        break;
      default:
        strangers[i]->say(forged_frames());
        strangers[i]->say_no_more();
    }
  }
  expect_an_unchanged_run(kStrangers - silent, silent);
}

INSTANTIATE_TEST_SUITE_P(At, Strangers, testing::Values("clock", "B1"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace fencepost::test
