// CHECK(condition, "group {}", id): a broken invariant is a bug, and a bug ends the process. Always
// on. Never used on input from the wire, a file or a person.
#pragma once

#include <spdlog/fmt/fmt.h>

#include <string>

namespace fencepost {

[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const std::string& message);

}  // namespace fencepost

#define FENCEPOST_CHECK_MESSAGE_(...) ::fmt::format(__VA_ARGS__)
#define CHECK(condition, ...)                                              \
  do {                                                                     \
    if (!(condition)) [[unlikely]] {                                       \
      ::fencepost::check_failed(__FILE__, __LINE__, #condition,            \
                                FENCEPOST_CHECK_MESSAGE_("" __VA_ARGS__)); \
    }                                                                      \
  } while (false)
