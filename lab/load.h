// A machine under load, to see that it changes nothing: threads that spin, and a process that has
// to share one core. Ends with the object.
#pragma once

#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

namespace fencepost::lab {

class Load {
 public:
  enum class Kind {
    kNone,
    kSpinning,  // a thread spins on every core
    kOneCore,   // so do they, and this process and its children have one core together
  };

  explicit Load(Kind kind);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::atomic<bool> spinning_{true};
  std::vector<std::thread> threads_;
  cpu_set_t affinity_{};  // as it was
};

}  // namespace fencepost::lab
