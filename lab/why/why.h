// Why it happened: for each rebalance, eviction, fence, error, reset, duplicate and loss of a run
// the chain of causes, as data and in sentences. Made from the History, read with its evidence, and
// from the plan, which knows what properties were set; without a plan nothing is said of values
// that the capture does not show.
//
//   const History history = read_history(path, expectations, Reading::kWithEvidence);
//   for (const why::Explanation& one : why::Explainer(history, &plan).story())
//   print(one.sentences);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/history.h"
#include "lab/why/causes.h"
#include "lab/why/link.h"
#include "proto/plan.pb.h"

namespace fencepost::lab::why {

enum class What { kRebalance, kEviction, kFence, kError, kReset, kDuplicate, kLost };

std::string_view name_of(What what);  // "rebalance"

struct Explanation {
  What what = What::kRebalance;
  Moment when;
  std::string group{};
  // rebalance: empty; eviction, fence, error: the process; reset: the partition; duplicate, lost:
  // the record.
  std::string subject{};
  std::string process{};  // reset: who; duplicate: who did it again; fence: who took the place

  // Rebalances: its number in the group, as in the summary, 0 if it led to nothing; what it gave.
  std::size_t number = 0;
  std::optional<std::size_t> rebalance{};  // its index in History::rebalances
  std::vector<Generation> generations{};
  std::optional<bool> wasted{};        // the same owners as before; absent: not finished
  std::optional<std::int64_t> cost{};  // partition ticks; absent: not finished

  // Errors.
  std::string error{};      // Kafka's name; the exception if the client refused by itself
  std::string exception{};  // the Java client's name
  std::string api{};        // empty: reported by the client
  std::int64_t count = 1;
  Moment last{};

  // What began it comes first; the others came on top (further members that joined, ...).
  std::vector<Chain> causes{};
  // Whole sentences, to be read one after another.
  std::vector<std::string> sentences{};

  // Whether each chain ends at a start, a rule, a person or a deadline.
  bool explained() const;
};

class Explainer {
 public:
  // `history` was read with its evidence. Both outlive this.
  explicit Explainer(const History& history, const wire::Plan* plan = nullptr);

  // Of each kind, in their order.
  std::vector<Explanation> rebalances() const;
  std::vector<Explanation> evictions() const;
  std::vector<Explanation> fences() const;
  // With those that are part of the protocol, e.g. MEMBER_ID_REQUIRED.
  std::vector<Explanation> errors() const;
  std::vector<Explanation> resets() const;
  std::vector<Explanation> duplicates() const;
  std::vector<Explanation> losses() const;
  // All of them, in the order of the run.
  std::vector<Explanation> all() const;

  // What a person should read, in the order of the run: what belongs to a rebalance (the eviction
  // that began it, what was done again) is part of its sentences, and what is alike is one entry.
  std::vector<Explanation> story() const;

 private:
  const History& history_;
  Causes causes_;
};

}  // namespace fencepost::lab::why
