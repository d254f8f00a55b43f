#include "common/host/pid_space.h"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <array>
#include <fstream>

namespace fencepost {

std::string own_pid_space() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::array<char, 64> space{};  // "pid:[4026531836]"
  const ssize_t length = ::readlink("/proc/self/ns/pid", space.data(), space.size());
  if (boot.empty() || length <= 0) return {};
  return boot + "/" + std::string(space.data(), static_cast<std::size_t>(length));
}

// "4711 (consumer) T ...": the state stands behind the name, which may hold anything.
bool is_stopped(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return false;
  const char state = text[name_end + 2];
  return state == 'T' || state == 't';
}

}  // namespace fencepost
