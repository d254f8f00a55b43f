// A broker's core with clients around it, as a small language: send, expect, pass ticks, restart.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/broker_core.h"
#include "common/events.h"

namespace fencepost::broker {

// Topics orders(3), payments(3), invoices(1); one tick is 1000 ms; no initial delay.
BrokerConfig test_config();

class BrokerWorld {
 public:
  explicit BrokerWorld(BrokerConfig config = test_config());

  // -- the broker --
  // Sends a request now and returns what its answer is known by.
  std::int32_t send(const std::string& client, wire::Frame request);
  // Takes the answer; nothing while it is parked.
  std::optional<wire::Frame> answer(std::int32_t request);
  // Fires what is due, tick by tick.
  void pass(std::int64_t ticks);
  // Timers due now, as at the end of a step.
  void settle();
  // kill -9 and a new life: a core over what was stored.
  void restart();
  void restart_with(BrokerConfig config);

  std::int64_t now() const { return now_.value(); }
  BrokerCore& core() { return *core_; }
  // Removes from storage what the host may: as after a step that was accepted.
  void remove_obsolete();
  const std::vector<wire::StoredRow>& rows() const { return rows_; }
  const std::vector<wire::Event>& events() const { return events_; }
  std::vector<wire::Event> events_named(std::string_view name) const;
  // The causes under which answers and events left, in order with events().
  const wire::Cause& cause_of_answer(std::int32_t request) const { return causes_.at(request); }

 private:
  void perform(std::vector<Effect> effects, const wire::Cause& cause);

  BrokerConfig config_;
  std::unique_ptr<BrokerCore> core_;
  Tick now_{0};
  std::int32_t next_request_ = 1;
  std::map<std::int32_t, wire::Frame> answers_;
  std::map<std::int32_t, wire::Cause> causes_;
  std::vector<wire::StoredRow> rows_;
  std::vector<wire::Event> events_;
};

// A member as a test sees it: the process, and the id that it was given.
struct TestMember {
  std::string client;
  std::string id;
};

struct JoinTerms {
  std::string type = "consumer";
  std::vector<std::string> protocols = {"range"};
  std::string metadata = "m";
  std::int32_t session_ms = 10'000;
  std::int32_t rebalance_ms = 30'000;
  std::optional<std::string> instance = std::nullopt;
  std::string group = "billing";
};

// The same for the members of one group, "billing".
class GroupWorld : public BrokerWorld {
 public:
  using BrokerWorld::BrokerWorld;

  // -- requests; each returns its number --
  std::int32_t join(const TestMember& member, const JoinTerms& terms = {});
  std::int32_t sync(const TestMember& member, std::int32_t generation,
                    const std::map<std::string, std::string>& assignments = {},
                    const std::optional<std::string>& instance = {});
  std::int32_t heartbeat(const TestMember& member, std::int32_t generation,
                         const std::optional<std::string>& instance = {});
  std::int32_t leave(const std::vector<TestMember>& members);
  std::int32_t commit(const TestMember& member, std::int32_t generation, const std::string& topic,
                      std::int32_t partition, std::int64_t offset);

  // -- answers --
  bool parked(std::int32_t request) { return !peek(request).has_value(); }
  // The error of an answer of any group API; of the first entry where there are several.
  ErrorCode error(std::int32_t request);
  wire::JoinGroupResponse joined(std::int32_t request);
  wire::SyncGroupResponse synced(std::int32_t request);

  // -- whole steps --
  // The id that the broker hands out to a client that joins without one.
  TestMember reserve(const std::string& client, const JoinTerms& terms = {});
  // A Stable group of these clients, in its first generation; the first one leads.
  std::vector<TestMember> stable_group(const std::vector<std::string>& clients,
                                       const JoinTerms& terms = {});
  // The same, with the leader's Sync still to come.
  std::vector<TestMember> completing_group(const std::vector<std::string>& clients,
                                           const JoinTerms& terms = {});
  std::int64_t committed(const std::string& topic, std::int32_t partition);

  // -- the group --
  const Group* group() { return core().groups().find("billing"); }
  // "E", "P", "C", "S", "D"; "A" if there is none.
  std::string state();
  std::int32_t generation() { return group()->generation.value(); }

 private:
  const std::optional<wire::Frame>& peek(std::int32_t request);
  std::map<std::int32_t, std::optional<wire::Frame>> seen_;
};

}  // namespace fencepost::broker
