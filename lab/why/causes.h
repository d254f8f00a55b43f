// Finds why: from a fact to the fact before it, until a start, a rule, a person or a deadline is
// reached. One function per kind of fact; each gives a chain, the nearest cause first.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lab/history.h"
#include "lab/why/evidence.h"
#include "lab/why/link.h"
#include "lab/why/settings.h"
#include "proto/plan.pb.h"

namespace fencepost::lab::why {

class Causes {
 public:
  // `history` was read with its evidence. Both outlive this.
  Causes(const History& history, const wire::Plan* plan);

  // ---- groups (group_causes.cc) ----
  // Why the coordinator moved the group to PreparingRebalance.
  Chain of_rebalance(const StateChange& prepared) const;
  // Why a membership ended.
  Chain of_removal(const Removal& removal) const;
  Chain of_membership(const Member& member) const;
  // Why a process joined again though it is a member.
  Chain of_rejoin(const std::string& process, const std::string& group, const Moment& before) const;

  // ---- processes (process_causes.cc) ----
  // Why nothing was heard of a process from one tick to another.
  Chain of_silence(const std::string& process, Tick from, const Moment& to, const Busy& busy) const;
  // Why a process sent a LeaveGroup for itself.
  Chain of_leaving(const LeaveRequest& leave) const;
  // Why a client has forgotten its membership.
  Chain of_unjoining(const Unjoined& unjoined) const;
  Link started(const Life& life) const;

  // ---- errors (error_causes.cc) ----
  Chain of_refusal(const Refusal& refusal) const;
  Chain of_report(const Reported& reported) const;

  // ---- offsets and records (record_causes.cc) ----
  Chain of_reset(const ResetFact& reset) const;
  Chain of_duplicate(const std::string& group, const std::string& record) const;
  Chain of_loss(const std::string& group, const std::string& record) const;
  // Why there is no committed offset, or the position is none in the log.
  Chain of_unstored(const std::string& group, const TopicPartition& where,
                    const Moment& before) const;

  // Who of a group did a record, and when, in order: by invoices where the group writes some.
  std::vector<Processed> done(const std::string& group, const std::string& record) const;

  // Who was a member at that moment or is told of later; the id itself if nobody knows.
  std::string process_of(const std::string& member) const;
  const Member* member(const std::string& group, const std::string& id) const;
  const Settings& settings() const { return settings_; }
  const Evidence& evidence() const { return evidence_; }
  const History& history() const { return history_; }
  // "rule {at: 40, kill: C2}" or "a person"; empty if nobody did it.
  std::string doer(const LifecycleFact& fact) const;

 private:
  const Life* life_at(const std::string& process, const Moment& when) const;
  std::string role_of(const std::string& process) const;
  Chain of_late_poll(const std::string& process, const Moment& when, const Busy& busy) const;
  Chain of_end(const std::string& process, const Moment& before) const;
  std::optional<Link> stop_of(const std::string& process, Tick from, Tick to) const;
  std::optional<Link> fault_of(const std::string& process, Tick from, Tick to) const;
  void set_partition(Link& link, const FaultedPackets& fault, Tick to) const;
  Chain of_request_timeout(const std::string& process, Tick from, Tick to) const;
  bool sent_in(const std::string& process, Tick from, Tick to) const;
  std::optional<Link> slow_of(const std::string& process, Tick from, Tick to,
                              const Busy& busy) const;
  std::string called_by(const Called& call) const;
  std::optional<Link> called(const std::string& process, std::string_view method,
                             const Moment& before) const;
  Chain of_topics(const std::string& process, const std::string& group, const Moment& before) const;
  const Removal* removal_of(const std::string& group, const std::string& member,
                            const Moment& before) const;
  const LeaveRequest* leave_of(const std::string& group, const std::string& member,
                               const Moment& before) const;
  Chain of_taken(const Member& taker) const;
  std::string given_up(const JoinRequest& join) const;
  Chain of_answered_rejoin(const JoinRequest& join, Link link) const;
  Chain of_ownership_end(const Ownership& owned) const;
  Chain of_generation(const std::string& group, std::int32_t generation) const;
  Chain of_repetition(const std::string& group, const TopicPartition& home, const Ownership& now,
                      const Processed& first) const;
  Chain of_retry(const Retry& retry) const;
  const Refusal* refused_commit(const std::string& group, const Processed& done,
                                const Ownership& next) const;
  Chain of_begin(const TopicPartition& home, const Ownership& now) const;
  const Ownership* reading(const std::string& group, const TopicPartition& home,
                           const Processed& done) const;
  const ResetFact* reset_in(const Ownership& owned) const;
  Link committed_by(const OffsetFact& commit, Kind kind) const;
  const Ownership* ownership_of(const std::string& group, const TopicPartition& where,
                                const std::string& process, const Moment& before) const;
  Chain of_known_error(const Refusal& refusal) const;
  Chain of_other_generation(const Refusal& refusal) const;
  Chain of_missed_rebalance(const Refusal& refusal, const StateChange& formed) const;
  Chain of_protocols(const Refusal& refusal) const;
  Chain of_loading(const Refusal& refusal) const;
  Chain of_group_removal(const Refusal& refusal) const;
  bool is_restart(const Loaded& loaded) const;
  std::optional<Setting> member_time(const Member* member, const std::string& process,
                                     std::string_view property) const;

  const History& history_;
  const Evidence& evidence_;
  const wire::Plan* plan_;
  Settings settings_;
};

}  // namespace fencepost::lab::why
