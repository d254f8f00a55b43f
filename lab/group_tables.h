// The tables of kafka-consumer-groups.sh, made from what an administrator has learnt
// (admin/facts.h): the same columns, words and warnings, whether the facts come from a cluster that
// is up or from a run that is over.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "admin/admin_config.h"
#include "admin/facts.h"
#include "lab/group_states.h"
#include "lab/table.h"

namespace fencepost::lab {

enum class GroupView { kOffsets, kMembers, kAssignments, kState, kMore };

// What is printed, and whether it is a failure.
struct GroupAnswer {
  std::vector<Table> tables;
  std::string text;                 // besides the tables, behind them
  std::vector<std::string> notes;   // for standard error: they do not stop the tables
  std::vector<std::string> errors;  // what failed: the exit status is 1
};

// --describe. `standings` are of kMore alone.
GroupAnswer describe_groups(const admin::Facts& facts, const std::vector<std::string>& groups,
                            GroupView view, const std::map<std::string, GroupStanding>& standings);
// --list, with their states if those were asked for.
GroupAnswer list_groups(const admin::Facts& facts, bool with_states);
GroupAnswer deleted_groups(const admin::Facts& facts, const std::vector<std::string>& groups);
GroupAnswer deleted_offsets(const admin::Facts& facts, const admin::AdminCommand& command);
// --reset-offsets; `as_csv` is --export.
GroupAnswer reset_groups(const admin::Facts& facts, const admin::AdminCommand& command,
                         const std::vector<std::string>& groups, bool as_csv);

}  // namespace fencepost::lab
