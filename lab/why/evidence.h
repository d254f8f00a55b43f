// What `why` needs of a capture beside the History: who asked for what and was refused, when a
// coordinator heard of a member last, what an application was busy with, which packets were lost.
// Read in one pass with the History; as large as what went wrong, not as the run is long.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/history.h"

namespace fencepost::lab::why {

// A member id, from when the coordinator took it in.
struct Member {
  std::string group;
  std::string id;
  std::string process;
  std::string instance;  // group.instance.id; empty: dynamic
  Moment added;
  std::optional<std::int64_t> session_ms{};  // as it said in its JoinGroup
  std::optional<std::int64_t> rebalance_ms{};
  std::string replaced{};  // a static one: the member id whose place it took
};

// When a coordinator armed a member's session last.
struct Heard {
  Tick tick;
  std::string how;  // "heard", "answered", "loaded"
};

// What an application is busy with: a record since a tick, after a poll that returned records.
struct Busy {
  std::string record;
  Tick since{0};
  std::int64_t batch = 0;
  std::optional<Tick> polled{};  // when poll returned last
};

struct Removal {
  Moment when;
  std::string group;
  std::string member;
  std::string reason;
  std::optional<Heard> heard{};
  Busy busy{};  // of the process, if it has one
};

// The coordinator moved a group to another state.
struct StateChange {
  Moment when;
  std::string group;
  std::string from;
  std::string to;
  std::int32_t generation = 0;
  std::string reason;
};

struct JoinRequest {
  Moment sent;
  std::string process;
  std::string group;
  std::string member;  // empty: none yet
  std::string instance;
  std::string reason;
  std::vector<std::string> protocols;
};

struct LeaveRequest {
  Moment sent;
  std::string process;  // who sent it
  std::string group;
  std::vector<std::string> members;  // ids, or group.instance.ids
  std::string reason;
  Busy busy{};
};

// A client has forgotten its membership: it left, was refused, or closes.
struct Unjoined {
  Moment when;
  std::string process;
  std::string group;
  std::string member;
  std::string reason;
  Busy busy{};
};

// Answers with an error: the same one to the same request of the same member, one after another.
struct Refusal {
  Moment first;
  Moment last;
  std::int64_t count = 1;
  std::string process;
  std::string api;
  std::string error;
  std::string exception;
  std::string group;
  std::string member;
  std::int32_t generation = -1;
  Moment sent;                           // the first request
  std::vector<TopicPartition> places{};  // where the error is a partition's
};

// What a client reports to its application.
struct Reported {
  Moment when;
  std::string process;
  std::string error;
  std::string exception;
  std::string detail;
  bool commit = false;
};

// Packets that a fault befell, one after another, by the two ends and the rule.
struct FaultedPackets {
  Moment first;
  Moment last;
  std::int64_t count = 1;
  std::string source;
  std::string destination;
  std::string api;
  bool response = false;
  wire::Packet::Fate fate = wire::Packet::DROPPED;  // ARRIVES: delayed
  int rule = -1;
};

// A request that got no answer for request.timeout.ms, after which a client looks for its
// coordinator again.
struct TimedOut {
  Moment when;
  std::string process;
  Tick asked;
};

// Ticks in a row in each of which a process sent something.
struct Activity {
  Tick first;
  Tick last;
};

struct Rewind {
  Moment when;
  std::string group;
  TopicPartition partition;
  Offset from;
  Offset to;
  std::string member;  // empty: none, it came from outside the group
  std::string process;
};

struct OffsetRemoval {
  Moment when;
  std::string group;
  TopicPartition partition;
  std::string reason;
};

struct TopicChange {
  Moment when;
  std::string what;  // the event's name
  std::string topic;
  std::string partitions;
  std::string process;  // who asked for it; empty: nobody
};

struct LogBegin {
  Moment when;
  TopicPartition partition;
  Offset begin;
};

struct Called {
  Moment when;
  std::string process;
  std::string method;
  std::string arguments;
};

struct Retry {
  Moment when;
  std::string process;
  TopicPartition partition;
  std::vector<std::string> records;
  std::string reason;
};

struct Loaded {
  Moment when;
  std::string broker;
};

// The first commit of a group for a partition.
struct Commit {
  Moment when;
  std::string process;
  Offset offset;
};

struct Evidence {
  static constexpr std::size_t kKept = 20'000;  // of each list; later ones are not known

  std::vector<Member> members;
  std::map<std::string, std::string> process_of_member;
  std::vector<Removal> removals;
  std::vector<StateChange> states;
  std::vector<JoinRequest> joins;
  std::vector<LeaveRequest> leaves;
  std::vector<Unjoined> unjoined;
  std::vector<Refusal> refusals;
  std::vector<Reported> reported;
  std::vector<FaultedPackets> faults;
  std::vector<TimedOut> timeouts;
  std::map<std::string, std::vector<Activity>> activity;  // by process
  std::vector<Rewind> rewinds;
  std::vector<OffsetRemoval> offset_removals;
  std::vector<TopicChange> topics;
  std::vector<LogBegin> log_begins;
  std::vector<Called> calls;
  std::vector<Retry> retries;
  std::vector<Loaded> loads;
  std::map<std::pair<std::string, TopicPartition>, Commit> first_commits;
};

// Collects it from records in the order of the capture, beside a HistoryBuilder.
class EvidenceBuilder {
 public:
  EvidenceBuilder();
  ~EvidenceBuilder();
  EvidenceBuilder(const EvidenceBuilder&) = delete;
  EvidenceBuilder& operator=(const EvidenceBuilder&) = delete;

  void add(const Moment& now, const wire::CaptureRecord& record);
  std::shared_ptr<const Evidence> take();

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace fencepost::lab::why
