#include "clock/pacing.h"

#include <gtest/gtest.h>

namespace fencepost::clock {
namespace {

using namespace std::chrono_literals;

const Pacing::Instant kStart{1000s};

Pacing paced() {
  Pacing pacing(100ms);
  pacing.begin(kStart);
  return pacing;
}

TEST(Pacing, FreeRunWaitsForNothing) {
  Pacing pacing(0ms);
  pacing.begin(kStart);
  EXPECT_TRUE(pacing.opening_of(Tick(1000)) <= kStart);
  EXPECT_EQ(pacing.reached(kStart + 5s, Tick(7)), Tick(8));
}

TEST(Pacing, TickLastsAsLongAsWasSaid) {
  const Pacing pacing = paced();
  EXPECT_EQ(pacing.opening_of(Tick(3)), kStart + 300ms);
  EXPECT_EQ(pacing.reached(kStart + 299ms, Tick(1)), Tick(2));
  EXPECT_EQ(pacing.reached(kStart + 300ms, Tick(1)), Tick(3));
}

TEST(Pacing, LateTickSetsThePaceInsteadOfHurryingAfterIt) {
  Pacing pacing = paced();
  pacing.opened(Tick(2), kStart + 250ms);  // a little late: nothing changes
  EXPECT_EQ(pacing.opening_of(Tick(3)), kStart + 300ms);
  pacing.opened(Tick(3), kStart + 5s);  // the machine slept
  EXPECT_EQ(pacing.opening_of(Tick(4)), kStart + 5s + 100ms);
  EXPECT_EQ(pacing.reached(kStart + 5s, Tick(2)), Tick(3));
}

TEST(Pacing, PauseHoldsTheTickThatItHasReached) {
  Pacing pacing = paced();
  pacing.pause(kStart + 450ms, Tick(2));
  EXPECT_EQ(pacing.opening_of(Tick(3)), std::nullopt);
  EXPECT_EQ(pacing.reached(kStart + 9s, Tick(2)), Tick(4));
  EXPECT_EQ(pacing.reached(kStart + 9s, Tick(4)), Tick(5)) << "a fact has opened tick 4";
  pacing.go(kStart + 10s);
  EXPECT_EQ(pacing.reached(kStart + 10s + 99ms, Tick(2)), Tick(4));
  EXPECT_EQ(pacing.opening_of(Tick(5)), kStart + 10s + 100ms);
}

TEST(Pacing, StepsAreCountedInTicksThatHappen) {
  Pacing pacing = paced();
  pacing.step(2, kStart + 50ms, Tick(0));
  EXPECT_TRUE(pacing.opening_of(Tick(40)).has_value());
  pacing.opened(Tick(40), kStart + 60ms);
  EXPECT_TRUE(pacing.is_stepping());
  pacing.opened(Tick(41), kStart + 61ms);
  EXPECT_FALSE(pacing.is_stepping());
  EXPECT_TRUE(pacing.is_paused());
  EXPECT_EQ(pacing.opening_of(Tick(42)), std::nullopt);
  EXPECT_EQ(pacing.reached(kStart + 70ms, Tick(41)), Tick(42));
}

TEST(Pacing, NewPaceHoldsFromTheTickThatIsReached) {
  Pacing pacing = paced();
  pacing.set_pace(1000ms, kStart + 200ms, Tick(1));
  EXPECT_EQ(pacing.opening_of(Tick(3)), kStart + 200ms + 1s);
  pacing.set_pace(0ms, kStart + 300ms, Tick(2));
  EXPECT_TRUE(pacing.opening_of(Tick(500)) <= kStart);
}

TEST(Pacing, PauseBeforeTheFirstTickHoldsIt) {
  Pacing pacing(100ms);
  pacing.pause(kStart, Tick(-1));
  EXPECT_EQ(pacing.opening_of(Tick(0)), std::nullopt);
  EXPECT_EQ(pacing.reached(kStart + 1s, Tick(-1)), Tick(0));
}

}  // namespace
}  // namespace fencepost::clock
