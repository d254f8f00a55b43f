// The events of a trace in Chrome's JSON format, which Perfetto reads: collected in any order,
// written by time. Times are in microseconds of virtual time. Text may hold anything.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost::lab {

// A horizontal line in the viewer: a thread of a process, in the words of the format.
struct TrackId {
  int process = 0;
  int track = 0;
  friend auto operator<=>(const TrackId&, const TrackId&) = default;
};

class TraceLines {
 public:
  using Arguments = boost::json::object;

  // Names, and the order from top to bottom.
  void name_process(int process, std::string_view name);
  void name_track(TrackId track, std::string_view name);

  // A span; on one track they must not overlap.
  void span(TrackId track, std::int64_t from_us, std::int64_t to_us, std::string_view name,
            Arguments arguments = {});
  void instant(TrackId track, std::int64_t at_us, std::string_view name, Arguments arguments = {});
  // A line over the whole width.
  void moment(TrackId track, std::int64_t at_us, std::string_view name);
  void counter(int process, std::int64_t at_us, std::string_view name, std::string_view unit,
               std::int64_t value);
  // An arrow from a span to a span, each at its begin.
  void arrow(std::uint64_t number, TrackId from, std::int64_t from_us, TrackId to,
             std::int64_t to_us, std::string_view name);

  // The whole file.
  std::string written(const Arguments& about) const;

 private:
  struct Line {
    std::int64_t at_us = 0;
    int rank = 0;  // of events of the same time: ends, then begins, then all else
    std::string json;
  };

  void add(std::int64_t at_us, int rank, boost::json::object event);

  std::vector<std::string> names_;
  std::vector<Line> lines_;
};

}  // namespace fencepost::lab
