// The records of a history about which there is nothing more to tell: written once, done once by
// each group that reads them, and committed. They are counted in intervals, so a history is as
// large as what is undecided or went wrong. If one is done again, it becomes a fact of its own
// again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/history.h"

namespace fencepost::lab {

class GroupTracker;

class Settling {
 public:
  Settling(History& history, const GroupTracker& groups) : history_(history), groups_(groups) {}

  // A source's record is in the log.
  void written(const std::string& name, const RecordFact& fact);
  // A group has committed beyond `end`: what it has done before may be settled.
  void committed(const TopicPartition& partition, Offset end);
  // Something more is said about a record: if it was settled, it is a fact of its own again.
  void reopen(const std::string& name);

 private:
  std::optional<std::vector<SettledBy>> settled_by(const std::string& name,
                                                   const RecordFact& fact) const;
  bool may_settle(const TopicPartition& partition, Offset offset) const;

  History& history_;
  const GroupTracker& groups_;
  // By place, those that may be settled: their name is their place.
  std::map<TopicPartition, std::map<Offset, std::string>> candidates_;
};

}  // namespace fencepost::lab
