#include "consumer/core/member.h"

#include <algorithm>

#include "common/check.h"
#include "common/events.h"

namespace fencepost::consumer {

std::string_view to_string(MemberState state) {
  switch (state) {
    case MemberState::kUnjoined:
      return "UNJOINED";
    case MemberState::kPreparingRebalance:
      return "PREPARING_REBALANCE";
    case MemberState::kCompletingRebalance:
      return "COMPLETING_REBALANCE";
    case MemberState::kStable:
      return "STABLE";
  }
  return "";
}

bool may_move(MemberState from, MemberState to) {
  return std::find(kMemberMoves.begin(), kMemberMoves.end(), std::pair(from, to)) !=
         kMemberMoves.end();
}

Member::Member(Client& client, const ConsumerConfig& config, Signal& changed, Signal& background)
    : client_(client), config_(config), changed_(changed), background_(background) {}

void Member::move(MemberState to, std::string_view reason) {
  CHECK(may_move(state_, to), "member {}: {} -> {}", identity_.member_id.value(), to_string(state_),
        to_string(to));
  if (state_ != to) {
    client_.report(events::make(events::kClientState,
                                {{"group", config_.group->value()},
                                 {"member", identity_.member_id.value()},
                                 {"generation", std::to_string(identity_.generation.value())},
                                 {"from", std::string(to_string(state_))},
                                 {"to", std::string(to_string(to))},
                                 {"reason", std::string(reason)}}));
  }
  state_ = to;
  changed_.notify_all();
  background_.notify_all();
}

void Member::request_rejoin(std::string reason) {
  rejoin_needed_ = true;
  rejoin_reason_ = std::move(reason);
  changed_.notify_all();
}

void Member::join_sent() {
  move(MemberState::kPreparingRebalance,
       rejoin_reason_.empty() ? std::string_view("JoinGroup sent") : rejoin_reason_);
}

void Member::take_member_id(MemberId id) {
  identity_ = Identity{.generation = kNoGeneration, .member_id = std::move(id), .protocol = {}};
}

void Member::joined(Identity identity) {
  identity_ = std::move(identity);
  move(MemberState::kCompletingRebalance, "JoinGroup answered");
}

void Member::synced() {
  rejoin_needed_ = false;
  rejoin_reason_.clear();
  move(MemberState::kStable, "SyncGroup answered");
}

void Member::reset(bool keep_member_id, std::string reason) {
  if (has_generation()) former_ = identity_;
  move(MemberState::kUnjoined, reason);
  identity_ = Identity{.generation = kNoGeneration,
                       .member_id = keep_member_id ? identity_.member_id : MemberId(),
                       .protocol = {}};
  needs_prepare_ = true;
  request_rejoin(std::move(reason));
}

void Member::fail(ClientError error) {
  if (!failure_) failure_ = error;
  changed_.notify_all();
}

Task<void> Member::leave(std::optional<std::string> coordinator, std::string reason) {
  const bool sends = !config_.instance_id && coordinator && state_ != MemberState::kUnjoined &&
                     !identity_.member_id.value().empty();
  wire::Frame frame;
  wire::LeaveGroupRequest* request = frame.mutable_leave_group_request();
  request->set_group_id(config_.group->value());
  auto* leaver = request->add_members();
  leaver->set_member_id(identity_.member_id.value());
  leaver->set_reason(reason);
  if (state_ != MemberState::kUnjoined) reset(false, std::move(reason));
  if (sends) {
    const std::string destination = *coordinator;
    co_await client_.call(destination, std::move(frame), config_.request_timeout);
  }
}

}  // namespace fencepost::consumer
