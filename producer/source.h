// A source: writes named records on schedule. A record is named by its topic's short name, its
// partition and the offset at which the source writes it first ("o2.3"); the name is its value. The
// counters begin at the log's end, so a restarted source goes on where its predecessor stopped.
#pragma once

#include <map>
#include <set>

#include "common/client_node.h"
#include "producer/core/producer.h"
#include "producer/source_plan.h"

namespace fencepost::producer {

class Source final : public Program {
 public:
  explicit Source(Client& client);

  Task<int> main() override;
  void control(const wire::Control& control) override;

 private:
  // What is still to be written of one partition.
  struct Remaining {
    TopicPartition where;
    std::int64_t records = 0;
  };

  Task<bool> look_up();
  Task<bool> look_up_partitions(std::string topic);
  Task<void> look_up_some_ends();
  Task<void> look_up_ends(std::string leader, std::vector<TopicPartition> partitions);
  void report_missing(const std::vector<RecordCount>& counts);
  std::vector<Remaining> expand(const std::vector<RecordCount>& counts) const;
  Task<void> write_schedule();
  Task<void> write_rounds();
  Task<bool> wait_until(Tick due, std::string_view why);
  void write(const TopicPartition& where, std::int64_t records);

  Client& client_;
  SourcePlan plan_;
  ProducerConfig config_;
  Producer producer_;
  Signal closing_signal_;
  bool closing_ = false;
  Tick started_;
  std::map<TopicPartition, Offset> next_;  // the next name's offset; also: the partitions there are
  std::set<TopicPartition> ends_unknown_;  // of these, the counter does not stand yet
  std::int64_t written_ = 0;
};

}  // namespace fencepost::producer
