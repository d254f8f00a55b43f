#include "common/virtual_time.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>

#include "common/check.h"

namespace fencepost {

VirtualTime::VirtualTime(Outbox& outbox)
    : outbox_(outbox), context_(std::make_unique<asio::io_context>(1)) {}

VirtualTime::~VirtualTime() { abandon(); }

// A destroyed handler posts the unwinding of its coroutine, so the context goes after the handlers:
// it destroys what was posted, and with it the frames, without running anything.
void VirtualTime::abandon() {
  timers_.clear();
  waits_.clear();
  context_.reset();
}

void VirtualTime::spawn(Task<void> root) {
  asio::co_spawn(*context_, std::move(root), [this](std::exception_ptr failure) {
    if (failure && !failure_) failure_ = failure;
  });
}

Task<bool> VirtualTime::suspend(WaitId id, std::optional<Deadline> deadline) {
  using Token = asio::use_awaitable_t<asio::io_context::executor_type>;
  const auto initiate = [this, id, deadline](auto handler) {
    using Handler = decltype(handler);
    Wait& wait = waits_[id];
    CHECK(!wait.resumption, "wait {} is used twice", id.value());
    wait.resumption = std::make_unique<ResumptionOf<Handler>>(std::move(handler));
    if (deadline) arm(id, *deadline);
  };
  return asio::async_initiate<const Token, void(bool)>(initiate, Token{});
}

void VirtualTime::arm(WaitId id, const Deadline& deadline) {
  waits_[id].due = deadline.due;
  timers_.emplace(std::pair(deadline.due, id), Timer{deadline.why, now_, outbox_.cause()});
}

void VirtualTime::wake(WaitId id) {
  auto found = waits_.extract(id);
  if (found.empty()) return;
  Wait& wait = found.mapped();
  if (wait.due) timers_.erase({*wait.due, id});
  wait.resumption->resume(*context_, true);
}

void VirtualTime::run() {
  context_->restart();
  context_->poll();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

bool VirtualTime::fire_due() {
  const WaitId end(next_wait_);
  bool fired = false;
  for (auto next = timers_.begin(); next != timers_.end() && next->first.first <= now_;) {
    if (next->first.second >= end) {
      ++next;  // armed during this call: after what is in hand
      continue;
    }
    fired = true;
    fire(next->first);
    next = timers_.begin();  // what has run may have ended or armed any timer
  }
  return fired;
}

void VirtualTime::fire(std::pair<Tick, WaitId> key) {
  auto timer = timers_.extract(key);
  wire::Cause cause = std::move(timer.mapped().cause);
  cause.set_timer(std::string(timer.mapped().why));
  cause.set_armed_tick(timer.mapped().armed.value());
  outbox_.set_cause(std::move(cause));
  auto wait = waits_.extract(key.second);
  CHECK(!wait.empty(), "a timer without its wait");
  wait.mapped().resumption->resume(*context_, false);
  run();
}

std::optional<Tick> VirtualTime::next_due() const {
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first.first;
}

Task<void> VirtualTime::sleep_until(Tick due, std::string_view why) {
  const WaitId id = new_wait();
  const std::optional<Deadline> deadline = Deadline{due, why};
  co_await suspend(id, deadline);
}

Task<void> VirtualTime::sleep_for(TickSpan span, std::string_view why) {
  return sleep_until(now_ + span, why);
}

void Signal::notify_all() {
  for (const WaitId id : std::exchange(waiters_, {})) time_.wake(id);
}

Task<void> Signal::wait() {
  const WaitId id = time_.new_wait();
  waiters_.push_back(id);
  const std::optional<Deadline> never;
  co_await time_.suspend(id, never);
}

Task<bool> Signal::wait_until(Tick due, std::string_view why) {
  const WaitId id = time_.new_wait();
  waiters_.push_back(id);
  const std::optional<Deadline> deadline = Deadline{due, why};
  const bool woken = co_await time_.suspend(id, deadline);
  if (!woken) std::erase(waiters_, id);
  co_return woken;
}

}  // namespace fencepost
