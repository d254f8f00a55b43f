#include "admin/calls.h"

#include <algorithm>

#include "common/backoff.h"

namespace fencepost::admin {
namespace {

// Errors that pass: the coordinator is not ready, or the leader has just changed.
bool passes(ErrorCode error) {
  return error == ErrorCode::kCoordinatorLoadInProgress ||
         error == ErrorCode::kCoordinatorNotAvailable || error == ErrorCode::kNotCoordinator ||
         error == ErrorCode::kNotLeaderOrFollower;
}

template <class Items>
ErrorCode passing_in(const Items& items) {
  for (const auto& item : items) {
    const ErrorCode error = error_from_wire(item.error_code());
    if (passes(error)) return error;
  }
  return ErrorCode::kNone;
}

template <class Topics>
ErrorCode passing_in_partitions(const Topics& topics) {
  for (const auto& topic : topics) {
    const ErrorCode error = passing_in(topic.partitions());
    if (error != ErrorCode::kNone) return error;
  }
  return ErrorCode::kNone;
}

ErrorCode if_passing(std::int32_t code) {
  const ErrorCode error = error_from_wire(code);
  return passes(error) ? error : ErrorCode::kNone;
}

// The error for which the whole request is sent again.
ErrorCode passing_error(const wire::Frame& frame) {
  for (const ErrorCode error : {passing_in(frame.find_coordinator_response().coordinators()),
                                passing_in(frame.describe_groups_response().groups()),
                                passing_in(frame.delete_groups_response().results()),
                                passing_in(frame.offset_fetch_response().groups()),
                                passing_in_partitions(frame.list_offsets_response().topics()),
                                passing_in_partitions(frame.offset_commit_response().topics()),
                                if_passing(frame.list_groups_response().error_code()),
                                if_passing(frame.offset_delete_response().error_code()),
                                if_passing(frame.leave_group_response().error_code())}) {
    if (error != ErrorCode::kNone) return error;
  }
  return ErrorCode::kNone;
}

}  // namespace

Calls::Calls(Client& client, Facts& facts)
    : client_(client), facts_(facts), changed_(client.time()) {
  for (const std::string& server : client.properties().get_list("bootstrap.servers")) {
    bootstrap_.push_back(server.substr(0, server.rfind(':')));  // addresses are virtual
  }
}

TickSpan Calls::pause(int failures) const {
  const TickSpan first = std::max(client_.ticks("retry.backoff.ms"), TickSpan(1));
  const TickSpan max = std::max(client_.ticks("retry.backoff.max.ms"), TickSpan(1));
  return exponential_backoff(first, max, failures);
}

Task<ErrorCode> Calls::all(std::vector<Question> questions) {
  if (!begun_) deadline_ = client_.now() + client_.ticks("default.api.timeout.ms");
  begun_ = true;
  errors_.assign(questions.size(), ErrorCode::kNone);
  open_ = questions.size();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    client_.time().spawn(ask(i, std::move(questions[i])));
  }
  while (open_ > 0) co_await changed_.wait();
  const auto failed =
      std::ranges::find_if(errors_, [](ErrorCode error) { return error != ErrorCode::kNone; });
  co_return failed == errors_.end() ? ErrorCode::kNone : *failed;
}

Task<ErrorCode> Calls::one(Question question) {
  std::vector<Question> questions;
  questions.push_back(std::move(question));
  const ErrorCode error = co_await all(std::move(questions));
  co_return error;
}

Task<void> Calls::ask(std::size_t index, Question question) {
  const TickSpan patience = std::max(client_.ticks("request.timeout.ms"), TickSpan(1));
  for (int failures = 0;; ++failures) {
    const std::string to = question.to[static_cast<std::size_t>(failures) % question.to.size()];
    wire::Frame request = question.request;
    const TickSpan left = std::max(deadline_ - client_.now(), TickSpan(1));
    const TickSpan timeout = std::min(patience, left);
    const Result<Answer> answer = co_await client_.call(to, std::move(request), timeout);
    errors_[index] = answer ? passing_error(**answer) : answer.error();
    if (answer) facts_.add(question.request, **answer);
    if (errors_[index] == ErrorCode::kNone) break;
    const TickSpan backoff = pause(failures);
    if (client_.now() + backoff >= deadline_) break;
    co_await client_.time().sleep_for(backoff, "retry.backoff.ms");
  }
  --open_;
  changed_.notify_all();
}

}  // namespace fencepost::admin
