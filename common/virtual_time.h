// Virtual time for coroutines: client cores are asio::awaitable programs on an io_context that never
// sees a socket, polled to exhaustion within a step. Timers are kept by (due tick, serial), and each
// thing that a step runs (a control, a timer, a delivery) runs to completion before the next.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/ids.h"
#include "common/outbox.h"

namespace fencepost {

namespace asio = boost::asio;

class VirtualTime {
 public:
  explicit VirtualTime(Outbox& outbox);
  ~VirtualTime();
  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;

  Tick now() const { return now_; }

  // Starts a root coroutine. What it throws is rethrown from run(): never detached.
  void spawn(asio::awaitable<void> root);

  // Suspends until a tick; for now or the past, until what is in hand has been run. `why` names the
  // timer in causes (a property's name where there is one).
  asio::awaitable<void> sleep_until(Tick due, std::string why);
  asio::awaitable<void> sleep_for(TickSpan span, std::string why);

  // -- for the host of the coroutines (ClientNode) --
  void set_now(Tick now) { now_ = now; }
  // Runs everything that is ready. Rethrows what a root coroutine threw.
  void run();
  // Fires every timer due now, by (due tick, serial), each with its own cause and to completion.
  void fire_due();
  std::optional<Tick> next_due() const;

 private:
  friend class Wakeup;
  struct Timer;
  Outbox& outbox_;
  Tick now_{0};
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::map<std::pair<Tick, std::uint64_t>, std::unique_ptr<Timer>> timers_;
  std::uint64_t next_serial_ = 1;
  std::exception_ptr failure_;
};

}  // namespace fencepost
