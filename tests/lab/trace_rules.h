// Reads a trace in Chrome's JSON format, and finds what of Perfetto's rules it breaks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fencepost::lab {

struct TraceFacts {
  struct Span {
    std::string track;  // "C2 consumer/life"
    std::string name;
    std::int64_t from_us = 0;
    std::int64_t to_us = 0;
  };

  std::vector<std::string> broken;  // rules, in words; none if all is well
  std::vector<Span> spans;
  std::size_t arrows = 0;
  std::map<std::string, std::vector<std::int64_t>> counters;  // by "group billing/lag p2"

  std::vector<Span> spans_on(const std::string& track) const;
  std::size_t spans_named(const std::string& beginning) const;
};

// Every track and process has a name. On a track times never go back, spans are balanced and do not
// overlap; an arrow starts once and ends once, not before its start, each time inside a span. A
// counter has one value at a time.
TraceFacts read_trace(const std::string& text);

}  // namespace fencepost::lab
