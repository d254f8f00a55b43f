// The tracks of a group in a trace: its states, its rebalances, its partitions with their owners,
// pauses and lags.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/diagram/trace_lines.h"
#include "lab/history.h"

namespace fencepost::lab {

class GroupTracks {
 public:
  // Groups are numbered from `first_process` on, by name. What the history knows is drawn at once.
  GroupTracks(TraceLines& out, const History& history, int first_process);

  // Records in the order of the capture: states, evictions and lags.
  void add(std::int64_t tick, const wire::CaptureRecord& record);
  void finish();

 private:
  enum Track { kStates = 1, kRebalances = 2, kFirstPartition = 3 };
  struct Span {
    std::int64_t from_us = 0;
    std::int64_t to_us = 0;
    std::string name{};
    TraceLines::Arguments arguments{};
  };
  struct State {
    std::int64_t from_us = 0;
    std::string name{};
    std::string reason{};
  };
  using Place = std::pair<std::string, TopicPartition>;  // group, partition

  std::int64_t us(Tick tick) const { return tick.value() * tick_us_; }
  std::int64_t end_us() const { return (history_.last_tick.value() + 1) * tick_us_; }
  void rebalances();
  void partitions();
  void owned(const Ownership& one, std::vector<Span>& rightful, std::vector<Span>& former) const;
  // Spans that would overlap get tracks of their own.
  void place(int process, int& next_track, const std::string& name, std::vector<Span> spans);
  void add_state(std::int64_t tick, const wire::Event& event);
  void add_event(std::int64_t tick, const wire::Event& event);
  void changed(const TopicPartition& partition);
  void tell_lags();

  TraceLines& out_;
  const History& history_;
  std::int64_t tick_us_;
  std::map<std::string, int> numbers_;  // by group
  std::map<std::string, State> states_;
  std::map<TopicPartition, std::int64_t> log_start_;
  std::map<TopicPartition, std::int64_t> log_end_;
  std::map<Place, std::int64_t> committed_;
  std::map<TopicPartition, std::set<std::string>> readers_;  // groups that ever owned it
  std::set<Place> changed_;
  std::int64_t tick_ = 0;
};

}  // namespace fencepost::lab
