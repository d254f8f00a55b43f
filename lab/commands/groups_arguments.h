// What `fencepost groups` was asked, in the words of kafka-consumer-groups.sh, and what an
// administrator has to do for it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/admin_session.h"
#include "lab/group_tables.h"

namespace fencepost::lab {

struct GroupsArguments {
  ClusterChoice cluster;
  std::string run;  // a run directory or a scenario; empty: a cluster that is up
  std::optional<std::int64_t> at;
  std::string bootstrap_server;
  std::string command_config;
  std::vector<std::string> properties;  // "name=value"
  std::optional<std::int64_t> timeout_ms;
  std::string format = "text";

  // What to do: one of these.
  bool describe = false;
  bool list = false;
  bool remove = false;  // --delete
  bool remove_offsets = false;
  bool reset = false;

  std::vector<std::string> groups;
  bool all_groups = false;
  // Of --describe.
  bool offsets = false;
  bool members = false;
  bool verbose = false;
  bool more = false;
  bool state = false;               // of --list, too
  std::vector<std::string> states;  // of --list
  // Of --delete-offsets and --reset-offsets: "orders", "orders:0,1".
  std::vector<std::string> topics;
  bool all_topics = false;
  bool to_earliest = false;
  bool to_latest = false;
  bool to_current = false;
  std::optional<std::int64_t> to_offset;
  std::optional<std::int64_t> shift_by;
  std::string to_datetime;
  std::string by_duration;
  std::string from_file;
  bool dry_run = false;
  bool execute = false;
  bool as_csv = false;  // --export
};

void declare_groups(CLI::App& command, GroupsArguments& arguments);

// What the administrator is to do. Throws std::runtime_error where the arguments make no sense.
PropertyList properties_for(const GroupsArguments& arguments, std::int64_t tick_ms);
// Its effect is more than that something is read.
bool changes_something(const GroupsArguments& arguments);
GroupView view_of(const GroupsArguments& arguments);

// Virtual ms of a --to-datetime: "12000", "tick:12", or ISO 8601 counted from 1970. Nothing if it
// is none.
std::optional<std::int64_t> parse_virtual_time(const std::string& text, std::int64_t tick_ms);
// ms of a --by-duration: "PT1H30M", "P1DT2S" as ISO 8601 has it. Nothing if it is none.
std::optional<std::int64_t> parse_duration(const std::string& text);

}  // namespace fencepost::lab
