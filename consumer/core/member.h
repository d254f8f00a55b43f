// A group member's own view of its membership (group-protocol 3.1): state, identity, and what it
// still has to do. Shared by the join, the heartbeats and the commits; each move is checked and
// reported.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/client_node.h"
#include "consumer/core/consumer_config.h"

namespace fencepost::consumer {

enum class MemberState { kUnjoined, kPreparingRebalance, kCompletingRebalance, kStable };

std::string_view to_string(MemberState state);  // "PREPARING_REBALANCE"

// Every move there is. A JoinGroup may be sent from anywhere, and a reset come at any time.
inline constexpr std::array kMemberMoves = std::to_array<std::pair<MemberState, MemberState>>({
    {MemberState::kUnjoined, MemberState::kUnjoined},
    {MemberState::kUnjoined, MemberState::kPreparingRebalance},
    {MemberState::kPreparingRebalance, MemberState::kUnjoined},
    {MemberState::kPreparingRebalance, MemberState::kPreparingRebalance},
    {MemberState::kPreparingRebalance, MemberState::kCompletingRebalance},
    {MemberState::kCompletingRebalance, MemberState::kUnjoined},
    {MemberState::kCompletingRebalance, MemberState::kPreparingRebalance},
    {MemberState::kCompletingRebalance, MemberState::kStable},
    {MemberState::kStable, MemberState::kUnjoined},
    {MemberState::kStable, MemberState::kPreparingRebalance},
});

bool may_move(MemberState from, MemberState to);

// Kafka's "generation": what a request of the member carries.
struct Identity {
  Generation generation = kNoGeneration;
  MemberId member_id;
  std::string protocol;  // the assignor that the group voted for
  friend bool operator==(const Identity&, const Identity&) = default;
};

class Member {
 public:
  // `changed` is for poll, `background` for the heartbeats; both are notified of every move.
  Member(Client& client, const ConsumerConfig& config, Signal& changed, Signal& background);

  MemberState state() const { return state_; }
  const Identity& identity() const { return identity_; }
  // The identity before the last reset: what a zombie still believes in.
  const Identity& former_identity() const { return former_; }
  bool has_generation() const {
    return identity_.generation != kNoGeneration && !identity_.member_id.value().empty();
  }
  // A rebalance that this member knows of is on its way.
  bool rebalancing() const {
    return state_ == MemberState::kPreparingRebalance ||
           state_ == MemberState::kCompletingRebalance;
  }
  // Heartbeats are sent in these states.
  bool heartbeats_wanted() const {
    return state_ == MemberState::kCompletingRebalance || state_ == MemberState::kStable;
  }

  bool rejoin_needed() const { return rejoin_needed_; }
  const std::string& rejoin_reason() const { return rejoin_reason_; }
  void request_rejoin(std::string reason);
  bool needs_prepare() const { return needs_prepare_; }
  void set_needs_prepare(bool needed) { needs_prepare_ = needed; }

  void join_sent();
  // The coordinator has given an id to come back with (MEMBER_ID_REQUIRED).
  void take_member_id(MemberId id);
  void joined(Identity identity);
  void synced();
  // Back to UNJOINED, to join again. The id is kept only after ILLEGAL_GENERATION.
  void reset(bool keep_member_id, std::string reason);

  // Something that the application has to hear of at its next poll or commit.
  void fail(ClientError error);
  std::optional<ClientError> take_failure() { return std::exchange(failure_, std::nullopt); }

  // Kafka's maybeLeaveGroup: a dynamic member that has joined sends LeaveGroup to the coordinator,
  // if that is known, and is UNJOINED at once; the returned coroutine only waits for the answer,
  // whatever it is.
  Task<void> leave(std::optional<std::string> coordinator, std::string reason);

 private:
  void move(MemberState to, std::string_view reason);

  Client& client_;
  const ConsumerConfig& config_;
  Signal& changed_;
  Signal& background_;
  MemberState state_ = MemberState::kUnjoined;
  Identity identity_;
  Identity former_;
  bool rejoin_needed_ = true;
  std::string rejoin_reason_;
  bool needs_prepare_ = true;
  std::optional<ClientError> failure_;
};

}  // namespace fencepost::consumer
