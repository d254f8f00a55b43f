// What a scenario's `expect` asks for, as values: read by lab/scenario, judged by lab/expectations
// from the history of a run alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "common/ids.h"
#include "lab/place.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

// duplicates, lost, pending, reads: how many records, or exactly which.
struct ExpectRecords {
  enum class What { kDuplicates, kLost, kPending, kReads };
  What what = What::kDuplicates;
  std::string reader;  // kReads only: the process
  std::optional<std::int64_t> count;
  std::optional<std::vector<std::string>> names;  // "o2.3"; for kReads values, in order
};

// generations, rebalances.
struct ExpectNumber {
  enum class What { kGenerations, kRebalances };
  What what = What::kGenerations;
  std::int64_t count = 0;
};

// assignments: what each member has, per generation that became Stable.
struct ExpectAssignments {
  std::vector<std::map<std::string, std::set<TopicPartition>>> generations;
};

// paused, pause.ticks: one number per rebalance.
struct ExpectPauses {
  enum class What { kPartitions, kTicks };
  What what = What::kPartitions;
  std::vector<std::int64_t> numbers;
};

// errors: an answer to the process carried it, or its client reported it. `error` is Kafka's name
// of the error or the Java client's name of the exception.
struct ExpectError {
  std::string process;
  std::string error;
  std::string api;                    // empty: any
  std::optional<std::int64_t> count;  // absent: at least one
};

// order: these requests, in this order, others between them allowed.
struct ExpectOrder {
  std::string process;
  std::vector<std::string> apis;
};

// What the history counts while it reads the capture: in these ticks, both included.
struct Watch {
  wire::Match match = {};
  Tick first{0};
  Tick last{std::numeric_limits<std::int64_t>::max()};
};

// events: at least once, or exactly so often.
struct ExpectEvent {
  wire::Match match;
  std::optional<std::int64_t> count;
  std::size_t watch = 0;  // its index in Expectations::watches
};

// committed: at the end of the run; an absent offset means that nothing is committed.
struct ExpectCommitted {
  std::map<TopicPartition, std::optional<Offset>> offsets;
};

// fetches.from: the first Fetch that the process sends for a partition, in one of the times it owns
// it.
struct ExpectFetchFrom {
  std::string process;
  TopicPartition partition;
  Offset offset;
};

// leaders: who leads, per generation that became Stable.
struct ExpectLeaders {
  std::vector<std::string> leaders;
};

// invoices.once: every record of the sources has exactly one invoice.
struct ExpectInvoicesOnce {};

// why: by which chain of causes something came about (lab/why). Kinds and names are those of
// lab/why/link.h; what is empty or absent is not asked.
struct ExpectLink {
  std::string kind;
  std::string word;  // whom it befell, or what it is about
  std::optional<Tick> tick = {};
  std::optional<Tick> since = {};
  std::string value = {};  // of its property
  std::string subject = {};
  std::string other = {};
  std::string detail = {};
};
struct ExpectWhy {
  std::string what;  // "rebalance", "error", ...
  std::string subject;
  std::optional<std::int64_t> number;      // of a rebalance
  std::optional<std::int32_t> generation;  // that it led to
  std::string process;
  std::string api;
  std::optional<Tick> tick;  // when it happened; absent: the first that fits
  std::vector<ExpectLink> because;
  std::optional<std::vector<std::vector<ExpectLink>>> also;
  std::optional<bool> wasted;
  std::optional<std::int64_t> cost;  // partition ticks
};

using ExpectedFact = std::variant<ExpectRecords, ExpectNumber, ExpectAssignments, ExpectPauses,
                                  ExpectError, ExpectOrder, ExpectEvent, ExpectCommitted,
                                  ExpectFetchFrom, ExpectLeaders, ExpectInvoicesOnce, ExpectWhy>;

struct Expectation {
  std::string text;  // as the scenario wrote it, "lost: 0"
  Place place;
  ExpectedFact fact;
};

struct Expectations {
  std::string group;  // whose facts are meant; empty: the only group
  std::vector<Expectation> list;
  std::vector<Watch> watches;
};

}  // namespace fencepost::lab
