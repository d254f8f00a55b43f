// The sentences of an explanation: what happened, with its chains of causes; of rebalances also
// what they cost and which records were done again or never.
#pragma once

#include <string>
#include <vector>

#include "lab/hand_overs.h"
#include "lab/why/why.h"

namespace fencepost::lab::why {

class Sentences {
 public:
  explicit Sentences(const Causes& causes);

  std::vector<std::string> of_rebalance(const Explanation& one) const;
  // Everything else is one sentence.
  std::string of(const Explanation& one) const;
  // Errors of one process with one cause, as one sentence.
  std::string of_errors(const std::vector<const Explanation*>& errors) const;
  // Records with one cause, as one sentence.
  std::string of_records(const std::vector<const Explanation*>& records) const;
  std::vector<std::string> of_hand_overs(const std::vector<HandOver>& found) const;

 private:
  std::string head_of(const Explanation& one) const;
  std::string waited(const Explanation& one) const;
  std::vector<std::string> on_top(const Explanation& one) const;
  std::string newcomers(const Explanation& one) const;
  std::string reset_by(const HandOver& one) const;
  std::string rewound(const HandOver& one) const;
  std::string invoices_or_records(const std::vector<std::string>& records,
                                  const std::string& process) const;

  const Causes& causes_;
  const History& history_;
  HandOvers hand_overs_;
};

}  // namespace fencepost::lab::why
