#include "broker/core/group_table.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "broker/core/group_state.h"
#include "common/check.h"

namespace fencepost::broker {
namespace {

using enum GroupApi;
using enum Identity;
using enum Terms;

// clang-format off
constexpr std::array kGroupTable = std::to_array<GroupTableRow>({
    // absent, Empty, Preparing initial, Preparing, Completing, Stable, Dead; see GroupTableRow
    {kJoinGroup, kNobody, kRight,           "79E 79E 79I 79P 79C 79S 15D"},
    {kJoinGroup, kNobody, kOtherType,       "79E 79E 23I 23P 23C 23S 15D"},
    {kJoinGroup, kNobody, kOtherProtocol,   "79E 79E 23I 23P 23C 23S 15D"},
    {kJoinGroup, kNobody, kNoProtocols,     "23E 23E 23I 23P 23C 23S 15D"},
    {kJoinGroup, kNobody, kShortSession,    "26A 26E 26I 26P 26C 26S 26D"},
    {kJoinGroup, kNobody, kNoGroup,         "24A 24E 24I 24P 24C 24S 24D"},
    {kJoinGroup, kReserved, kRight,         "25A  -I  -I  -P  -P  -P 15D"},
    {kJoinGroup, kReserved, kOtherProtocol, "25A  -I 23I 23P 23C 23S 15D"},
    {kJoinGroup, kStranger, kRight,         "25A 25E 25I 25P 25C 25S 15D"},
    {kJoinGroup, kLeader, kRight,           "25A 25E  -I  -P  0C  -P 15D"},
    {kJoinGroup, kLeader, kOtherMetadata,   "25A 25E  -I  -P  -P  -P 15D"},
    {kJoinGroup, kFollower, kRight,         "25A 25E  -I  0C  0C  0S 15D"},
    {kJoinGroup, kFollower, kOtherMetadata, "25A 25E  -I  0C  -P  -P 15D"},
    {kJoinGroup, kFollower, kOtherProtocol, "25A 25E 23I 23P 23C 23S 15D"},
    {kJoinGroup, kStatic, kRight,           "25A 25E  -I  -P  0C  0S 15D"},
    {kJoinGroup, kInstanceAlone, kRight,    " -I  -I  -I  -P  -P  0S 15D"},
    {kJoinGroup, kNewInstance, kRight,      " -I  -I  -I  -P  -P  -P 15D"},
    {kJoinGroup, kFenced, kRight,           "25A 25E 82I 82P 82C 82S 15D"},
    {kJoinGroup, kNoInstance, kRight,       "25A 25E 25I 25P 25C 25S 15D"},

    {kSyncGroup, kLeader, kRight,             "25A 25E 27I 27P  0S  0S 15D"},
    {kSyncGroup, kFollower, kRight,           "25A 25E 27I 27P  -C  0S 15D"},
    {kSyncGroup, kStatic, kRight,             "25A 25E 27I 27P  -C  0S 15D"},
    {kSyncGroup, kFollower, kWrongGeneration, "25A 25E 22I 22P 22C 22S 15D"},
    {kSyncGroup, kFollower, kOtherProtocol,   "25A 25E 27I 23P 23C 23S 15D"},
    {kSyncGroup, kFollower, kOtherType,       "25A 25E 23I 23P 23C 23S 15D"},
    {kSyncGroup, kFollower, kNoProtocols,     "23A 23E 23I 23P 23C 23S 23D"},
    {kSyncGroup, kFollower, kNoGroup,         "24A 24E 24I 24P 24C 24S 24D"},
    {kSyncGroup, kReserved, kRight,           "25A 25E 25I 25P 25C 25S 15D"},
    {kSyncGroup, kStranger, kWrongGeneration, "25A 25E 25I 25P 25C 25S 15D"},
    {kSyncGroup, kFenced, kWrongGeneration,   "25A 25E 82I 82P 82C 82S 15D"},
    {kSyncGroup, kNoInstance, kRight,         "25A 25E 25I 25P 25C 25S 15D"},

    {kHeartbeat, kLeader, kRight,             "25A 25E 27I 27P  0C  0S 15D"},
    {kHeartbeat, kFollower, kRight,           "25A 25E 27I 27P  0C  0S 15D"},
    {kHeartbeat, kStatic, kRight,             "25A 25E 27I 27P  0C  0S 15D"},
    {kHeartbeat, kFollower, kWrongGeneration, "25A 25E 22I 22P 22C 22S 15D"},
    {kHeartbeat, kFollower, kNoGroup,         "24A 24E 24I 24P 24C 24S 24D"},
    {kHeartbeat, kReserved, kRight,           "25A 25E 25I 25P 25C 25S 15D"},
    {kHeartbeat, kStranger, kWrongGeneration, "25A 25E 25I 25P 25C 25S 15D"},
    {kHeartbeat, kFenced, kWrongGeneration,   "25A 25E 82I 82P 82C 82S 15D"},
    {kHeartbeat, kNoInstance, kRight,         "25A 25E 25I 25P 25C 25S 15D"},

    {kLeaveGroup, kLeader, kRight,        "25A 25E  0I  0P  0P  0P 15D"},
    {kLeaveGroup, kFollower, kRight,      "25A 25E  0I  0C  0P  0P 15D"},
    {kLeaveGroup, kFollower, kNoGroup,    "24A 24E 24I 24P 24C 24S 24D"},
    {kLeaveGroup, kReserved, kRight,      "25A  0E  0I  0P  0P  0P 15D"},
    {kLeaveGroup, kStranger, kRight,      "25A 25E 25I 25P 25C 25S 15D"},
    {kLeaveGroup, kNobody, kRight,        "25A 25E 25I 25P 25C 25S 15D"},
    {kLeaveGroup, kInstanceAlone, kRight, "25A 25E  0I  0P  0P  0P 15D"},
    {kLeaveGroup, kFenced, kRight,        "25A 25E 82I 82P 82C 82S 15D"},
    {kLeaveGroup, kNoInstance, kRight,    "25A 25E 25I 25P 25C 25S 15D"},

    {kOffsetCommit, kFollower, kRight,           "69A 25E  0I  0P 27C  0S 15D"},
    {kOffsetCommit, kStatic, kRight,             "69A 25E  0I  0P 27C  0S 15D"},
    {kOffsetCommit, kFollower, kWrongGeneration, "69A 25E 22I 22P 22C 22S 15D"},
    {kOffsetCommit, kFollower, kNoGeneration,    " 0E  0E 22I 22P 22C 22S 15D"},
    {kOffsetCommit, kNobody, kNoGeneration,      " 0E  0E 25I 25P 25C 25S 15D"},
    {kOffsetCommit, kNobody, kRight,             "69A 25E 25I 25P 25C 25S 15D"},
    {kOffsetCommit, kReserved, kRight,           "69A 25E 25I 25P 25C 25S 15D"},
    {kOffsetCommit, kStranger, kWrongGeneration, "69A 25E 25I 25P 25C 25S 15D"},
    {kOffsetCommit, kFenced, kWrongGeneration,   "69A 25E 82I 82P 82C 82S 15D"},
    {kOffsetCommit, kFollower, kLongMetadata,    "69A 25E 12I 12P 27C 12S 15D"},
    {kOffsetCommit, kFollower, kUnknownTopic,    " 3A  3E  3I  3P  3C  3S  3D"},

    {kOffsetFetch, kNobody, kRight, " 0A  0E  0I  0P  0C  0S  0D"},

    {kDescribeGroups, kNobody, kRight, " 0A  0E  0I  0P  0C  0S  0D"},

    {kDeleteGroups, kNobody, kRight, "69A  0A 68I 68P 68C 68S 69D"},

    {kOffsetDelete, kNobody, kRight,             "69A  0E 86I 86P 86C 86S 69D"},
    {kOffsetDelete, kNobody, kUnsubscribedTopic, "69A  0E 86I  0P  0C  0S 69D"},
    {kOffsetDelete, kNobody, kOtherType,         "69A  0E 68I 68P 68C 68S 69D"},
    {kOffsetDelete, kNobody, kUnknownTopic,      "69A  3E  3I  3P  3C  3S 69D"},
    {kOffsetDelete, kNobody, kNoGroup,           "24A 24E 24I 24P 24C 24S 24D"},
});
// clang-format on

std::string_view column_name(char letter) {
  return std::ranges::find(kGroupColumns, letter, &GroupColumn::letter)->name;
}

// "27", "parked", "79 → Empty": the state is named where it changes.
std::string cell_markdown(const GroupTableCell& cell, char before) {
  std::string text(cell.code == "-" ? "parked" : cell.code);
  if (cell.state_after != before) text += fmt::format(" → {}", column_name(cell.state_after));
  return text;
}

}  // namespace

std::span<const GroupTableRow> group_table() { return kGroupTable; }

GroupTableCell GroupTableRow::cell(std::size_t column) const {
  std::string_view rest = cells;
  for (std::size_t i = 0;; ++i) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const std::string_view word = rest.substr(0, rest.find(' '));
    CHECK(word.size() >= 2, "column {} of \"{}\"", column, cells);
    if (i == column) return {word.substr(0, word.size() - 1), word.back()};
    rest.remove_prefix(word.size());
  }
}

