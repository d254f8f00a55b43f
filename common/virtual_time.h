// Virtual time for coroutines: client cores are asio::awaitable programs on an io_context that
// never sees a socket, polled to exhaustion within a step. Timers are kept by (due tick, serial),
// and each thing that a step runs (a control, a timer, a delivery) runs to completion before the
// next.
//
// Every suspended coroutine is owned by its VirtualTime; a Signal, a timer or a pending call names
// it by a WaitId only. So a node can be destroyed at any moment: its coroutines end without
// running.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "common/outbox.h"

namespace fencepost {

namespace asio = boost::asio;

// A coroutine of a client core. The executor is named, which spares a type-erased one per
// resumption.
template <class T>
using Task = asio::awaitable<T, asio::io_context::executor_type>;

// One suspension of one coroutine; never used twice.
using WaitId = Strong<struct WaitIdTag, std::uint64_t>;

// By when a wait ends without being woken, and what names that timer in causes.
struct Deadline {
  Tick due;
  std::string_view why;  // a literal, a property's name where there is one
};

class VirtualTime {
 public:
  explicit VirtualTime(Outbox& outbox);
  ~VirtualTime();
  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;

  Tick now() const { return now_; }

  // Starts a root coroutine. What it throws is rethrown from run(): never detached.
  void spawn(Task<void> root);

  // Suspends until a tick; for now or the past, until what is in hand has been run. `why` is a
  // literal.
  Task<void> sleep_until(Tick due, std::string_view why);
  Task<void> sleep_for(TickSpan span, std::string_view why);

  // A fresh id, to be given to suspend() once and to wake() at most once.
  WaitId new_wait() { return WaitId(next_wait_++); }
  // Suspends under an id: true when woken, false when the deadline came first.
  Task<bool> suspend(WaitId id, std::optional<Deadline> deadline);
  // Resumes what waits under an id, after what is ready already; nothing if it does not wait (any
  // more).
  void wake(WaitId id);

  // -- for the host of the coroutines (ClientNode) --
  void set_now(Tick now) { now_ = now; }
  // Runs everything that is ready. Rethrows what a root coroutine threw.
  void run();
  // Fires every timer that is due now and was armed before this call, by (due tick, serial), each
  // with its own cause and to completion. False if there was none.
  bool fire_due();
  std::optional<Tick> next_due() const;
  // Ends all coroutines without running them. Nothing may be spawned or run afterwards.
  void abandon();

 private:
  // A stored handler; destroyed without being resumed, it takes its coroutine's frames with it.
  class Resumption {
   public:
    virtual ~Resumption() = default;
    virtual void resume(asio::io_context& context, bool woken) = 0;
  };
  template <class Handler>
  class ResumptionOf final : public Resumption {
   public:
    explicit ResumptionOf(Handler handler) : handler_(std::move(handler)) {}
    void resume(asio::io_context& context, bool woken) override {
      asio::post(context,
                 [handler = std::move(handler_), woken]() mutable { std::move(handler)(woken); });
    }

   private:
    Handler handler_;
  };
  struct Timer {
    std::string_view why;
    Tick armed;
    wire::Cause cause;
  };
  struct Wait {
    std::unique_ptr<Resumption> resumption;
    std::optional<Tick> due;
  };

  void arm(WaitId id, const Deadline& deadline);
  void fire(std::pair<Tick, WaitId> key);

  Outbox& outbox_;
  Tick now_{0};
  std::unique_ptr<asio::io_context> context_;  // none once abandoned
  std::map<WaitId, Wait> waits_;
  std::map<std::pair<Tick, WaitId>, Timer> timers_;  // a wait's id is its timer's serial
  std::uint64_t next_wait_ = 1;
  std::exception_ptr failure_;
};

// Wakes everybody who waits for it, in the order in which they began to wait. A notification
// without a waiter is forgotten, so a waiter checks its condition before it waits.
class Signal {
 public:
  explicit Signal(VirtualTime& time) : time_(time) {}
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  void notify_all();
  Task<void> wait();
  // False when the deadline came first.
  Task<bool> wait_until(Tick due, std::string_view why);

 private:
  VirtualTime& time_;
  std::vector<WaitId> waiters_;
};

}  // namespace fencepost
