#include "lab/progress.h"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <cstdio>

namespace fencepost::lab {
namespace {

constexpr const char* kClearLine = "\r\033[K";

}  // namespace

ProgressLine::ProgressLine(const wire::Plan& plan)
    : plan_(plan), at_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown_) fmt::print(stderr, "{}", kClearLine);
}

void ProgressLine::show(Tick closed) {
  if (!at_terminal_) return;
  const std::string last =
      plan_.until().has_tick() ? fmt::format(" of {}", plan_.until().tick()) : "";
  fmt::print(stderr, "{}tick {}{}", kClearLine, closed.value(), last);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace fencepost::lab
