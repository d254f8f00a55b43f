#include "common/ids.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace fencepost {
namespace {

template <class Left, class Right>
concept Addable = requires(Left left, Right right) {
  left + right;
};
template <class Left, class Right>
concept Subtractable = requires(Left left, Right right) {
  left - right;
};

TEST(Ids, DoNotConvertToEachOtherOrToNumbers) {
  EXPECT_FALSE((std::is_convertible_v<std::int64_t, Tick>));
  EXPECT_FALSE((std::is_convertible_v<Tick, std::int64_t>));
  EXPECT_FALSE((std::is_convertible_v<Tick, Offset>));
  EXPECT_FALSE((std::is_constructible_v<Tick, Offset>));
  EXPECT_FALSE((std::is_convertible_v<std::string, MemberId>));
}

TEST(Ids, HaveOnlyTheArithmeticThatHasAMeaning) {
  EXPECT_TRUE((Addable<Tick, TickSpan>));
  EXPECT_FALSE((Addable<Tick, Tick>));
  EXPECT_FALSE((Addable<Tick, std::int64_t>));
  EXPECT_FALSE((Addable<Offset, Offset>));
  EXPECT_FALSE((Subtractable<Tick, Offset>));
  EXPECT_EQ(Tick(5) + TickSpan(3), Tick(8));
  EXPECT_EQ(Tick(8) - Tick(5), TickSpan(3));
  EXPECT_EQ(Offset(8) - Offset(5), 3);
}

TEST(Ids, AreOrderedByTheirValues) {
  EXPECT_LT(Tick(1), Tick(2));
  EXPECT_LT(kNoGeneration, Generation(0));
  EXPECT_LT(MemberId("C1"), MemberId("C2"));
  const TopicPartition orders{.topic = "orders", .partition = PartitionId(10)};
  const TopicPartition payments{.topic = "payments", .partition = PartitionId(2)};
  EXPECT_LT(orders, payments);
  EXPECT_EQ(to_string(orders), "orders-10");
}

struct Rounding {
  std::int64_t ms;
  std::int64_t tick_ms;
  std::int64_t ticks;
};

TEST(Ids, MillisecondsBecomeTicksByRoundingUp) {
  constexpr Rounding kCases[] = {
      {0, 1000, 0},  {1, 1000, 1},      {999, 1000, 1}, {1000, 1000, 1}, {1001, 1000, 2},
      {500, 1, 500}, {45000, 1000, 45}, {100, 1000, 1}, {7, 3, 3},
  };
  for (const Rounding& tested : kCases) {
    EXPECT_EQ(ticks_of_ms(tested.ms, TickLength(tested.tick_ms)), TickSpan(tested.ticks))
        << tested.ms << " ms in ticks of " << tested.tick_ms;
  }
}

}  // namespace
}  // namespace fencepost
