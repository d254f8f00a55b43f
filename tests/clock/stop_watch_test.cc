#include "clock/stop_watch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "common/host/pid_space.h"

namespace fencepost::clock {
namespace {

using namespace std::chrono_literals;

const StopWatch::Instant kStart{1000s};
const ParticipantId kC1{"C1", Incarnation(1)};

wire::Hello hello_of_container() {
  wire::Hello hello;
  hello.set_name("C1");
  hello.set_pid(1);
  hello.set_pid_space("another/pid:[1]");
  return hello;
}

TEST(Silence, CountsAsStoppedBeyondTheGraceUntilItSpeaks) {
  StopWatch watch(2s);
  watch.watch(kC1, hello_of_container());
  EXPECT_TRUE(watch.look(kStart + 9s).empty()) << "it owes nothing";
  watch.on_grant(kC1, kStart + 9s);
  EXPECT_TRUE(watch.look(kStart + 10s).empty());
  const auto findings = watch.look(kStart + 11s);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().who, kC1);
  EXPECT_TRUE(findings.front().stopped);
  EXPECT_TRUE(watch.look(kStart + 12s).empty()) << "no news";
  EXPECT_TRUE(watch.on_word(kC1));
  EXPECT_FALSE(watch.on_word(kC1));
  EXPECT_TRUE(watch.look(kStart + 20s).empty());
}

TEST(Silence, OfSomebodyWhoAnswersInTimeIsNoStop) {
  StopWatch watch(2s);
  watch.watch(kC1, hello_of_container());
  watch.on_grant(kC1, kStart);
  EXPECT_FALSE(watch.on_word(kC1));
  EXPECT_TRUE(watch.look(kStart + 9s).empty());
}

TEST(Silence, WithoutAGraceSaysNothing) {
  StopWatch watch(std::nullopt);
  watch.watch(kC1, hello_of_container());
  EXPECT_FALSE(watch.has_anybody());
}

class StoppedProcess : public testing::Test {
 protected:
  StoppedProcess() {
    child_ = fork();
    if (child_ == 0) {
      while (true) pause();
    }
  }
  ~StoppedProcess() override {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  void send(int signal, int until) const {
    kill(child_, signal);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child_), &info, static_cast<int>(until));
  }

  pid_t child_ = -1;
};

TEST_F(StoppedProcess, IsSeenThroughProc) {
  StopWatch watch(std::nullopt);
  wire::Hello hello;
  hello.set_pid(child_);
  hello.set_pid_space(own_pid_space());
  watch.watch(kC1, hello);
  EXPECT_TRUE(watch.look(kStart).empty());
  send(SIGSTOP, WSTOPPED);
  auto findings = watch.look(kStart);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_TRUE(findings.front().stopped);
  EXPECT_FALSE(watch.on_word(kC1)) << "what /proc says counts";
  send(SIGCONT, WCONTINUED);
  findings = watch.look(kStart);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_FALSE(findings.front().stopped);
}

TEST(PidSpace, ProcessThatIsNotThereIsNotStopped) { EXPECT_FALSE(is_stopped(-1)); }

}  // namespace
}  // namespace fencepost::clock
