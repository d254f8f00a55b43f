// A small language for captures built by hand: RunBuilder().at(3).joins("C1", "consumer")... Topics
// are those of the demos, the group is billing, the broker B1.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lab/history.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;
using Shares = std::map<std::string, std::string>;  // process to "orders-0,orders-1"

class RunBuilder {
 public:
  RunBuilder();

  RunBuilder& at(std::int64_t tick);
  RunBuilder& seeded(std::uint64_t seed);  // in the header
  RunBuilder& joins(const std::string& process, const std::string& role);
  RunBuilder& killed(const std::string& process);
  RunBuilder& stopped(const std::string& process);
  RunBuilder& heartbeats(const std::string& process);    // and its answer, in the same tick
  RunBuilder& fires(int rule, const std::string& text);  // a rule of the plan
  RunBuilder& event(const std::string& process, std::string_view name, Attributes attributes);

  // The coordinator forms a generation, its leader shares out the partitions, and it is Stable.
  // The leader's SyncGroup; shares are by member id.
  RunBuilder& syncs(const std::string& leader, int generation, const Shares& shares);
  RunBuilder& prepares(const std::string& from, const std::string& reason);
  RunBuilder& forms(int generation, const Shares& shares, const std::string& assignor = "range");
  // onPartitionsAssigned, onPartitionsRevoked, onPartitionsLost.
  RunBuilder& assigned(const std::string& process, int generation, const std::string& partitions);
  RunBuilder& revoked(const std::string& process, int generation, const std::string& partitions);
  RunBuilder& lost(const std::string& process, int generation, const std::string& partitions);
  RunBuilder& removed(const std::string& process);
  RunBuilder& empties(const std::string& reason);  // the last member has gone
  RunBuilder& answered(const std::string& process, const std::string& member);  // its JoinGroup

  RunBuilder& fetches(const std::string& process, const std::string& partition,
                      std::int64_t offset);
  RunBuilder& commits(const std::string& process, const std::string& partition,
                      std::int64_t offset);
  RunBuilder& stores(const std::string& process, const std::string& partition,
                     std::int64_t offset);  // without a request
  RunBuilder& told(const std::string& process, const std::string& partition, std::int64_t offset);
  RunBuilder& resets(const std::string& process, const std::string& partition, std::int64_t offset,
                     const std::string& policy);
  RunBuilder& refused(const std::string& process, ErrorCode error);  // a Heartbeat
  RunBuilder& member_id_required(const std::string& process);        // a first JoinGroup

  // A source's records, or the invoices of a member.
  RunBuilder& appended(const std::string& producer, const std::string& partition,
                       std::int64_t offset, const std::string& names);
  RunBuilder& invoices(const std::string& process, const std::string& record);

  RunBuilder& ends();

  const std::vector<std::pair<Tick, wire::CaptureRecord>>& records() const { return records_; }
  History history(const std::vector<Watch>& watches = {}) const;
  // Writes a capture file.
  void write(const std::string& path) const;

 private:
  wire::CaptureRecord& add();
  void steps(const std::string& process);
  wire::Frame& packet(const std::string& from, const std::string& to);

  Tick tick_{0};
  std::int64_t invoices_ = 0;
  std::vector<std::pair<Tick, wire::CaptureRecord>> records_;
};

}  // namespace fencepost::lab
