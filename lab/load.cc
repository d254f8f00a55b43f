#include "lab/load.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>

namespace fencepost::lab {
namespace {

// Signals are for the main thread, which runs the children.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

void stay_on_first_core(const cpu_set_t& allowed) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed)) continue;
    CPU_SET(core, &one);
    break;
  }
  sched_setaffinity(0, sizeof one, &one);
}

}  // namespace

Load::Load(Kind kind) {
  sched_getaffinity(0, sizeof affinity_, &affinity_);
  if (kind == Kind::kNone) return;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned core = 0; core < cores; ++core) {
    threads_.emplace_back([this] {
      block_signals();
      while (spinning_.load(std::memory_order_relaxed)) {
      }
    });
  }
  if (kind == Kind::kOneCore) stay_on_first_core(affinity_);
}

Load::~Load() {
  spinning_ = false;
  for (std::thread& thread : threads_) thread.join();
  sched_setaffinity(0, sizeof affinity_, &affinity_);
}

}  // namespace fencepost::lab
