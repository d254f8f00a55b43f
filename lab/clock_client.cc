#include "lab/clock_client.h"

#include <netdb.h>
#include <poll.h>
#include <spdlog/fmt/fmt.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/endian/conversion.hpp>
#include <cerrno>
#include <cstring>
#include <memory>

#include "common/host/frame_stream.h"

namespace fencepost::lab {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kReadBytes = std::size_t{64} << 10U;

[[noreturn]] void fail(const std::string& address, std::string_view what) {
  throw ClockError(fmt::format("no clock answers at {}: {}", address, what));
}

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses resolve(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == address.size()) {
    throw ClockError(fmt::format("\"{}\" is not HOST:PORT", address));
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(address.substr(0, colon).c_str(),
                                  address.substr(colon + 1).c_str(), &hints, &found);
  if (error != 0) fail(address, ::gai_strerror(error));
  return {found, &::freeaddrinfo};
}

}  // namespace

ClockClient::ClockClient(const std::string& address) : address_(address) {
  const Addresses to = resolve(address);
  fd_ = ::socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) fail(address, std::strerror(errno));
  int error = 0;
  if (::connect(fd_, to->ai_addr, to->ai_addrlen) != 0) {
    error = errno;
    socklen_t size = sizeof error;
    if (error == EINPROGRESS && wait(kPatience, POLLOUT)) {
      ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    }
  }
  if (error != 0) {
    ::close(fd_);
    fail(address, error == EINPROGRESS ? "it cannot be reached" : std::strerror(error));
  }
}

ClockClient::~ClockClient() { ::close(fd_); }

bool ClockClient::wait(std::chrono::milliseconds patience, short events) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + patience;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd question{.fd = fd_, .events = events, .revents = 0};
    const int ready = ::poll(&question, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

void ClockClient::send(const wire::Command& command) {
  wire::ClockMessage message;
  *message.mutable_command() = command;
  std::array<unsigned char, kLengthBytes> length{};
  boost::endian::store_big_u32(length.data(), static_cast<std::uint32_t>(message.ByteSizeLong()));
  std::string bytes(length.begin(), length.end());
  message.AppendToString(&bytes);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now > 0) {
      sent += static_cast<std::size_t>(now);
    } else if (errno == EAGAIN && !wait(kPatience, POLLOUT)) {
      fail(address_, "it does not read what it is told");
    } else if (errno != EAGAIN && errno != EINTR) {
      fail(address_, std::strerror(errno));
    }
  }
}

ClockClient::Heard ClockClient::receive(wire::ClockMessage& message,
                                        std::chrono::milliseconds patience) {
  while (!take(message)) {
    if (!wait(patience, POLLIN)) return Heard::kNothing;
    char buffer[kReadBytes];
    const ssize_t bytes = ::recv(fd_, buffer, sizeof buffer, 0);
    if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (bytes <= 0) return Heard::kEnd;
    input_.append(buffer, static_cast<std::size_t>(bytes));
  }
  return Heard::kMessage;
}

// One whole message of the input, if there is one.
bool ClockClient::take(wire::ClockMessage& message) {
  const std::size_t left = input_.size() - taken_;
  if (left < kLengthBytes) return false;
  unsigned char length[kLengthBytes];
  std::memcpy(length, input_.data() + taken_, kLengthBytes);
  const std::size_t size = boost::endian::load_big_u32(length);
  if (size > kMaxFrameBytes) fail(address_, "what is there is no clock");
  if (left < kLengthBytes + size) return false;
  const char* const begin = input_.data() + taken_ + kLengthBytes;
  if (!message.ParseFromArray(begin, static_cast<int>(size))) {
    fail(address_, "what is there is no clock");
  }
  taken_ += kLengthBytes + size;
  if (taken_ == input_.size() || taken_ > kReadBytes) {
    input_.erase(0, taken_);
    taken_ = 0;
  }
  return true;
}

wire::Reply ask(const std::string& address, const wire::Command& command,
                std::chrono::milliseconds patience) {
  ClockClient clock(address);
  clock.send(command);
  wire::ClockMessage message;
  switch (clock.receive(message, patience)) {
    case ClockClient::Heard::kNothing:
      fail(address, "no answer came");
    case ClockClient::Heard::kEnd:
      fail(address, "it has hung up; the run is over");
    case ClockClient::Heard::kMessage:
      break;
  }
  if (message.has_refused()) throw ClockError("the clock refuses: " + message.refused().reason());
  if (!message.has_reply()) fail(address, "what is there is no clock");
  return message.reply();
}

wire::Status ask_status(const std::string& address, std::chrono::milliseconds patience) {
  wire::Command command;
  command.set_kind(wire::Command::STATUS);
  return ask(address, command, patience).status();
}

}  // namespace fencepost::lab
