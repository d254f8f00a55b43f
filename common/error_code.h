// Kafka's error codes: number, name, and what a client may conclude from them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fencepost {

enum class ErrorCode : std::int16_t {
  kUnknownServerError = -1,
  kNone = 0,
  kOffsetOutOfRange = 1,
  kUnknownTopicOrPartition = 3,
  kNotLeaderOrFollower = 6,
  kRequestTimedOut = 7,
  kOffsetMetadataTooLarge = 12,
  kNetworkException = 13,
  kCoordinatorLoadInProgress = 14,
  kCoordinatorNotAvailable = 15,
  kNotCoordinator = 16,
  kInvalidTopicException = 17,
  kNotEnoughReplicas = 19,
  kInvalidRequiredAcks = 21,
  kIllegalGeneration = 22,
  kInconsistentGroupProtocol = 23,
  kInvalidGroupId = 24,
  kUnknownMemberId = 25,
  kInvalidSessionTimeout = 26,
  kRebalanceInProgress = 27,
  kInvalidCommitOffsetSize = 28,
  kGroupAuthorizationFailed = 30,
  kUnsupportedVersion = 35,
  kTopicAlreadyExists = 36,
  kInvalidPartitions = 37,
  kInvalidReplicationFactor = 38,
  kInvalidRequest = 42,
  kOutOfOrderSequenceNumber = 45,
  kDuplicateSequenceNumber = 46,
  kInvalidProducerEpoch = 47,
  kInvalidTxnState = 48,
  kInvalidProducerIdMapping = 49,
  kInvalidTransactionTimeout = 50,
  kConcurrentTransactions = 51,
  kTransactionCoordinatorFenced = 52,
  kOperationNotAttempted = 55,
  kUnknownProducerId = 59,
  kNonEmptyGroup = 68,
  kGroupIdNotFound = 69,
  kMemberIdRequired = 79,
  kGroupMaxSizeReached = 81,
  kFencedInstanceId = 82,
  kGroupSubscribedToTopic = 86,
  kInvalidRecord = 87,
  kUnstableOffsetCommit = 88,
  kProducerFenced = 90,
  kTransactionalIdNotFound = 105,
};

struct ErrorInfo {
  ErrorCode code;
  std::string_view name;       // "UNKNOWN_MEMBER_ID"
  std::string_view exception;  // the Java client's name for it, "UnknownMemberIdException"
  bool retriable;              // the client may send the same request again
  bool definite;               // the request surely had no effect
  std::string_view meaning;    // one sentence
};

// Every code, by number.
std::span<const ErrorInfo> all_errors();

// The row of a code; a number that is not Kafka's has the row of UNKNOWN_SERVER_ERROR.
const ErrorInfo& info(ErrorCode code);
inline std::string_view name_of(ErrorCode code) { return info(code).name; }
std::optional<ErrorCode> error_from_name(std::string_view name);

// The code behind a number from the wire.
ErrorCode error_from_wire(std::int32_t number);
constexpr std::int32_t to_wire(ErrorCode code) { return static_cast<std::int32_t>(code); }

}  // namespace fencepost
