#include "lab/announcement.h"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace fencepost::lab {
namespace {

constexpr std::string_view kListening = "listening on ";

// What the clock writes before it says where it listens is a handful of bytes.
constexpr std::size_t kMaxAnnouncement = 4096;

}  // namespace

Announcement::Announcement() {
  if (::pipe2(ends_, O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
}

Announcement::~Announcement() {
  close_write_end();
  ::close(ends_[0]);
}

void Announcement::close_write_end() {
  if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
}

std::optional<std::string> Announcement::read_address() {
  std::string text;
  while (text.find('\n') == std::string::npos && text.size() < kMaxAnnouncement) {
    char buffer[256];
    const ssize_t bytes = ::read(ends_[0], buffer, sizeof buffer);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return std::nullopt;
    text.append(buffer, static_cast<std::size_t>(bytes));
  }
  const std::size_t begin = text.find(kListening);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = text.find('\n', begin);
  return text.substr(begin + kListening.size(), end - begin - kListening.size());
}

}  // namespace fencepost::lab
