// Every strong type of the project. Explicit in, `.value()` out, ordered, and only the arithmetic
// that has a meaning: an offset is never a tick, and neither is an int.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>

namespace fencepost {

template <class Tag, class Value>
class Strong {
 public:
  using ValueType = Value;
  constexpr Strong() = default;
  constexpr explicit Strong(Value value) : value_(std::move(value)) {}
  constexpr const Value& value() const { return value_; }
  friend constexpr auto operator<=>(const Strong&, const Strong&) = default;

 private:
  Value value_{};
};

// A length of virtual time, in ticks.
using TickSpan = Strong<struct TickSpanTag, std::int64_t>;

// An instant of virtual time. The first tick of a run is 0.
class Tick : public Strong<struct TickTag, std::int64_t> {
 public:
  using Strong::Strong;
  friend constexpr Tick operator+(Tick tick, TickSpan span) {
    return Tick(tick.value() + span.value());
  }
  friend constexpr TickSpan operator-(Tick later, Tick earlier) {
    return TickSpan(later.value() - earlier.value());
  }
};

// Which life of a name: 1 for the first process that joins under it.
using Incarnation = Strong<struct IncarnationTag, std::uint32_t>;

// A position in a partition's log; a committed offset is the next record to read.
class Offset : public Strong<struct OffsetTag, std::int64_t> {
 public:
  using Strong::Strong;
  friend constexpr Offset operator+(Offset offset, std::int64_t records) {
    return Offset(offset.value() + records);
  }
  friend constexpr std::int64_t operator-(Offset later, Offset earlier) {
    return later.value() - earlier.value();
  }
};

using PartitionId = Strong<struct PartitionIdTag, std::int32_t>;
using Generation = Strong<struct GenerationTag, std::int32_t>;
using MemberId = Strong<struct MemberIdTag, std::string>;
using GroupId = Strong<struct GroupIdTag, std::string>;
using NodeId = Strong<struct NodeIdTag, std::int32_t>;

// "No generation" on the wire.
inline constexpr Generation kNoGeneration{-1};

struct TopicPartition {
  std::string topic;
  PartitionId partition;
  friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

// "orders-2", as Kafka prints it.
inline std::string to_string(const TopicPartition& where) {
  return where.topic + "-" + std::to_string(where.partition.value());
}

// How many virtual milliseconds one tick is.
using TickLength = Strong<struct TickLengthTag, std::int64_t>;

// Kafka's *.ms values become ticks by rounding up (DESIGN 3), so 0 stays 0 and 1 is at least 1.
constexpr TickSpan ticks_of_ms(std::int64_t ms, TickLength tick_ms) {
  return TickSpan((ms + tick_ms.value() - 1) / tick_ms.value());
}

}  // namespace fencepost
