#include "consumer/core/coordinator_lookup.h"

namespace fencepost::consumer {

CoordinatorLookup::CoordinatorLookup(Client& client, const ConsumerConfig& config,
                                     Metadata& metadata, Signal& changed, Signal& background)
    : client_(client),
      config_(config),
      metadata_(metadata),
      changed_(changed),
      background_(background) {}

bool CoordinatorLookup::ensure() {
  if (host_) return true;
  if (!looking_) {
    looking_ = true;
    client_.time().spawn(look_up());
  }
  return false;
}

void CoordinatorLookup::mark_unknown(const std::string& host) {
  if (host_ == host) host_.reset();
}

ErrorCode CoordinatorLookup::take(const wire::FindCoordinatorResponse& response) {
  for (const auto& coordinator : response.coordinators()) {
    if (coordinator.key() != config_.group->value()) continue;
    const ErrorCode error = error_from_wire(coordinator.error_code());
    if (error == ErrorCode::kNone) {
      host_ = coordinator.host();
      found_at_ = client_.now();
    }
    return error;
  }
  return ErrorCode::kCoordinatorNotAvailable;
}

Task<void> CoordinatorLookup::look_up() {
  wire::Frame frame;
  frame.mutable_find_coordinator_request()->add_coordinator_keys(config_.group->value());
  const std::string destination = metadata_.any_broker();
  const Result<Answer> answer =
      co_await client_.call(destination, std::move(frame), config_.request_timeout);
  ErrorCode error = answer ? take((*answer)->find_coordinator_response()) : answer.error();
  if (!answer) metadata_.broker_failed();
  if (error != ErrorCode::kNone && !info(error).retriable) failure_ = client_error(error);
  if (error != ErrorCode::kNone) {
    co_await client_.time().sleep_for(config_.retry_backoff, "retry.backoff.ms");
  }
  looking_ = false;
  changed_.notify_all();
  background_.notify_all();
}

}  // namespace fencepost::consumer
