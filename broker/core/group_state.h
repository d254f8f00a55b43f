// The states of a classic consumer group, and the moves that are allowed (group-protocol 1.2).
//
//   Empty --> PreparingRebalance --> CompletingRebalance --> Stable
//     ^------------/    ^----------------------/               /
//                       ^-------------------------------------/        any --> Dead
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "common/check.h"
#include "common/ids.h"

namespace fencepost::broker {

enum class GroupState {
  kEmpty,                // no members; may hold offsets and ids handed out
  kPreparingRebalance,   // collecting JoinGroups
  kCompletingRebalance,  // joins answered, waiting for the leader's SyncGroup
  kStable,               // the assignment is known
  kDead,                 // its partition of the offsets topic was unloaded here
};

inline constexpr std::array kAllGroupStates = {GroupState::kEmpty, GroupState::kPreparingRebalance,
                                               GroupState::kCompletingRebalance,
                                               GroupState::kStable, GroupState::kDead};

struct GroupMove {
  GroupState from;
  GroupState to;
};

inline constexpr std::array kGroupMoves = std::to_array<GroupMove>({
    {GroupState::kEmpty, GroupState::kPreparingRebalance},
    {GroupState::kPreparingRebalance, GroupState::kCompletingRebalance},
    {GroupState::kPreparingRebalance, GroupState::kEmpty},
    {GroupState::kCompletingRebalance, GroupState::kPreparingRebalance},
    {GroupState::kCompletingRebalance, GroupState::kStable},
    {GroupState::kStable, GroupState::kPreparingRebalance},
    {GroupState::kEmpty, GroupState::kDead},
    {GroupState::kPreparingRebalance, GroupState::kDead},
    {GroupState::kCompletingRebalance, GroupState::kDead},
    {GroupState::kStable, GroupState::kDead},
});

constexpr bool may_move(GroupState from, GroupState to) {
  return std::ranges::any_of(
      kGroupMoves, [=](const GroupMove& move) { return move.from == from && move.to == to; });
}

// Kafka's name, as its tools print it.
constexpr std::string_view name_of(GroupState state) {
  switch (state) {
    case GroupState::kEmpty:
      return "Empty";
    case GroupState::kPreparingRebalance:
      return "PreparingRebalance";
    case GroupState::kCompletingRebalance:
      return "CompletingRebalance";
    case GroupState::kStable:
      return "Stable";
    case GroupState::kDead:
      return "Dead";
  }
  return {};
}

// A group's state, the one before it, and since when. Changes by transition() alone.
class GroupStatus {
 public:
  GroupStatus(GroupState initial, std::int64_t since_ms)
      : state_(initial), previous_(GroupState::kEmpty), since_ms_(since_ms) {}

  GroupState state() const { return state_; }
  GroupState previous() const { return previous_; }
  std::int64_t since_ms() const { return since_ms_; }  // virtual ms

  // `why` goes into the message if the move is a bug.
  void transition(GroupState to, std::string_view why, std::int64_t now_ms) {
    CHECK(may_move(state_, to), "{} -> {}: {}", name_of(state_), name_of(to), why);
    previous_ = state_;
    state_ = to;
    since_ms_ = now_ms;
  }

 private:
  GroupState state_;
  GroupState previous_;
  std::int64_t since_ms_;
};

}  // namespace fencepost::broker
