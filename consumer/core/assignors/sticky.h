// Kafka's sticky assignors (group-protocol 5.3 to 5.6): everybody keeps what he has, as far as the
// group stays balanced, and as little as possible moves.
//
// With equal subscriptions the result is within one and the moves are the fewest possible; with
// unequal ones it is Kafka's search for a better balance, move by move.
//
// The cooperative one withholds, for this round, what another member still has: the old owner sees
// it missing, revokes it and rejoins, and in the next round nobody has it. The eager one takes the
// claims from its own user data, since eager members own nothing when they join.
#pragma once

#include "consumer/core/assignors/assignor.h"

namespace fencepost::consumer {

class StickyAssignor final : public Assignor {
 public:
  std::string_view name() const override { return "sticky"; }
  GroupAssignment assign(const AssignorInput& input) const override;
  std::string user_data(const TopicPartitions& last, Generation generation) const override;
};

class CooperativeStickyAssignor final : public Assignor {
 public:
  std::string_view name() const override { return "cooperative-sticky"; }
  bool supports_cooperative() const override { return true; }
  GroupAssignment assign(const AssignorInput& input) const override;
  GroupAssignment withheld(const AssignorInput& input) const override;
};

}  // namespace fencepost::consumer
