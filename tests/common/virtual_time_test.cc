// Coroutines over virtual time: order, causes, exceptions, and ends in the middle.
#include "common/virtual_time.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fencepost {
namespace {

class Clockwork : public testing::Test {
 protected:
  Task<void> note_after(std::int64_t ticks, std::string what) {
    const TickSpan span(ticks);
    co_await time_.sleep_for(span, "nap");
    log_ += what + "@" + std::to_string(time_.now().value()) + " ";
  }

  Task<void> note_when_notified(Signal& signal, std::string what) {
    co_await signal.wait();
    log_ += what + " ";
  }

  void run_to(std::int64_t tick) {
    time_.set_now(Tick(tick));
    time_.fire_due();
  }

  Outbox outbox_{"C1", Incarnation(1)};
  VirtualTime time_{outbox_};
  std::string log_;
};
using VirtualTimers = Clockwork;
using VirtualSignals = Clockwork;
using VirtualRoots = Clockwork;

TEST_F(VirtualTimers, FireByDueTickThenInTheOrderOfArming) {
  time_.spawn(note_after(2, "late"));
  time_.spawn(note_after(1, "first"));
  time_.spawn(note_after(1, "second"));
  time_.run();
  EXPECT_EQ(time_.next_due(), Tick(1));
  run_to(5);
  EXPECT_EQ(log_, "first@5 second@5 late@5 ");
  EXPECT_EQ(time_.next_due(), std::nullopt);
}

TEST_F(VirtualTimers, OneSetForNowWaitsForTheNextRound) {
  time_.spawn(note_after(0, "now"));
  time_.run();
  EXPECT_EQ(log_, "");
  EXPECT_TRUE(time_.fire_due());
  EXPECT_EQ(log_, "now@0 ");
  EXPECT_FALSE(time_.fire_due());
}

Task<void> twice_now(VirtualTime& time, int& rounds) {
  const TickSpan none(0);
  co_await time.sleep_for(none, "nap");
  ++rounds;
  co_await time.sleep_for(none, "nap");
  ++rounds;
}

TEST_F(VirtualTimers, OneArmedWhileFiringWaitsForTheNextRound) {
  int rounds = 0;
  time_.spawn(twice_now(time_, rounds));
  time_.run();
  time_.fire_due();
  EXPECT_EQ(rounds, 1);
  time_.fire_due();
  EXPECT_EQ(rounds, 2);
}

Task<void> report_after(VirtualTime& time, Outbox& outbox, std::int64_t ticks) {
  const TickSpan span(ticks);
  co_await time.sleep_for(span, "nap");
  wire::Event event;
  outbox.report(std::move(event));
}

TEST_F(VirtualTimers, CarryTheCauseThatArmedThem) {
  wire::Cause cause;
  cause.set_kind(wire::Cause::FRAME);
  cause.set_source("B1");
  cause.set_tick(3);
  time_.set_now(Tick(3));
  outbox_.set_cause(cause);
  time_.spawn(report_after(time_, outbox_, 4));
  time_.run();
  outbox_.set_cause(wire::Cause());  // something else runs in between
  run_to(7);
  const std::vector<wire::Emission> emissions = outbox_.take();
  ASSERT_EQ(emissions.size(), 1U);
  EXPECT_EQ(emissions[0].cause().source(), "B1");
  EXPECT_EQ(emissions[0].cause().tick(), 3);
  EXPECT_EQ(emissions[0].cause().timer(), "nap");
  EXPECT_EQ(emissions[0].cause().armed_tick(), 3);
}

TEST_F(VirtualSignals, WakeInTheOrderOfWaiting) {
  Signal signal(time_);
  time_.spawn(note_when_notified(signal, "a"));
  time_.spawn(note_when_notified(signal, "b"));
  time_.spawn(note_when_notified(signal, "c"));
  time_.run();
  signal.notify_all();
  time_.run();
  EXPECT_EQ(log_, "a b c ");
}

TEST_F(VirtualSignals, ForgetANotificationThatNobodyWaitsFor) {
  Signal signal(time_);
  signal.notify_all();
  time_.spawn(note_when_notified(signal, "a"));
  time_.run();
  EXPECT_EQ(log_, "");
}

Task<void> wait_with_deadline(VirtualTime& time, Signal& signal, std::string& log) {
  const Tick due(2);
  const bool notified = co_await signal.wait_until(due, "deadline");
  log += (notified ? "notified@" : "timeout@") + std::to_string(time.now().value());
}

TEST_F(VirtualSignals, EndAWaitAtItsDeadline) {
  Signal signal(time_);
  time_.spawn(wait_with_deadline(time_, signal, log_));
  time_.run();
  run_to(2);
  EXPECT_EQ(log_, "timeout@2");
  signal.notify_all();  // nobody is left
  time_.run();
  EXPECT_EQ(log_, "timeout@2");
}

TEST_F(VirtualSignals, DisarmTheDeadlineOfAWaitThatWasNotified) {
  Signal signal(time_);
  time_.spawn(wait_with_deadline(time_, signal, log_));
  time_.run();
  signal.notify_all();
  time_.run();
  EXPECT_EQ(log_, "notified@0");
  EXPECT_EQ(time_.next_due(), std::nullopt);
}

Task<void> fail_after(VirtualTime& time, std::int64_t ticks) {
  const TickSpan span(ticks);
  if (ticks > 0) co_await time.sleep_for(span, "nap");
  throw std::runtime_error("no way");
}

TEST_F(VirtualRoots, RethrowWhatTheyThrowAtOnce) {
  time_.spawn(fail_after(time_, 0));
  EXPECT_THROW(time_.run(), std::runtime_error);
}

TEST_F(VirtualRoots, RethrowWhatTheyThrowLater) {
  time_.spawn(fail_after(time_, 1));
  time_.run();
  time_.set_now(Tick(1));
  EXPECT_THROW(time_.fire_due(), std::runtime_error);
}

// Says when its frame ends.
class Guard {
 public:
  explicit Guard(std::string& log) : log_(log) {}
  ~Guard() { log_ += "end "; }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  std::string& log_;
};

Task<void> nest(Signal& signal, std::string& log, int depth) {
  const Guard guard(log);
  if (depth > 0) {
    co_await nest(signal, log, depth - 1);
  } else {
    co_await signal.wait();
  }
  log += "never ";
}

TEST_F(VirtualRoots, EndWithoutRunningWhenTimeIsAbandoned) {
  Signal signal(time_);
  time_.spawn(nest(signal, log_, 3));
  time_.spawn(note_after(3, "never"));
  time_.run();
  time_.abandon();
  EXPECT_EQ(log_, "end end end end ");
}

TEST_F(VirtualRoots, EndWithoutRunningThoughTheyWereReady) {
  Signal signal(time_);
  time_.spawn(nest(signal, log_, 1));
  time_.run();
  signal.notify_all();
  time_.abandon();
  EXPECT_EQ(log_, "end end ");
}

TEST_F(VirtualRoots, EndWithoutHavingBegun) {
  Signal signal(time_);
  time_.spawn(nest(signal, log_, 1));
  time_.abandon();
  EXPECT_EQ(log_, "");
}

}  // namespace
}  // namespace fencepost
