// The part of a report that is as long as its run: packets, events, and the changes that they tell
// of, as tables.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/partition_names.h"
#include "lab/report/columns.h"
#include "lab/run_index.h"

namespace fencepost::lab {

// The partitions that a report speaks of, by number, in their order.
class PartitionNumbers {
 public:
  void add(const TopicPartition& where) { all_.insert(where); }
  // They are numbered when all are known.
  void number();
  std::int64_t of(const TopicPartition& where) const;  // -1: unknown
  const std::set<TopicPartition>& all() const { return all_; }

 private:
  std::set<TopicPartition> all_;
  std::map<TopicPartition, std::int64_t> numbers_;
};

class Traffic {
 public:
  Traffic(const RunIndex& index, const PartitionNames& names, const PartitionNumbers& partitions,
          Strings& strings);

  // Reads the capture once more. Throws std::runtime_error as CaptureReader does.
  void read(const std::string& capture);
  void release(boost::json::object& out);

  // Numbers of processes, those included that packets are sent to and that never joined.
  std::int64_t process(const std::string& name);
  const std::vector<std::string>& processes() const { return processes_; }

 private:
  void add(EntryId id, const wire::CaptureRecord& record);
  void add_entry(EntryId id, std::int64_t text, const wire::Cause* cause);
  void add_packet(EntryId id, const wire::Packet& packet);
  void add_event(EntryId id, const wire::Event& event);
  void add_join(EntryId id, const wire::Packet& packet);
  void add_fetch(EntryId id, const wire::FetchRequest& request);
  void add_appended(EntryId id, const wire::Event& event);
  void add_polled(EntryId id, const wire::Event& event);
  void add_group_state(EntryId id, const wire::Event& event);
  void add_member(EntryId id, const wire::Event& event);
  void remove_member(EntryId id, const wire::Event& event);
  void add_processing(EntryId id, const wire::Event& event);
  void add_processed(EntryId id, const wire::Event& event);
  std::int64_t partition_in(const wire::Event& event) const;

  const RunIndex& index_;
  const PartitionNames& names_;
  const PartitionNumbers& partitions_;
  Strings& strings_;
  std::vector<std::string> processes_;
  std::map<std::string, std::int64_t> process_numbers_;
  std::map<std::string, std::int64_t> process_of_member_;
  std::map<std::pair<std::string, std::string>, std::size_t> open_members_;  // group, member id
  std::vector<std::string> member_ids_;                                      // by row of members_
  std::map<std::uint32_t, std::size_t> in_hand_;  // rows of works_, by process

  ColumnTable entries_{"what", "tick", "process", "text", "cause", "timer", "armed"};
  ColumnTable packets_{"to",      "api",      "info", "payload", "length",      "fate",  "rule",
                       "arrival", "received", "peer", "errors",  "correlation", "client"};
  ColumnTable appends_{"tick", "partition", "offset", "name", "producer", "entry"};
  ColumnTable processed_{"tick", "partition", "offset", "process", "entry"};
  ColumnTable works_{"tick", "process", "until", "record"};
  ColumnTable commits_{"tick", "group", "partition", "offset", "process", "entry"};
  ColumnTable positions_{"tick", "process", "partition", "offset", "advance"};
  ColumnTable polls_{"tick", "process", "returned"};
  ColumnTable clients_{"tick", "group", "process", "state", "generation", "reason", "entry"};
  ColumnTable groups_{"tick", "group", "state", "generation", "reason", "members", "entry"};
  ColumnTable joins_{"tick", "group", "process", "session", "poll"};
  ColumnTable members_{"tick", "group", "process", "until", "id", "reason", "entry"};
};

}  // namespace fencepost::lab
