// The vocabulary of events: what nodes say about themselves, and the keys that each event carries.
// Scenarios set breakpoints on these names and checkers judge by them, so a name is an interface.
// Values: partitions as "orders-0,orders-1" (sorted), offsets "orders-0=3,orders-1=6", records by
// name "o2.3". Numbers are decimal.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "proto/capture.pb.h"

namespace fencepost::events {

// -- broker --
inline constexpr std::string_view kBrokerLoaded = "broker.loaded";
inline constexpr std::string_view kTopicCreated = "topic.created";
inline constexpr std::string_view kLogAppended = "log.appended";
inline constexpr std::string_view kLogDeleted = "log.deleted";
inline constexpr std::string_view kGroupState = "group.state";
inline constexpr std::string_view kMemberAdded = "member.added";
inline constexpr std::string_view kMemberRemoved = "member.removed";
inline constexpr std::string_view kOffsetCommitted = "offset.committed";
inline constexpr std::string_view kOffsetRemoved = "offset.removed";
inline constexpr std::string_view kPartitionsAdded = "partitions.added";
inline constexpr std::string_view kTopicDeleted = "topic.deleted";
// -- consumer client --
inline constexpr std::string_view kClientState = "client.state";
inline constexpr std::string_view kPartitionsRevoked = "partitions.revoked";
inline constexpr std::string_view kPartitionsAssigned = "partitions.assigned";
inline constexpr std::string_view kPartitionsLost = "partitions.lost";
inline constexpr std::string_view kAssignmentComputed = "assignment.computed";
inline constexpr std::string_view kPositionReset = "position.reset";
inline constexpr std::string_view kOffsetsCommitted = "offsets.committed";
inline constexpr std::string_view kCommitFailed = "commit.failed";
inline constexpr std::string_view kClientError = "client.error";
inline constexpr std::string_view kClientClosed = "client.closed";
// -- consumer application --
inline constexpr std::string_view kClientCalled = "client.called";
inline constexpr std::string_view kPollReturned = "poll.returned";
inline constexpr std::string_view kRecordProcessing = "record.processing";
inline constexpr std::string_view kRecordProcessed = "record.processed";
inline constexpr std::string_view kRecordRead = "record.read";
// -- producer client --
inline constexpr std::string_view kRecordSent = "record.sent";
inline constexpr std::string_view kRecordAcknowledged = "record.acknowledged";
inline constexpr std::string_view kRecordFailed = "record.failed";
inline constexpr std::string_view kProduceRetry = "produce.retry";
inline constexpr std::string_view kSourceFinished = "source.finished";
// -- probe --
inline constexpr std::string_view kProbeAnswered = "probe.answered";
inline constexpr std::string_view kProbeFinished = "probe.finished";
inline constexpr std::string_view kProbeMismatch = "probe.mismatch";

// -- the clock, for rules only: in a capture it is a lifecycle record --
inline constexpr std::string_view kProcessExited = "process.exited";

struct EventInfo {
  std::string_view name;
  std::string_view keys;     // comma separated, in the order in which they are reported
  std::string_view meaning;  // one sentence
};

// The whole vocabulary, sorted by name. The docs' table and the scenario's did-you-mean come from
// it.
std::span<const EventInfo> all_events();

// An event with its attributes, in the order given.
wire::Event make(std::string_view name,
                 std::initializer_list<std::pair<std::string_view, std::string>> attributes);

// The value of a key; empty if the event has none.
std::string_view value_of(const wire::Event& event, std::string_view key);

}  // namespace fencepost::events
