// Finds out what became of each record: how often a group turned it into an invoice.
//
// Anomalies, by group:
// - Duplicate. inv(o2.3) stands twice in the log: o2.3 was done again after a crash or by a zombie.
// - Lost. The group has committed beyond o2.3, so nobody will ever read it again, and inv(o2.3)
// does
//   not exist. A record that is not committed yet is pending, and not lost.
// - Invented. An invoice for a record that no source has written.
// Duplicates and losses are what at-least-once and at-most-once mean, so they are findings, and a
// scenario says how many it expects. An invention is a bug under any promise.
//
// A group whose members write nothing is judged by what they processed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lab/checkers/verdict.h"
#include "lab/history.h"

namespace fencepost::lab {

struct Delivery {
  std::string group;
  bool by_invoices = true;   // else by what was processed
  std::int64_t records = 0;  // written by the sources, in topics it reads
  std::int64_t once = 0;
  std::map<std::string, std::int64_t> duplicates;  // record to how often, twice or more
  std::vector<std::string> lost;                   // in the order of partition and offset
  std::vector<std::string> pending;
};

// One per group, by name.
std::vector<Delivery> deliveries(const History& history);

// Whether nothing was invented.
Verdict check_delivery(const History& history);

// Sorts record names by topic and partition, then by offset: o2.9 before o2.10.
void sort_records(std::vector<std::string>& names);

}  // namespace fencepost::lab
