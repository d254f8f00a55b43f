// What happened in a run, as facts: read from its capture as a stream, and as large as what is
// undecided or went wrong in it, and as its rebalances, not as its length. Checkers, expectations
// and the story judge by nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error_code.h"
#include "common/ids.h"
#include "lab/expectation.h"
#include "lab/numbered_names.h"
#include "lab/partition_names.h"
#include "proto/capture.pb.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

namespace why {
struct Evidence;
}  // namespace why

// The reason in a capture's end if the event came that the scenario waited for (clock/core).
inline constexpr std::string_view kEndedByEvent = "until event";

// A point of the capture: its tick, and the number of its record, which orders all facts.
struct Moment {
  Tick tick;
  std::uint64_t record = 0;
  friend auto operator<=>(const Moment&, const Moment&) = default;
};

// One life of a process. A KILL's tick is the first without it; an EXIT's is its last.
struct Life {
  enum class End { kRunning, kKilled, kExited };
  std::string process;
  Incarnation incarnation;
  std::string role;
  Moment joined;
  std::optional<Moment> ended;
  End end = End::kRunning;
  int exit_code = 0;
  std::string in_hand;  // the record that its application was processing when it ended, or now
};

struct LifecycleFact {
  Moment when;
  wire::Lifecycle what;
  std::string in_hand;  // as in Life, at this moment
};

struct FiredFact {
  Moment when;
  std::string text;
  int rule = -1;  // its index in the plan
};

// The coordinator stored a committed offset; a client asked for it; a client was told it.
struct OffsetFact {
  Moment when;
  std::string process;  // whose commit; who asked; who was told
  std::string group;
  TopicPartition partition;
  std::optional<Offset> offset;  // told: absent if nothing was committed
};

// ---- groups ----

// A member's time with a partition, from onPartitionsAssigned to the end of it.
struct Ownership {
  enum class End { kOpen, kRevoked, kLost, kDied };
  struct FirstFetch {
    Moment when;
    Offset offset;
    std::optional<OffsetFact> commit = {};  // the last one before it
  };
  std::string group;
  TopicPartition partition;
  std::string process;
  Incarnation incarnation;
  std::string member;
  Generation generation;
  Moment from;
  std::optional<Moment> to;
  End end = End::kOpen;
  std::optional<Moment> evicted;  // the coordinator has removed the member, who may not know it
  // A static member that did not rejoin in time: it stays in the group, and the leader sees only
  // what it said when it joined last (group-protocol 1.4 COMPLETE, 4 "Absent").
  std::optional<Moment> passed_over;
  std::optional<FirstFetch> first_fetch;
};

// A partition without a reader: from the tick in which its owner stops reading it (it revokes or
// loses it, it is removed, or the last tick of its life) to its owner's first Fetch, be it the old
// or a new one.
struct Pause {
  TopicPartition partition;
  Tick from;
  std::optional<Tick> until;
  std::string owner_before;
  std::string owner_after;
  std::string why;  // "revoked", "lost", "removed", "fenced", "died"
};

// One generation of a group.
struct GenerationFact {
  std::string group;
  Generation generation;
  Moment formed;
  std::optional<Moment> stable;
  std::string assignor;
  std::string leader;                                          // a process
  std::vector<std::string> members;                            // processes, sorted
  std::map<std::string, std::set<TopicPartition>> assignment;  // by process
};

using Owners = std::map<TopicPartition, std::string>;

// From PreparingRebalance to Stable with nothing left to hand over: perhaps several generations.
// Or to Empty, when the last member has gone: then nobody owns anything afterwards.
struct Rebalance {
  std::string group;
  Moment begun;
  std::optional<Moment> settled;
  std::vector<std::string> reasons;      // of each PreparingRebalance in it
  std::vector<std::size_t> generations;  // indices into History::generations
  Owners before;
  Owners after;
  std::vector<Pause> pauses;
};

struct RemovedMember {
  Moment when;
  std::string group;
  std::string process;
  std::string member;
  std::string reason;
};

// A group that the coordinator has forgotten: the next one of its name begins anew.
struct DeletedGroup {
  Moment when;
  std::string group;
};

// How far a probe came with its script.
struct ProbeFact {
  std::int64_t answers = 0;
  bool finished = false;
  std::string mismatch;  // what was not as expected, in words; empty: nothing
};

// ---- offsets ----

// A consumer's position came from auto.offset.reset: nothing was committed, or it was out of range.
struct ResetFact {
  Moment when;
  std::string process;
  TopicPartition partition;
  Offset offset;
  std::string policy;  // "earliest", "latest"
};

// ---- records ----

struct Appended {
  Moment when;
  TopicPartition partition;
  Offset offset;
  std::string producer;  // a process
};

