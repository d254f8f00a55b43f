// What a coordinator answers, request by request and state by state (group-protocol 1.5, 2 and 4):
// one table that people read in docs/groups.md, and of which a test asks every cell of the machine.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fencepost::broker {

enum class GroupApi {
  kJoinGroup,
  kSyncGroup,
  kHeartbeat,
  kLeaveGroup,
  kOffsetCommit,
  kOffsetFetch,
  kDescribeGroups,
  kDeleteGroups,
  kOffsetDelete,
};

// By which identity a request comes. The group has a leader and a follower, both dynamic, and a
// static follower.
enum class Identity {
  kNobody,         // neither member id nor instance id
  kLeader,         //
  kFollower,       //
  kStatic,         // the static follower, by both its ids
  kReserved,       // an id that was handed out, before its join
  kStranger,       // an id that was never given
  kInstanceAlone,  // the static follower's instance id without a member id: it was restarted
  kFenced,         // its instance id with the follower's member id
  kNewInstance,    // an instance id that nobody has, without a member id
  kNoInstance,     // the follower's member id with an instance id that nobody has
};

// What is special about it.
enum class Terms {
  kRight,  // the group's generation, the protocols of the last join
  kWrongGeneration,
  kNoGeneration,
  kOtherMetadata,
  kOtherProtocol,
  kOtherType,
  kNoProtocols,
  kShortSession,
  kNoGroup,
  kUnknownTopic,
  kLongMetadata,
  kUnsubscribedTopic,
};

// The columns, each with the letter that cells use. In PreparingRebalance the leader and the static
// follower have rejoined and the follower has not; "initial" is the same state, entered from Empty,
// with everyone's first join parked.
struct GroupColumn {
  char letter;
  std::string_view name;
};
inline constexpr std::array kGroupColumns = std::to_array<GroupColumn>({
    {'A', "absent"},
    {'E', "Empty"},
    {'I', "Preparing, initial"},
    {'P', "Preparing"},
    {'C', "Completing"},
    {'S', "Stable"},
    {'D', "Dead"},
});

struct GroupTableCell {
  std::string_view code;  // of the error, "0", "27"; "-" if the request is parked
  char state_after;
};
struct GroupTableRow {
  GroupApi api;
  Identity identity;
  Terms terms;
  std::string_view cells;  // code and letter by column, "79E 79E 79I 79P 79C 79S 15D"

  GroupTableCell cell(std::size_t column) const;
};

std::span<const GroupTableRow> group_table();

std::string_view name_of(GroupApi api);
// "the leader", "a stranger"; and what it does, "with the wrong generation", "" if nothing special.
std::string_view words_of(Identity identity);
std::string_view words_of(Terms terms);

// For docs/groups.md: the rows of an api, and the moves between states, as tables in Markdown.
std::string group_table_markdown(GroupApi api);
std::string group_moves_markdown();

}  // namespace fencepost::broker
