#include "consumer/core/heartbeats.h"

#include <algorithm>

#include "common/backoff.h"

namespace fencepost::consumer {

Heartbeats::Heartbeats(Client& client, const ConsumerConfig& config, Member& member,
                       CoordinatorLookup& coordinator, Signal& background)
    : client_(client),
      config_(config),
      member_(member),
      coordinator_(coordinator),
      background_(background) {}

void Heartbeats::start() { client_.time().spawn(run()); }

void Heartbeats::restart_timers() {
  last_success_ = client_.now();
  last_poll_ = client_.now();
  next_heartbeat_ = client_.now() + config_.heartbeat_interval;
  failures_ = 0;
  background_.notify_all();
}

void Heartbeats::poll_begins() {
  in_poll_ = true;
  polled();
  if (config_.heartbeats_inline) background_.notify_all();
}

// The background part looks again at each heartbeat, which is soon enough unless the interval is
// longer.
void Heartbeats::poll_ends() {
  in_poll_ = false;
  if (config_.rebalance_timeout <= config_.heartbeat_interval) background_.notify_all();
}

Tick Heartbeats::session_end() const {
  return std::max(last_success_, coordinator_.found_at()) + config_.session_timeout;
}

Task<void> Heartbeats::run() {
  while (!stopped_) {
    const bool silent = config_.heartbeats_inline && !in_poll_;
    if (!member_.heartbeats_wanted() || silent) {
      co_await background_.wait();
      continue;
    }
    if (!coordinator_.ensure()) {
      const Tick again = client_.now() + config_.retry_backoff;
      co_await background_.wait_until(again, "retry.backoff.ms");
      continue;
    }
    const Due due = next_due();
    if (client_.now() < due.tick) {
      co_await background_.wait_until(due.tick, due.why);
      continue;
    }
    pass();
  }
}

// Of timers due together the one whose consequence comes first in a pass names the wake.
Heartbeats::Due Heartbeats::next_due() const {
  Due due{next_heartbeat_, "heartbeat.interval.ms"};
  if (!in_poll_ && poll_end() <= due.tick) due = {poll_end(), "max.poll.interval.ms"};
  if (session_end() <= due.tick) due = {session_end(), "session.timeout.ms"};
  return due;
}

// One pass of Kafka's heartbeat thread with a known coordinator: the first thing due, in its order.
void Heartbeats::pass() {
  if (session_end() <= client_.now()) {
    const std::string coordinator = *coordinator_.host();
    coordinator_.mark_unknown(coordinator);
  } else if (!in_poll_ && poll_end() <= client_.now()) {
    client_.time().spawn(member_.leave(coordinator_.host(), "consumer poll timeout has expired"));
  } else {
    send_heartbeat();
  }
}

// The interval counts from here, whether or not the answer of the one before has come.
void Heartbeats::send_heartbeat() {
  next_heartbeat_ = client_.now() + config_.heartbeat_interval;
  client_.time().spawn(heartbeat(member_.identity(), *coordinator_.host()));
}

Task<void> Heartbeats::heartbeat(Identity sent, std::string coordinator) {
  wire::Frame frame;
  wire::HeartbeatRequest* request = frame.mutable_heartbeat_request();
  request->set_group_id(config_.group->value());
  request->set_generation_id(sent.generation.value());
  request->set_member_id(sent.member_id.value());
  if (config_.instance_id) request->set_group_instance_id(*config_.instance_id);
  const Result<Answer> answer =
      co_await client_.call(coordinator, std::move(frame), config_.request_timeout);
  if (answer) {
    const std::int32_t error = (*answer)->heartbeat_response().error_code();
    react(error_from_wire(error), sent, coordinator);
  } else {
    coordinator_.mark_unknown(coordinator);
    failed();
  }
}

void Heartbeats::succeeded() {
  last_success_ = client_.now();
  failures_ = 0;
}

void Heartbeats::failed() {
  const TickSpan pause =
      exponential_backoff(config_.retry_backoff, config_.retry_backoff_max, failures_++);
  next_heartbeat_ = client_.now() + pause;
  background_.notify_all();
}

// Group-protocol 3.5, column Heartbeat.
void Heartbeats::react(ErrorCode error, const Identity& sent, const std::string& coordinator) {
  const bool current = sent == member_.identity();
  const std::string reason = "Heartbeat answered " + std::string(name_of(error));
  if (error == ErrorCode::kNone) {
    succeeded();
  } else if (error == ErrorCode::kRebalanceInProgress) {
    succeeded();
    if (member_.state() == MemberState::kStable && !member_.rejoin_needed()) {
      member_.request_rejoin("group is already rebalancing");
    }
  } else if (error == ErrorCode::kIllegalGeneration || error == ErrorCode::kUnknownMemberId) {
    if (current) member_.reset(error == ErrorCode::kIllegalGeneration, reason);
  } else if (error == ErrorCode::kFencedInstanceId) {
    if (!current) return;
    member_.reset(false, reason);
    member_.fail(client_error(error));
    stop();
  } else {
    const bool moved =
        error == ErrorCode::kCoordinatorNotAvailable || error == ErrorCode::kNotCoordinator;
    if (moved) coordinator_.mark_unknown(coordinator);
    failed();
  }
}

}  // namespace fencepost::consumer