struct RecordFact {
  TopicPartition home;             // where its source wrote it first
  std::vector<Appended> appended;  // more than one: its source sent it twice
};

struct Processed {
  Moment when;
  std::string process;
};

// Who did a settled record, since when it read the partition, and whether it wrote an invoice.
struct SettledBy {
  std::string process;
  Moment since;
  bool invoiced = false;
  friend auto operator<=>(const SettledBy&, const SettledBy&) = default;
};

struct ReadFact {
  Moment when;
  std::string record;
  TopicPartition partition;
  Offset offset;
};

// What a reader without a group saw.
struct Reads {
  static constexpr std::size_t kKept = 1'000;  // or as many as an expectation names

  std::int64_t count = 0;
  std::vector<ReadFact> first;  // as many as are kept
  NumberedNames different;
  NumberedNames again;  // seen twice or more often
};

// Answers with an error, and errors that clients report to their applications, by kind.
struct ErrorKey {
  std::string process;    // who was refused
  std::string api;        // empty: reported by the client itself
  std::string error;      // "UNKNOWN_MEMBER_ID"; NONE if the client refused by itself
  std::string exception;  // the Java client's name for it
  friend auto operator<=>(const ErrorKey&, const ErrorKey&) = default;
};
struct ErrorFact {
  std::int64_t count = 0;
  Moment first;
  Moment last;
  std::string detail;  // what the client said with the first
};

// How far an expected order of requests has come.
struct OrderSeen {
  ExpectOrder expected;
  std::size_t next = 0;  // the first that has not been sent
};

struct History {
  static constexpr std::size_t kRequestsKept = 5'000;  // per process
  static constexpr std::size_t kFiredKept = 10'000;
  static constexpr std::size_t kFindingsKept = 100;

  wire::CaptureHeader header;
  PartitionNames names;
  Tick last_tick;
  bool ended = false;  // the capture has its end
  std::string end_reason;
  std::int64_t packets = 0;
  std::int64_t packets_lost = 0;  // by a fault
  std::int64_t events = 0;

  std::vector<Life> lives;
  std::vector<LifecycleFact> lifecycles;
  std::vector<FiredFact> fired;  // the first of them
  std::int64_t fired_beyond = 0;
  std::set<int> fired_rules;  // indices into the plan

  std::vector<Rebalance> rebalances;
  std::vector<GenerationFact> generations;
  std::vector<Ownership> ownerships;
  std::vector<RemovedMember> removed;
  std::vector<DeletedGroup> deleted;
  std::map<std::string, ProbeFact> probes;  // by process; of several lives the last

  // What stands committed, by group and partition.
  std::map<std::pair<std::string, TopicPartition>, OffsetFact> last_commits;
  std::vector<std::string> moved_by_themselves;  // findings of lab/checkers/offsets
  std::vector<std::string> forgotten;
  std::vector<ResetFact> resets;

  // Of the sources, by name: but for what is settled.
  std::map<std::string, RecordFact> records;
  std::map<std::string, std::vector<Appended>> invoices;  // by the record that they are for
  std::map<std::string, std::vector<Processed>> processed;
  // Written once, done once by each of these, and committed; by partition.
  std::map<std::pair<TopicPartition, std::vector<SettledBy>>, NumberedNames> settled;
  NumberedNames all_settled;
  std::map<std::string, Reads> reads;           // by reader
  std::set<std::string> writers;                // consumers that write what they process
  std::map<std::string, std::string> group_of;  // by process
  std::map<ErrorKey, ErrorFact> errors;

  std::map<std::string, std::vector<std::string_view>> requests;  // APIs in order, by process
  std::vector<OrderSeen> orders;                                  // those that were followed
  std::vector<std::int64_t> watched;                              // how often each watch matched
  std::shared_ptr<const why::Evidence> evidence;                  // if it was read, for `why`

  // Every group that ever had a rebalance, sorted.
  std::set<std::string> groups() const;
  // The offsets that stand committed at the end.
  std::map<TopicPartition, Offset> committed(const std::string& group) const;
};

// Reads a capture. Throws std::runtime_error as CaptureReader does. `watches` are counted on the
// way.
enum class Detail {
  kUnsettled,  // settled records are counted
  kAll,        // each record is a fact: as large as the run is long
};
History read_history(const std::string& path, const std::vector<Watch>& watches = {},
                     Detail detail = Detail::kUnsettled);
// The same, for these expectations: what they ask about is followed however long the run is. Those
// that ask why are judged with the evidence, which others can do without.
enum class Reading { kFacts, kWithEvidence };
History read_history(const std::string& path, const Expectations& expected,
                     Reading reading = Reading::kFacts);

}  // namespace fencepost::lab
