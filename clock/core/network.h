// Connections and the fate of each frame: the clock's decisions, taken when a tick closes (DESIGN
// 3). A connection binds (client, incarnation) to (server, incarnation); the client's first request
// opens it, and it is FIFO in both directions unless a rule says reorder.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clock/core/participant.h"
#include "common/random.h"
#include "proto/plan.pb.h"

namespace fencepost::clock {

bool is_response(const wire::Frame& frame);
// "JoinGroup" for its request and its response; empty for a frame without payload.
std::string api_name(const wire::Frame& frame);

struct Fate {
  wire::Packet::Fate kind = wire::Packet::ARRIVES;
  Tick arrival{0};            // ARRIVES only
  std::optional<int> rule{};  // whose fault lost, delayed or reordered it
};

// The news for one end of a connection that the other end is gone.
struct Parting {
  std::string to;
  Incarnation to_incarnation;
  InFlight news;
};

class Network {
 public:
  explicit Network(std::uint64_t seed) : seed_(seed) {}

  void joined(const ParticipantId& who);
  // `who` is gone from tick `label` on. Says who is told, and when: one tick later and after the
  // last frame in flight. In order of the other end's name.
  std::vector<Parting> died(const ParticipantId& who, Tick label);

  // Fixes what becomes of a frame sent in `now`; link faults match in the order in which they were
  // added, the first wins. A refused request is answered by `refusal`, two ticks later.
  Fate route(const wire::Frame& frame, Tick now);
  static InFlight refusal(const wire::Frame& frame, Tick now);

  // DROP, DELAY, REORDER or PARTITION; `rule` is the index of the rule that says so.
  void add_fault(const wire::Action& action, int rule);
  void heal() { faults_.clear(); }

 private:
  struct ConnectionKey {
    std::string client;
    Incarnation client_incarnation;
    std::string server;
    friend auto operator<=>(const ConnectionKey&, const ConnectionKey&) = default;
  };
  struct Direction {
    Tick last_in_order{-1};  // arrival of the last frame that keeps the order
    Tick last{-1};           // arrival of the last frame of all
  };
  struct Connection {
    Incarnation server_incarnation;
    Direction to_server{};
    Direction to_client{};
    std::set<std::int32_t> unanswered{};  // correlation ids
  };
  struct Fault {
    wire::Action action;
    int rule = 0;
    std::int64_t left = -1;  // how many frames it still takes; negative: no limit
    Random random;
  };

  Fault* matching_fault(const wire::Frame& frame);
  static Fate schedule(Direction& direction, const Fault* fault, Tick now);
  Fate route_request(const wire::Frame& frame, const Fault* fault, Tick now);
  Fate route_response(const wire::Frame& frame, const Fault* fault, Tick now);

  std::uint64_t seed_;
  std::map<std::string, Incarnation> active_;
  std::map<ConnectionKey, Connection> connections_;
  std::vector<Fault> faults_;
  std::uint64_t faults_added_ = 0;
};

}  // namespace fencepost::clock
