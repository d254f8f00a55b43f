// A person who ends a run that happens in this process (Ctrl-C, SIGTERM, a terminal that closes).
#pragma once

#include <array>
#include <csignal>

namespace fencepost::lab {

// While there is one, the first such signal is kept, for the run to end in order; the second ends
// the process at once. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Since the last one was made.
  static bool has_come();

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace fencepost::lab
