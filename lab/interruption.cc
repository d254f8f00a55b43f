#include "lab/interruption.h"

namespace fencepost::lab {
namespace {

volatile std::sig_atomic_t come = 0;

void note(int /*signal*/) { come = 1; }

}  // namespace

Interruption::Interruption() {
  come = 0;
  for (std::size_t index = 0; index < kSignals.size(); ++index) {
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(kSignals[index], nullptr, &before_[index]);
    // nohup, and a shell's background jobs: what is ignored stays so.
    if (before_[index].sa_handler != SIG_IGN) ::sigaction(kSignals[index], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (std::size_t index = 0; index < kSignals.size(); ++index) {
    ::sigaction(kSignals[index], &before_[index], nullptr);
  }
}

bool Interruption::has_come() { return come != 0; }

}  // namespace fencepost::lab
