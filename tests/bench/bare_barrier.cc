#include "tests/bench/bare_barrier.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <vector>

namespace fencepost::bench {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void set_no_delay(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

struct Listener {
  int socket = -1;
  sockaddr_in address{};
};

Listener listen_on_loopback() {
  Listener listener;
  listener.socket = ::socket(AF_INET, SOCK_STREAM, 0);
  listener.address.sin_family = AF_INET;
  listener.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof listener.address;
  auto* raw = reinterpret_cast<sockaddr*>(&listener.address);
  if (bind(listener.socket, raw, size) != 0 || listen(listener.socket, 1024) != 0 ||
      getsockname(listener.socket, raw, &size) != 0) {
    fail("listen");
  }
  return listener;
}

int connect_to(const Listener& listener) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  if (connect(socket, reinterpret_cast<const sockaddr*>(&listener.address),
              sizeof listener.address) != 0) {
    fail("connect");
  }
  set_no_delay(socket);
  return socket;
}

int accept_on(const Listener& listener) {
  const int socket = accept(listener.socket, nullptr, nullptr);
  if (socket < 0) fail("accept");
  set_no_delay(socket);
  return socket;
}

void write_bytes(int socket, std::size_t bytes) {
  static const std::array<char, 65536> kZeros{};
  if (write(socket, kZeros.data(), bytes) != static_cast<ssize_t>(bytes)) fail("write");
}

// Reads from several sockets until each has brought its share.
class Gatherer {
 public:
  Gatherer() : epoll_(epoll_create1(0)) {}
  ~Gatherer() { close(epoll_); }
  Gatherer(const Gatherer&) = delete;
  Gatherer& operator=(const Gatherer&) = delete;

  void add(int socket, std::size_t share) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = sockets_.size();
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) != 0) fail("epoll_ctl");
    sockets_.push_back(socket);
    shares_.push_back(share);
    surplus_.push_back(0);
  }

  void gather() {
    std::size_t waiting = 0;
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      if (surplus_[i] < shares_[i]) ++waiting;
    }
    while (waiting > 0) {
      std::array<epoll_event, 64> events{};
      const int ready = epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int i = 0; i < ready; ++i) {
        const std::size_t which = events[static_cast<std::size_t>(i)].data.u64;
        const bool waited = surplus_[which] < shares_[which];
        const ssize_t got = read(sockets_[which], buffer_.data(), buffer_.size());
        if (got < 0 || (got == 0 && waited)) fail("read");
        // A neighbour that has finished its last tick is gone: it owes nothing any more.
        if (got == 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, sockets_[which], nullptr);
        surplus_[which] += static_cast<std::size_t>(got);
        if (waited && surplus_[which] >= shares_[which]) --waiting;
      }
    }
    for (std::size_t i = 0; i < sockets_.size(); ++i) surplus_[i] -= shares_[i];
  }

 private:
  int epoll_;
  std::vector<int> sockets_;
  std::vector<std::size_t> shares_;
  std::vector<std::size_t> surplus_;
  std::array<char, 65536> buffer_{};
};

void participate(int clock, int successor, int predecessor, std::int64_t ticks,
                 const BarrierSizes& sizes) {
  Gatherer grants;
  grants.add(clock, sizes.grant);
  Gatherer frames;
  frames.add(predecessor, sizes.request);
  frames.add(successor, sizes.answer);
  for (std::int64_t tick = 0; tick < ticks; ++tick) {
    grants.gather();
    if (tick > 0) frames.gather();
    write_bytes(successor, sizes.request);
    write_bytes(predecessor, sizes.answer);
    write_bytes(clock, sizes.done);
  }
}

[[noreturn]] void participant_process(const Listener& clock, const std::vector<Listener>& ring,
                                      std::size_t index, std::int64_t ticks,
                                      const BarrierSizes& sizes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    const int to_clock = connect_to(clock);
    const int successor = connect_to(ring[(index + 1) % ring.size()]);
    const int predecessor = accept_on(ring[index]);
    participate(to_clock, successor, predecessor, ticks, sizes);
  } catch (const std::exception&) {
    _exit(1);
  }
  _exit(0);
}

}  // namespace

double bare_barrier_rate(int participants, std::int64_t ticks, const BarrierSizes& sizes) {
  const Listener clock = listen_on_loopback();
  std::vector<Listener> ring;
  for (int i = 0; i < participants; ++i) ring.push_back(listen_on_loopback());
  std::vector<pid_t> children;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const pid_t child = fork();
    if (child == 0) participant_process(clock, ring, i, ticks, sizes);
    children.push_back(child);
  }
  Gatherer dones;
  std::vector<int> sockets;
  for (int i = 0; i < participants; ++i) {
    sockets.push_back(accept_on(clock));
    dones.add(sockets.back(), sizes.done);
  }
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t tick = 0; tick < ticks; ++tick) {
    for (const int socket : sockets) write_bytes(socket, sizes.grant);
    dones.gather();
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  for (const int socket : sockets) close(socket);
  for (const Listener& listener : ring) close(listener.socket);
  close(clock.socket);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  return static_cast<double>(ticks) / spent.count();
}

}  // namespace fencepost::bench
