#include "common/error_code.h"

#include <algorithm>
#include <array>

namespace fencepost {
namespace {

constexpr bool kRetriable = true;
constexpr bool kFinal = false;
constexpr bool kDefinite = true;
constexpr bool kUncertain = false;

// Retriable is the class RetriableException in Kafka's Java client. Definite is ours, after
// Maelstrom: after an uncertain answer the request may have taken effect.
constexpr std::array kErrors = std::to_array<ErrorInfo>({
    {ErrorCode::kUnknownServerError, "UNKNOWN_SERVER_ERROR", "UnknownServerException", kFinal,
     kUncertain, "the server met an error that it did not expect"},
    {ErrorCode::kNone, "NONE", "", kFinal, kUncertain, "no error"},
    {ErrorCode::kOffsetOutOfRange, "OFFSET_OUT_OF_RANGE", "OffsetOutOfRangeException", kFinal,
     kDefinite, "the offset is not within the log of that partition"},
    {ErrorCode::kUnknownTopicOrPartition, "UNKNOWN_TOPIC_OR_PARTITION",
     "UnknownTopicOrPartitionException", kRetriable, kDefinite,
     "this broker does not have that topic or partition"},
    {ErrorCode::kNotLeaderOrFollower, "NOT_LEADER_OR_FOLLOWER", "NotLeaderOrFollowerException",
     kRetriable, kDefinite, "another broker leads that partition; look it up again"},
    {ErrorCode::kRequestTimedOut, "REQUEST_TIMED_OUT", "TimeoutException", kRetriable, kUncertain,
     "the request was not answered in time"},
    {ErrorCode::kOffsetMetadataTooLarge, "OFFSET_METADATA_TOO_LARGE", "OffsetMetadataTooLarge",
     kFinal, kDefinite, "the metadata of a committed offset is longer than the broker allows"},
    {ErrorCode::kNetworkException, "NETWORK_EXCEPTION", "NetworkException", kRetriable, kUncertain,
     "the connection ended before the answer came"},
    {ErrorCode::kCoordinatorLoadInProgress, "COORDINATOR_LOAD_IN_PROGRESS",
     "CoordinatorLoadInProgressException", kRetriable, kDefinite,
     "the coordinator is still reading its log"},
    {ErrorCode::kCoordinatorNotAvailable, "COORDINATOR_NOT_AVAILABLE",
     "CoordinatorNotAvailableException", kRetriable, kUncertain,
     "there is no coordinator now, or it could not store the change in time"},
    {ErrorCode::kNotCoordinator, "NOT_COORDINATOR", "NotCoordinatorException", kRetriable,
     kDefinite, "another broker is the coordinator; look it up again"},
    {ErrorCode::kInvalidTopicException, "INVALID_TOPIC_EXCEPTION", "InvalidTopicException", kFinal,
     kDefinite, "the name of the topic is not legal"},
    {ErrorCode::kNotEnoughReplicas, "NOT_ENOUGH_REPLICAS", "NotEnoughReplicasException", kRetriable,
     kDefinite, "fewer replicas are in sync than the topic demands"},
    {ErrorCode::kInvalidRequiredAcks, "INVALID_REQUIRED_ACKS", "InvalidRequiredAcksException",
     kFinal, kDefinite, "acks must be -1 (all), 0 or 1"},
    {ErrorCode::kIllegalGeneration, "ILLEGAL_GENERATION", "IllegalGenerationException", kFinal,
     kDefinite, "the generation is not the group's current one"},
    {ErrorCode::kInconsistentGroupProtocol, "INCONSISTENT_GROUP_PROTOCOL",
     "InconsistentGroupProtocolException", kFinal, kDefinite,
     "the member shares no assignor or protocol type with the rest of the group"},
    {ErrorCode::kInvalidGroupId, "INVALID_GROUP_ID", "InvalidGroupIdException", kFinal, kDefinite,
     "the group id is empty or not legal"},
    {ErrorCode::kUnknownMemberId, "UNKNOWN_MEMBER_ID", "UnknownMemberIdException", kFinal,
     kDefinite, "the coordinator does not know that member: it left, or was evicted"},
    {ErrorCode::kInvalidSessionTimeout, "INVALID_SESSION_TIMEOUT", "InvalidSessionTimeoutException",
     kFinal, kDefinite,
     "the session timeout is outside the broker's group.min and group.max.session.timeout.ms"},
    {ErrorCode::kRebalanceInProgress, "REBALANCE_IN_PROGRESS", "RebalanceInProgressException",
     kFinal, kDefinite, "the group is rebalancing, so the member must join again"},
    {ErrorCode::kInvalidCommitOffsetSize, "INVALID_COMMIT_OFFSET_SIZE",
     "InvalidCommitOffsetSizeException", kFinal, kDefinite,
     "the records of this commit are larger than one batch may be"},
    {ErrorCode::kGroupAuthorizationFailed, "GROUP_AUTHORIZATION_FAILED",
     "GroupAuthorizationException", kFinal, kDefinite, "the client may not use that group"},
    {ErrorCode::kUnsupportedVersion, "UNSUPPORTED_VERSION", "UnsupportedVersionException", kFinal,
     kDefinite, "the broker does not have this request, or not in this version"},
    {ErrorCode::kTopicAlreadyExists, "TOPIC_ALREADY_EXISTS", "TopicExistsException", kFinal,
     kDefinite, "a topic of that name exists"},
    {ErrorCode::kInvalidPartitions, "INVALID_PARTITIONS", "InvalidPartitionsException", kFinal,
     kDefinite, "the number of partitions is not legal"},
    {ErrorCode::kInvalidReplicationFactor, "INVALID_REPLICATION_FACTOR",
     "InvalidReplicationFactorException", kFinal, kDefinite,
     "the replication factor is below 1 or above the number of brokers"},
    {ErrorCode::kInvalidRequest, "INVALID_REQUEST", "InvalidRequestException", kFinal, kDefinite,
     "the request contradicts itself or lacks a field"},
    {ErrorCode::kOutOfOrderSequenceNumber, "OUT_OF_ORDER_SEQUENCE_NUMBER",
     "OutOfOrderSequenceException", kFinal, kDefinite,
     "a batch before this one is missing in the partition"},
    {ErrorCode::kDuplicateSequenceNumber, "DUPLICATE_SEQUENCE_NUMBER", "DuplicateSequenceException",
     kFinal, kDefinite, "the partition has this batch already"},
    {ErrorCode::kInvalidProducerEpoch, "INVALID_PRODUCER_EPOCH", "InvalidProducerEpochException",
     kFinal, kDefinite, "a producer with a newer epoch has taken over: a zombie is fenced"},
    {ErrorCode::kInvalidTxnState, "INVALID_TXN_STATE", "InvalidTxnStateException", kFinal,
     kDefinite, "the transaction is not in a state that allows this"},
    {ErrorCode::kInvalidProducerIdMapping, "INVALID_PRODUCER_ID_MAPPING",
     "InvalidPidMappingException", kFinal, kDefinite,
     "the producer id is not the one of that transactional id"},
    {ErrorCode::kInvalidTransactionTimeout, "INVALID_TRANSACTION_TIMEOUT",
     "InvalidTxnTimeoutException", kFinal, kDefinite,
     "the timeout is larger than the broker's transaction.max.timeout.ms"},
    {ErrorCode::kConcurrentTransactions, "CONCURRENT_TRANSACTIONS",
     "ConcurrentTransactionsException", kRetriable, kDefinite,
     "the previous transaction of that transactional id has not ended yet"},
    {ErrorCode::kTransactionCoordinatorFenced, "TRANSACTION_COORDINATOR_FENCED",
     "TransactionCoordinatorFencedException", kFinal, kDefinite,
     "the markers come from a coordinator that has been replaced"},
    {ErrorCode::kOperationNotAttempted, "OPERATION_NOT_ATTEMPTED", "OperationNotAttemptedException",
     kFinal, kDefinite, "not tried, because another part of the same request failed"},
    {ErrorCode::kUnknownProducerId, "UNKNOWN_PRODUCER_ID", "UnknownProducerIdException", kFinal,
     kDefinite, "the partition has no state for that producer id any more"},
    {ErrorCode::kNonEmptyGroup, "NON_EMPTY_GROUP", "GroupNotEmptyException", kFinal, kDefinite,
     "the group still has members"},
    {ErrorCode::kGroupIdNotFound, "GROUP_ID_NOT_FOUND", "GroupIdNotFoundException", kFinal,
     kDefinite, "there is no group of that id"},
    {ErrorCode::kMemberIdRequired, "MEMBER_ID_REQUIRED", "MemberIdRequiredException", kFinal,
     kDefinite, "join again with the member id that came with this answer (KIP-394)"},
    {ErrorCode::kGroupMaxSizeReached, "GROUP_MAX_SIZE_REACHED", "GroupMaxSizeReachedException",
     kFinal, kDefinite, "the group has as many members as group.max.size allows"},
    {ErrorCode::kFencedInstanceId, "FENCED_INSTANCE_ID", "FencedInstanceIdException", kFinal,
     kDefinite, "another process has taken over that group.instance.id (KIP-345)"},
    {ErrorCode::kGroupSubscribedToTopic, "GROUP_SUBSCRIBED_TO_TOPIC",
     "GroupSubscribedToTopicException", kFinal, kDefinite,
     "the offsets cannot be deleted while the group is subscribed to the topic"},
    {ErrorCode::kInvalidRecord, "INVALID_RECORD", "InvalidRecordException", kFinal, kDefinite,
     "the broker refused a record of the batch"},
    {ErrorCode::kUnstableOffsetCommit, "UNSTABLE_OFFSET_COMMIT", "UnstableOffsetCommitException",
     kRetriable, kDefinite, "a transaction with offsets of that partition has not ended (KIP-447)"},
    {ErrorCode::kProducerFenced, "PRODUCER_FENCED", "ProducerFencedException", kFinal, kDefinite,
     "another producer with the same transactional id has taken over (KIP-588)"},
    {ErrorCode::kTransactionalIdNotFound, "TRANSACTIONAL_ID_NOT_FOUND",
     "TransactionalIdNotFoundException", kFinal, kDefinite,
     "the coordinator does not know that transactional id"},
});

static_assert(std::ranges::is_sorted(kErrors, {}, &ErrorInfo::code));

const ErrorInfo* find(std::int32_t number) {
  const auto by_number = [](const ErrorInfo& row) { return to_wire(row.code); };
  const auto found = std::ranges::lower_bound(kErrors, number, {}, by_number);
  return found != kErrors.end() && by_number(*found) == number ? &*found : nullptr;
}

}  // namespace

std::span<const ErrorInfo> all_errors() { return kErrors; }

const ErrorInfo& info(ErrorCode code) {
  const ErrorInfo* row = find(to_wire(code));
  return row != nullptr ? *row : *find(to_wire(ErrorCode::kUnknownServerError));
}

std::optional<ErrorCode> error_from_name(std::string_view name) {
  const auto found = std::ranges::find(kErrors, name, &ErrorInfo::name);
  if (found == kErrors.end()) return std::nullopt;
  return found->code;
}

ErrorCode error_from_wire(std::int32_t number) {
  const ErrorInfo* row = find(number);
  return row != nullptr ? row->code : ErrorCode::kUnknownServerError;
}

}  // namespace fencepost
