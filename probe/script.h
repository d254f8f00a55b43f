// The script of a probe (property app.requests): what it sends, when, and what must come back. A
// list of steps in JSON, which the scenario language compiles its `requests` to
// (docs/scenarios.md); the keys are the same.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"

namespace fencepost::probe {

namespace json = boost::json;

inline constexpr std::size_t kStepsMax = 10'000;

struct Step {
  // What it does: sends a request, waits for the answer to an earlier one (its label), or makes
  // sure that an earlier one has not been answered yet. Exactly one of these.
  std::string request;  // "JoinGroup"
  std::string answer;
  std::string pending;

  std::string label;  // `as`, or the number of the step, from 1
  std::string to;     // a process; empty: the first broker of bootstrap.servers
  json::object body;
  bool wait = true;                        // for the answer, before the next step
  std::optional<Tick> at;                  // not before this tick
  TickSpan after{0};                       // so long after the step before it
  std::optional<std::int64_t> timeout_ms;  // absent: as Kafka's client has it
  // An object: fields that the answer must have. A text: the reason why there is none
  // (NETWORK_EXCEPTION, REQUEST_TIMED_OUT). Absent: whatever comes.
  std::optional<json::value> expect;
  std::vector<std::pair<std::string, std::string>> saves;  // name, path in the answer
};
using Script = std::vector<Step>;

// Throws ConfigError naming the step: what is no JSON, unknown keys, requests, fields, labels and
// names, values that do not fit their fields.
Script parse_script(std::string_view text);

}  // namespace fencepost::probe
