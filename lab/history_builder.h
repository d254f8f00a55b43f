// Builds a History from capture records, one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/checkers/offset_watch.h"
#include "lab/group_tracker.h"
#include "lab/history.h"
#include "lab/settled_records.h"
#include "lab/why/evidence.h"

namespace fencepost::lab {

class HistoryBuilder {
 public:
  explicit HistoryBuilder(std::vector<Watch> watches = {}, Detail detail = Detail::kUnsettled);
  HistoryBuilder(const HistoryBuilder&) = delete;
  HistoryBuilder& operator=(const HistoryBuilder&) = delete;

  // Keeps of what this asks about as much as it takes to judge it; before the first record.
  void follow(const ExpectedFact& expected);
  // Records in the order of the capture; `tick` is the one that the record belongs to.
  void add(Tick tick, const wire::CaptureRecord& record);
  // Keeps the evidence for `why`, too; before the first record.
  void collect_evidence() { evidence_.emplace(); }
  // Takes the result; the builder is used up.
  History take();

 private:
  void add_lifecycle(const wire::Lifecycle& lifecycle);
  void add_packet(const wire::Packet& packet);
  void add_request(const wire::Frame& frame);
  void add_response(const wire::Frame& frame);
  void add_commit_request(const wire::Frame& frame);
  void add_offset_answer(const wire::Frame& frame);
  void add_event(const wire::Event& event);
  void add_appended(const wire::Event& event);
  void add_commit(const wire::Event& event);
  void add_read(const wire::Event& event);
  void add_client_error(const wire::Event& event);
  void add_probe(const wire::Event& event);
  void note_error(const ErrorKey& key, const std::string& detail);
  // Counts a packet or an event for those who watch for it now.
  template <class... What>
  void watch(const What&... what);
  Life* life_of(const std::string& process);
  bool is_source(const std::string& process) const;

  std::vector<Watch> watches_;
  History history_;
  GroupTracker groups_;
  OffsetWatch offsets_;
  Settling settling_;
  std::optional<why::EvidenceBuilder> evidence_;
  Detail detail_;
  std::size_t reads_kept_ = Reads::kKept;
  Moment now_;
  std::string process_;  // whose step it is
  Incarnation incarnation_;
  std::map<std::string, std::size_t> current_life_;  // by process: index into History::lives
};

}  // namespace fencepost::lab
