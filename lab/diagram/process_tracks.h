// The tracks of processes in a trace: life, packets, batches, records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/diagram/cast.h"
#include "lab/diagram/trace_lines.h"
#include "lab/partition_names.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

class ProcessTracks {
 public:
  // Processes of the trace are numbered from `first_process` on, in the order of the cast. Who is
  // in a group has batches.
  ProcessTracks(TraceLines& out, const wire::CaptureHeader& header, const std::vector<Actor>& cast,
                int first_process, const std::map<std::string, std::string>& group_of);

  // Records in the order of the capture.
  void add(std::int64_t tick, const wire::CaptureRecord& record);
  // Ends what is open, at the end of this tick.
  void finish(std::int64_t last_tick);

 private:
  enum Track { kLife = 1, kPackets = 2, kBatches = 3, kRecords = 4 };
  struct Open {
    std::int64_t from_us = 0;
    std::string name{};
    TraceLines::Arguments arguments{};
  };
  struct Batch {
    std::size_t records = 0;     // that are to be processed
    bool commit_before = false;  // it was committed before its first record
    bool begun = false;
  };
  struct Process {
    int number = 0;
    std::uint32_t life = 0;
    bool member = false;
    bool stopped = false;
    std::map<Track, Open> open{};
    std::optional<Batch> batch{};
  };
  struct Sent {
    std::string_view api{};
    bool response = false;
    std::string errors{};
    TrackId track{};
    std::int64_t at_us = 0;
    std::string source{};
  };
  struct Item {
    std::uint32_t packet = 0;  // its number
    bool received = false;
    wire::Packet sent{};
    std::optional<std::int64_t> own_tick{};  // of a held step
  };

  Process& process(const std::string& name);
  void add_lifecycle(std::int64_t tick, const wire::Lifecycle& life);
  void add_event(std::int64_t tick, const wire::Event& event);
  void add_batch_event(Process& one, std::int64_t at_us, const wire::Event& event);
  void add_reception(const wire::Reception& reception);
  void add_packet(const wire::Packet& packet);
  void end_tick();
  void show(const std::string& process, const std::vector<Item>& items);
  void show_sent(const Item& item, TrackId track, std::int64_t from_us,
                 std::optional<std::int64_t> to_us);
  void show_received(const Item& item, TrackId track, std::int64_t from_us,
                     std::optional<std::int64_t> to_us);
  void begin(Process& one, Track track, Open open);
  void end(Process& one, Track track, std::int64_t at_us);
  void end_all(Process& one, std::int64_t at_us);
  void stop(Process& one, std::int64_t at_us);
  void go_on(Process& one, std::int64_t at_us);

  TraceLines& out_;
  std::int64_t tick_us_;
  PartitionNames names_;
  std::map<std::string, Process> processes_;
  std::map<std::string, std::string> group_of_;
  int next_process_ = 0;
  std::int64_t tick_ = 0;
  std::string step_process_;  // whose step is being read
  std::optional<std::int64_t> step_own_tick_;
  std::map<std::string, std::vector<Item>> items_;  // of this tick, by process
  // Packets by number, from 1, and by who sent them.
  std::vector<Sent> sent_{1};
  std::map<std::pair<std::string, std::uint32_t>, std::vector<std::uint32_t>> numbers_;
};

}  // namespace fencepost::lab
