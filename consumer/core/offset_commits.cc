#include "consumer/core/offset_commits.h"

#include "common/events.h"

namespace fencepost::consumer {
namespace {

constexpr ClientError kCommitFailed{ErrorCode::kNone, "CommitFailedException"};
constexpr ClientError kRebalancing{ErrorCode::kNone, "RebalanceInProgressException"};
constexpr ClientError kTimeout{ErrorCode::kRequestTimedOut, "TimeoutException"};

wire::Frame request_of(const std::string& group, const Offsets& offsets, const Identity& identity,
                       const std::optional<std::string>& instance_id) {
  wire::Frame frame;
  wire::OffsetCommitRequest* request = frame.mutable_offset_commit_request();
  request->set_group_id(group);
  request->set_generation_id(identity.generation.value());
  request->set_member_id(identity.member_id.value());
  if (instance_id) request->set_group_instance_id(*instance_id);
  for (const auto& [where, offset] : offsets) {
    auto* partition = topic_entry(request->mutable_topics(), where.topic)->add_partitions();
    partition->set_partition_index(where.partition.value());
    partition->set_committed_offset(offset.value());
  }
  return frame;
}

// The first partition that failed decides, as in Kafka's handler.
ErrorCode first_error(const wire::OffsetCommitResponse& response) {
  for (const auto& topic : response.topics()) {
    for (const auto& partition : topic.partitions()) {
      if (partition.error_code() != 0) return error_from_wire(partition.error_code());
    }
  }
  return ErrorCode::kNone;
}

}  // namespace

OffsetCommits::OffsetCommits(Client& client, const ConsumerConfig& config, Member& member,
                             CoordinatorLookup& coordinator, Signal& changed)
    : client_(client),
      config_(config),
      member_(member),
      coordinator_(coordinator),
      changed_(changed) {}

// Callbacks of earlier commits come first, also of those that end meanwhile.
Task<ClientResult<void>> OffsetCommits::commit(Offsets offsets, Tick deadline) {
  const std::optional<ClientError> fenced = run_callbacks();
  if (fenced) co_return *fenced;
  ClientResult<void> result;
  if (offsets.empty()) {
    co_await settled(deadline);
  } else {
    result = co_await commit_until(std::move(offsets), deadline);
  }
  const std::optional<ClientError> fenced_meanwhile = run_callbacks();
  if (result && fenced_meanwhile) co_return *fenced_meanwhile;
  co_return result;
}

Task<ClientResult<void>> OffsetCommits::commit_until(Offsets offsets, Tick deadline) {
  for (;;) {
    Attempt result;
    const bool found = co_await find_coordinator(deadline);
    if (found) result = co_await attempt(offsets);
    const Tick again = client_.now() + config_.retry_backoff;
    const bool retry = found && result.outcome == Outcome::kRetriable && again < deadline;
    if (retry) {
      co_await client_.time().sleep_until(again, "retry.backoff.ms");
      continue;
    }
    if (!found || result.outcome == Outcome::kRetriable) {
      result = Attempt{Outcome::kFailed, kTimeout, member_.identity()};
    }
    report(result, offsets);
    if (result.outcome == Outcome::kFailed) co_return result.error;
    co_return ClientResult<void>();
  }
}

Task<bool> OffsetCommits::find_coordinator(Tick deadline) {
  while (!coordinator_.ensure()) {
    if (client_.now() >= deadline) co_return false;
    co_await changed_.wait_until(deadline, "default.api.timeout.ms");
  }
  co_return true;
}

std::shared_ptr<const OffsetCommits::Flight> OffsetCommits::commit_async(Offsets offsets,
                                                                         CommitCallback callback) {
  auto flight = std::make_shared<Flight>();
  if (offsets.empty()) {
    flight->outcome = Outcome::kDone;
    ended_.push_back({std::move(callback), std::move(offsets), std::nullopt});
    return flight;
  }
  ++async_in_flight_;
  client_.time().spawn(run_async(std::move(offsets), std::move(callback), flight));
  return flight;
}

std::optional<ClientError> OffsetCommits::run_callbacks() {
  while (!ended_.empty()) {
    const Ended ended = std::move(ended_.front());
    ended_.pop_front();
    if (ended.callback) ended.callback(ended.offsets, ended.error);
  }
  if (fenced_) return client_error(ErrorCode::kFencedInstanceId);
  return std::nullopt;
}

Task<void> OffsetCommits::run_async(Offsets offsets, CommitCallback callback,
                                    std::shared_ptr<Flight> flight) {
  Attempt result{Outcome::kRetriable, client_error(ErrorCode::kCoordinatorNotAvailable), {}};
  coordinator_.ensure();
  while (coordinator_.looking()) co_await changed_.wait();
  if (coordinator_.host()) result = co_await attempt(offsets);
  if (result.outcome == Outcome::kRetriable) {
    result.error.exception = "RetriableCommitFailedException";
  }
  report(result, offsets);
  flight->outcome = result.outcome;
  fenced_ = fenced_ || result.error.code == ErrorCode::kFencedInstanceId;
  std::optional<ClientError> error;
  if (result.outcome != Outcome::kDone) error = result.error;
  ended_.push_back({std::move(callback), std::move(offsets), error});
  --async_in_flight_;
  changed_.notify_all();
}

Task<void> OffsetCommits::settled(Tick deadline) {
  while (async_in_flight_ > 0 && client_.now() < deadline) {
    co_await changed_.wait_until(deadline, "close timeout");
  }
}

std::optional<OffsetCommits::Attempt> OffsetCommits::refused_locally() const {
  if (!managed_ || member_.state() == MemberState::kStable) return std::nullopt;
  if (member_.rebalancing()) return Attempt{Outcome::kFailed, kRebalancing, member_.identity()};
  if (config_.commit_after_leaving && member_.former_identity().generation != kNoGeneration) {
    return std::nullopt;
  }
  return Attempt{Outcome::kFailed, kCommitFailed, member_.identity()};
}

Task<OffsetCommits::Attempt> OffsetCommits::attempt(Offsets offsets) {
  const std::optional<Attempt> refused = refused_locally();
  if (refused) co_return *refused;
  Identity sent;
  if (managed_) {
    const bool stable = member_.state() == MemberState::kStable;
    sent = stable ? member_.identity() : member_.former_identity();
  }
  const std::string coordinator = *coordinator_.host();
  const auto instance_id = managed_ ? config_.instance_id : std::nullopt;
  wire::Frame request = request_of(config_.group->value(), offsets, sent, instance_id);
  const Result<Answer> answer =
      co_await client_.call(coordinator, std::move(request), config_.request_timeout);
  const ErrorCode error =
      answer ? first_error((*answer)->offset_commit_response()) : answer.error();
  co_return react(error, sent, coordinator);
}

// Group-protocol 3.5, column OffsetCommit.
OffsetCommits::Attempt OffsetCommits::react(ErrorCode error, const Identity& sent,
                                            const std::string& coordinator) {
  switch (error) {
    case ErrorCode::kNone:
      return {Outcome::kDone, {}, sent};
    case ErrorCode::kCoordinatorNotAvailable:
    case ErrorCode::kNotCoordinator:
    case ErrorCode::kRequestTimedOut:
    case ErrorCode::kNetworkException:
      coordinator_.mark_unknown(coordinator);
      return {Outcome::kRetriable, client_error(error), sent};
    case ErrorCode::kCoordinatorLoadInProgress:
    case ErrorCode::kUnknownTopicOrPartition:
      return {Outcome::kRetriable, client_error(error), sent};
    case ErrorCode::kUnknownMemberId:
    case ErrorCode::kIllegalGeneration:
      return no_longer_a_member(error, sent);
    case ErrorCode::kRebalanceInProgress:
      member_.request_rejoin("offset commit failed since group is already rebalancing");
      return {Outcome::kFailed, {error, kRebalancing.exception}, sent};
    case ErrorCode::kOffsetMetadataTooLarge:
    case ErrorCode::kInvalidCommitOffsetSize:
    case ErrorCode::kGroupAuthorizationFailed:
    case ErrorCode::kFencedInstanceId:
      return {Outcome::kFailed, client_error(error), sent};
    default:
      return {Outcome::kFailed, {error, "KafkaException"}, sent};  // "Unexpected error in commit"
  }
}

OffsetCommits::Attempt OffsetCommits::no_longer_a_member(ErrorCode error, const Identity& sent) {
  const bool current = sent == member_.identity();
  if (!current && member_.state() == MemberState::kPreparingRebalance) {
    return {Outcome::kFailed, {error, kRebalancing.exception}, sent};
  }
  if (current && managed_) {
    member_.reset(error == ErrorCode::kIllegalGeneration,
                  "OffsetCommit answered " + std::string(name_of(error)));
  }
  return {Outcome::kFailed, {error, kCommitFailed.exception}, sent};
}

void OffsetCommits::report(const Attempt& attempt, const Offsets& offsets) {
  const std::string group = config_.group->value();
  const std::string member = attempt.identity.member_id.value();
  const std::string generation = std::to_string(attempt.identity.generation.value());
  if (attempt.outcome == Outcome::kDone) {
    client_.report(events::make(events::kOffsetsCommitted, {{"group", group},
                                                            {"member", member},
                                                            {"generation", generation},
                                                            {"offsets", to_text(offsets)}}));
    return;
  }
  client_.report(
      events::make(events::kCommitFailed, {{"group", group},
                                           {"member", member},
                                           {"generation", generation},
                                           {"offsets", to_text(offsets)},
                                           {"error", std::string(name_of(attempt.error.code))},
                                           {"exception", std::string(attempt.error.exception)}}));
}

}  // namespace fencepost::consumer
