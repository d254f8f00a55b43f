// A client's node with a scripted broker around it, as a small language: answer the next request of
// an API in a given way, pass ticks, see what was asked and told. Without a script the broker is
// kind: it has topics orders(3), payments(3), invoices(1), keeps what is written and committed, and
// runs a group of one member.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error_code.h"
#include "common/events.h"
#include "common/node.h"

namespace fencepost {

using Api = wire::Frame::PayloadCase;  // of the request

// What becomes of a request: an answer, nothing (it or its answer is lost), or a broken connection.
struct Reply {
  std::optional<wire::Frame> frame;
  bool disconnected = false;
  std::int64_t ticks = 2;  // from the request to the reply
};
inline Reply lost() { return {}; }
inline Reply disconnected() { return {.frame = std::nullopt, .disconnected = true}; }

// The kind broker's state and answers.
class KindBroker {
 public:
  Reply answer(const wire::Frame& request);

  // Appends records with these values to a partition, as an earlier producer would have.
  void write(const std::string& topic, std::int32_t partition,
             const std::vector<std::string>& values);
  std::vector<std::string> log(const std::string& topic, std::int32_t partition) const;

  using Where = std::pair<std::string, std::int32_t>;
  std::map<std::string, std::int32_t> topics{{"orders", 3}, {"payments", 3}, {"invoices", 1}};
  std::map<Where, std::int64_t> committed;
  std::int32_t generation = 0;
  int members = 0;  // ids given out

 private:
  wire::MetadataResponse metadata(const wire::MetadataRequest& request) const;
  wire::ListOffsetsResponse list_offsets(const wire::ListOffsetsRequest& request) const;
  wire::ProduceResponse produce(const wire::ProduceRequest& request);
  Reply fetch(const wire::FetchRequest& request) const;
  wire::JoinGroupResponse join(const wire::JoinGroupRequest& request);
  wire::SyncGroupResponse sync(const wire::SyncGroupRequest& request) const;
  wire::OffsetCommitResponse commit(const wire::OffsetCommitRequest& request);
  wire::OffsetFetchResponse fetch_offsets(const wire::OffsetFetchRequest& request) const;

  std::map<Where, std::vector<wire::RecordBatch>> logs_;
  std::map<Where, std::int64_t> ends_;
};

class ClientWorld {
 public:
  using Script = std::function<Reply(const wire::Frame& request)>;
  using Settings = std::map<std::string, std::string>;

  // The node starts in the first tick that passes. One tick is 1000 ms.
  ClientWorld(NodeFactory factory, Role role, const Settings& settings);

  // The next request of this API that has no script yet is answered so.
  void next(Api api, Script script) { scripts_[api].push_back(std::move(script)); }
  void next(Api api, Reply reply);
  // Every request of this API from now on; an empty script restores the kind answer.
  void always(Api api, Script script) { standing_[api] = std::move(script); }

  // Steps the node through every tick up to and including `tick` in which something is due.
  void run_to(std::int64_t tick);
  void pass(std::int64_t ticks) { run_to(now_ + ticks); }
  // Delivered in the next tick.
  void control(wire::Control::Kind kind, std::int64_t ticks = 0);
  // Kafka's method, called by the application.
  void call(const std::string& method, const std::vector<std::string>& arguments = {});
  // The node is destroyed in the middle of whatever it does.
  void kill() { node_.reset(); }
  // A process that is stopped: what is due up to `tick` is seen in that tick only.
  void freeze_to(std::int64_t tick) { frozen_until_ = tick; }

  struct Sent {
    std::int64_t tick = 0;
    wire::Frame frame;
    wire::Cause cause;
  };
  struct Told {
    std::int64_t tick = 0;
    wire::Event event;
    wire::Cause cause;
    std::string value(std::string_view key) const {
      return std::string(events::value_of(event, key));
    }
  };
  const std::vector<Sent>& requests() const { return requests_; }
  std::vector<Sent> requests_of(Api api) const;
  const std::vector<Told>& events() const { return events_; }
  std::vector<Told> events_named(std::string_view name) const;
  // The APIs asked for, in order, as "Metadata FindCoordinator"; heartbeats are left out.
  std::string conversation() const;

  std::int64_t now() const { return now_; }
  std::optional<int> exit_code() const { return exit_code_; }
  bool idle() const { return inboxes_.empty() && !wake_; }  // nothing will ever happen again
  KindBroker& broker() { return broker_; }

 private:
  void step();
  void take(const wire::Emission& emission);
  void reply_to(const wire::Frame& request);
  std::optional<std::int64_t> next_tick() const;

  std::unique_ptr<Node> node_;
  KindBroker broker_;
  std::map<Api, std::deque<Script>> scripts_;
  std::map<Api, Script> standing_;
  std::map<std::int64_t, std::vector<Delivery>> inboxes_;
  std::optional<std::int64_t> wake_ = 0;
  std::int64_t now_ = -1;
  std::int64_t frozen_until_ = -1;
  std::uint64_t next_sequence_ = 1;
  std::optional<int> exit_code_;
  std::vector<Sent> requests_;
  std::vector<Told> events_;
};

}  // namespace fencepost