std::string_view name_of(GroupApi api) {
  switch (api) {
    case kJoinGroup:
      return "JoinGroup";
    case kSyncGroup:
      return "SyncGroup";
    case kHeartbeat:
      return "Heartbeat";
    case kLeaveGroup:
      return "LeaveGroup";
    case kOffsetCommit:
      return "OffsetCommit";
    case kOffsetFetch:
      return "OffsetFetch";
    case kDescribeGroups:
      return "DescribeGroups";
    case kDeleteGroups:
      return "DeleteGroups";
    case kOffsetDelete:
      return "OffsetDelete";
  }
  return {};
}

std::string_view words_of(Identity identity) {
  switch (identity) {
    case kNobody:
      return "nobody";
    case kLeader:
      return "the leader";
    case kFollower:
      return "a follower";
    case kStatic:
      return "a static follower";
    case kReserved:
      return "a reserved id";
    case kStranger:
      return "an unknown id";
    case kInstanceAlone:
      return "a known instance id alone";
    case kFenced:
      return "a known instance id, another member id";
    case kNewInstance:
      return "a new instance id alone";
    case kNoInstance:
      return "a member id, an unknown instance id";
  }
  return {};
}

std::string_view words_of(Terms terms) {
  switch (terms) {
    case kRight:
      return "";
    case kWrongGeneration:
      return "wrong generation";
    case kNoGeneration:
      return "generation -1";
    case kOtherMetadata:
      return "other metadata";
    case kOtherProtocol:
      return "another protocol";
    case kOtherType:
      return "another protocol type";
    case kNoProtocols:
      return "no protocol";
    case kShortSession:
      return "session too short";
    case kNoGroup:
      return "group id \"\"";
    case kUnknownTopic:
      return "unknown partition";
    case kLongMetadata:
      return "metadata too long";
    case kUnsubscribedTopic:
      return "topic not subscribed";
  }
  return {};
}

std::string group_table_markdown(GroupApi api) {
  std::string text = fmt::format("| {} of |", name_of(api));
  std::string rule = "|---|";
  for (const GroupColumn& column : kGroupColumns) {
    text += fmt::format(" {} |", column.name);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const GroupTableRow& row : kGroupTable) {
    if (row.api != api) continue;
    text += fmt::format("| {}{}{} |", words_of(row.identity), row.terms == kRight ? "" : ", ",
                        words_of(row.terms));
    for (std::size_t column = 0; column < kGroupColumns.size(); ++column) {
      const std::string cell = cell_markdown(row.cell(column), kGroupColumns[column].letter);
      text += fmt::format(" {} |", cell);
    }
    text += "\n";
  }
  return text;
}

std::string group_moves_markdown() {
  std::string text = "| From | to |\n|---|---|\n";
  for (const GroupState from : kAllGroupStates) {
    std::string targets;
    for (const GroupMove& move : kGroupMoves) {
      if (move.from != from) continue;
      targets += fmt::format("{}{}", targets.empty() ? "" : ", ", name_of(move.to));
    }
    text += fmt::format("| {} | {} |\n", name_of(from), targets.empty() ? "-" : targets);
  }
  return text;
}

}  // namespace fencepost::broker
