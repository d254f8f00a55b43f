// What the Info column says of each message, as data: a row for each request and response, read by
// info_of (lab/packets/info.h) and by the dissector for Wireshark (docs/wireshark). A new API adds
// its two rows here and nothing else.
//
//   text   = phrase (" " phrase)*
//   phrase = (literal | hole | list)*       left out if one of its holes or lists is empty
//   hole   = "{" [path ("," path)*] [":" format] "}"
//   list   = "[" path "|" item ["|" instead] "]"
//   item   = (literal | hole)*              left out if one of its holes is empty
//   path   = name ("." name)* | "."
//
// A list has one item for each element of its path, joined by blanks, in brackets. If no item is
// left it is empty; with `instead` that word stands there, without brackets. A path leads from
// field to field, in their order through every element of the repeated ones. In an item its first
// name is looked up in the element, then in those around it: a partition finds the name of its
// topic; "." is the element itself. A hole whose path has several values shows each once, joined
// by ",".
//
//   (none)      text as it is; a number in decimal, absent: its default; a flag: "true", or empty
//   natural     a number; empty below 0
//   offset      a number; "none" below 0
//   timestamp   "latest" for -1, "earliest" for -2, other numbers as they are
//   isolation   "read_committed" for 1, else empty
//   keytype     "group" for 0, "transaction" for 1, other numbers as they are
//   member      a member id without all but the first four digits of its UUID: "C2-5f1c"
//   joiner      the same; "(new)" if it is empty
//   error       Kafka's name of an error code, UNKNOWN_SERVER_ERROR if it has none; empty for 0
//   suffix      the same as "(NAME)"; does not count as empty
//   errors      without path: every error code but 0 in the message, in the order of the fields
//               (depth first), each name once, joined by ","
//   partition   of two paths, topic and index: "o2", "orders-2" if the topic has no short name
//   count       how many values the path has
//   records     values of all records in RecordBatches, "null" for those that have none, joined by
//               ","; after six follows ",... N in all"
//   owned, claimgen     of a serialized ConsumerProtocolSubscription: its owned_partitions as
//               "[o0 o1]", sorted by topic and number, empty if there are none; its generation_id,
//               empty below 0. Bytes that are none: "?"; no bytes: empty
//   assignment  of a serialized ConsumerProtocolAssignment: "[o0 o1]", "[]" for none. Bytes that
//               are none: "?"; no bytes: empty
//
// At the end bytes that a line must not hold are written as \x1b: control characters (also U+0080
// to U+009F) and what is not UTF-8. What is longer than kInfoBytesMax is cut before it, at a
// character, and "..." follows.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace fencepost::lab {

struct InfoRow {
  std::string_view message;  // e.g. "JoinGroupRequest"
  std::string_view text;
};

constexpr std::size_t kInfoBytesMax = 2000;
constexpr std::size_t kRecordsShown = 6;

// In the order of Kafka's API keys.
std::span<const InfoRow> info_rows();

}  // namespace fencepost::lab
