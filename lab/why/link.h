// The links of a chain of causes: why something happened, and why that did. Each kind is a row of
// one table: the word for it in scenarios and in JSON, its sentence, and whether it ends a chain.
// What is new (transactions) adds rows, and a function that finds them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.h"
#include "lab/history.h"

namespace fencepost::lab::why {

// A property with the value that a process had for it.
struct Setting {
  std::string property;  // Kafka's name
  std::string value;
  bool by_default = false;         // nobody set it: Kafka's default
  std::optional<TickSpan> span{};  // of times: rounded up, as the processes do
};

enum class Kind {
  // how a member came
  kJoined,
  kJoinedAgain,
  kStaticReturned,
  // how a membership ended
  kSessionTimeout,
  kRebalanceTimeout,
  kSyncTimeout,
  kMaxPollInterval,
  kLeft,
  kUnsubscribed,
  kRemovedBy,
  kInstanceTaken,
  // why a member joins anew though it is one
  kMetadataChanged,
  kSubscriptionChanged,
  kEnforced,
  kGaveUp,
  kRefused,
  kRejoined,
  kGroupMaxSize,
  // what stands behind that: processes, faults, applications, administrators
  kStarted,
  kRestarted,
  kKilled,
  kStopped,
  kClosed,
  kEnded,
  kFailed,
  kSlow,
  kBusy,
  kDropped,
  kPartitioned,
  kDelayed,
  kRequestTimeout,
  kNotHeard,
  kSilent,
  kCalled,
  kPartitionsAdded,
  kTopicCreated,
  kTopicDeleted,
  kLoaded,
  // errors
  kMembershipEnded,
  kGroupRemoved,
  kGenerationPassed,
  kRebalancing,
  kMemberIdRequired,
  kNoCommonAssignor,
  kLocalRefusal,
  kScripted,
  kMeaning,
  // offsets and records
  kNothingCommitted,
  kOffsetsExpired,
  kOffsetsDeleted,
  kGroupEmpty,
  kOutOfRange,
  kLogDeleted,
  kPositionReset,
  kCommitBehind,
  kCommitAhead,
  kCommitRewound,
  kNotCommitted,
  kNotDone,
  kNoOutput,
  kStillAtIt,
  kOffsetsReset,
  kProduceRetry,
};

struct KindInfo {
  Kind kind;
  std::string_view name;     // in `because` and in JSON
  std::string_view subject;  // which field its word in `because` is: "process" or "subject"
  // A clause for people: {holes} are fields of the link, and a part in [brackets] is left out where
  // one of its holes is empty.
  std::string_view clause;
  bool is_end;               // it needs no further cause: a person, a rule, a deadline, a fact
  std::string_view meaning;  // for the docs
};

// One row per kind, in the order of the enum.
std::span<const KindInfo> all_kinds();
const KindInfo& info(Kind kind);

struct Link {
  Kind kind = Kind::kMeaning;
  Moment when{};          // record 0: it has none of its own
  std::string process{};  // whom it befell
  std::string subject{};  // a record, partition, topic, error, method, generation
  std::string other{};    // another process that did it, or had it
  std::string detail{};
  std::optional<Tick> since{};
  std::optional<Tick> until{};
  std::optional<Setting> setting{};
  std::string by{};  // "rule {at: 40, kill: C2}", "a person"; empty: not known, or nobody
};

// The nearest cause first.
using Chain = std::vector<Link>;

// "C2 had been stopped (SIGSTOP) at tick 35".
std::string clause(const Link& link);
// The clauses of a chain, with semicolons.
std::string clauses(const Chain& chain);
// "a, b and c"; of many the first and the last, and how many there are.
std::string enumerated(const std::vector<std::string>& words);
// Its word in `because`: a process, or what the kind is about.
const std::string& subject_of(const Link& link);
// Whether it ends at a start, a rule, a person or a deadline.
bool is_explained(const Chain& chain);
// "session.timeout.ms=6000 is 6 ticks"; empty without one.
std::string setting_text(const std::optional<Setting>& setting);

}  // namespace fencepost::lab::why
