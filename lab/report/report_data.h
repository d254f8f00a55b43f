// What the page of a report shows, as JSON: every packet and event with its cause, and each state
// that changes in the course of a run as the list of its changes. docs/report.md has the shape.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "lab/scenario.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

struct ReportSource {
  std::string capture;               // a file
  std::optional<wire::Plan> plan;    // as it was run
  std::optional<Scenario> scenario;  // what it is about, and what it expects
};

// Throws std::runtime_error as CaptureReader does, and if the capture is empty.
boost::json::object report_data(const ReportSource& source);

// The messages of the wire, by name: {"JoinGroupRequest": {"1": ["group_id", "string"], ...}}.
boost::json::object wire_messages();

}  // namespace fencepost::lab
