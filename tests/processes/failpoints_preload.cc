// Loaded into the processes of a run by LD_PRELOAD: a kernel that is out to get us. It sits between
// a process and its sockets and, by what the environment says:
//
//   FENCEPOST_FAILPOINT="C1 byte 1234"   C1 is killed when it has sent exactly 1234 bytes in all,
//   the
//                                        last of them perhaps in the middle of a frame
//   FENCEPOST_FAILPOINT="C1 write 17"    C1 is killed right after its 17th write
//   FENCEPOST_FAILPOINT="C1 delay 500"   every write of C1 takes 500 microseconds longer
//   FENCEPOST_FAILPOINT_ONCE=FILE        only the first life that gets there: FILE says it is done
//   FENCEPOST_WRITES=FILE                the process named appends the size of each of its writes
//   FENCEPOST_SOCKET_BUFFERS=BYTES       of every socket of everybody; the kernel has a minimum
//
// A process is known by its --name; the clock is "clock".
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace {

enum class Kind { kNone, kByte, kWrite, kDelay };

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

const auto kSendmsg = next<ssize_t (*)(int, const msghdr*, int)>("sendmsg");
const auto kSend = next<ssize_t (*)(int, const void*, std::size_t, int)>("send");
const auto kWrite = next<ssize_t (*)(int, const void*, std::size_t)>("write");
const auto kWritev = next<ssize_t (*)(int, const iovec*, int)>("writev");
const auto kSocket = next<int (*)(int, int, int)>("socket");

std::string own_name() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string words(std::istreambuf_iterator<char>(file), {});
  const std::string program(words.c_str());
  if (program.ends_with("/clock")) return "clock";
  const std::string flag = std::string("--name") + '\0';
  const std::size_t at = words.find(flag);
  return at == std::string::npos ? "" : std::string(words.c_str() + at + flag.size());
}

struct Failpoint {
  Kind kind = Kind::kNone;
  long at = 0;
  long bytes = 0;   // sent so far
  long writes = 0;  // so far
  int sizes = -1;   // where the sizes go

  Failpoint() {
    const char* const text = std::getenv("FENCEPOST_FAILPOINT");
    if (text == nullptr) return;
    std::istringstream words(text);
    std::string name;
    std::string what;
    words >> name >> what >> at;
    if (name != own_name()) return;
    kind = what == "byte"    ? Kind::kByte
           : what == "write" ? Kind::kWrite
           : what == "delay" ? Kind::kDelay
                             : Kind::kNone;
    if (const char* const file = std::getenv("FENCEPOST_WRITES")) {
      sizes = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
  }

  // How many of these bytes may leave.
  std::size_t allowed(std::size_t size) const {
    if (kind != Kind::kByte) return size;
    return std::min(size, static_cast<std::size_t>(at - bytes));
  }

  void before() const {
    if (kind != Kind::kDelay) return;
    const timespec pause{.tv_sec = at / 1'000'000, .tv_nsec = at % 1'000'000 * 1000};
    nanosleep(&pause, nullptr);
  }

  void after(ssize_t sent) {
    if (sent <= 0) return;
    bytes += sent;
    ++writes;
    if (sizes >= 0) {
      const std::string line = std::to_string(sent) + "\n";
      static_cast<void>(kWrite(sizes, line.data(), line.size()));
    }
    if ((kind == Kind::kByte && bytes >= at) || (kind == Kind::kWrite && writes >= at)) die();
  }

  void die() {
    const char* const once = std::getenv("FENCEPOST_FAILPOINT_ONCE");
    if (once != nullptr && open(once, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) < 0) {
      kind = Kind::kNone;  // another life was here before
      return;
    }
    raise(SIGKILL);
  }
};

Failpoint& failpoint() {
  static Failpoint the_one;
  return the_one;
}

bool is_socket(int descriptor) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

// Sends as much of the buffers as the failpoint allows, and dies if that was its last byte.
ssize_t send_allowed(int descriptor, const msghdr& message, int flags) {
  Failpoint& point = failpoint();
  point.before();
  std::array<iovec, IOV_MAX> parts;
  std::size_t left = SIZE_MAX;
  std::size_t total = 0;
  for (std::size_t i = 0; i < message.msg_iovlen; ++i) total += message.msg_iov[i].iov_len;
  left = point.allowed(total);
  msghdr shorter = message;
  shorter.msg_iov = parts.data();
  for (std::size_t i = 0; i < message.msg_iovlen; ++i) {
    parts[i] = message.msg_iov[i];
    parts[i].iov_len = std::min(parts[i].iov_len, left);
    left -= parts[i].iov_len;
  }
  const ssize_t sent = kSendmsg(descriptor, &shorter, flags);
  const int error = errno;
  point.after(sent);
  errno = error;
  return sent;
}

ssize_t send_buffers(int descriptor, const iovec* parts, std::size_t count, int flags) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = count;
  return send_allowed(descriptor, message, flags);
}

}  // namespace

extern "C" {

ssize_t send(int descriptor, const void* bytes, std::size_t size, int flags) {
  if (failpoint().kind == Kind::kNone) return kSend(descriptor, bytes, size, flags);
  const iovec part{.iov_base = const_cast<void*>(bytes), .iov_len = size};
  return send_buffers(descriptor, &part, 1, flags);
}

ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  if (failpoint().kind == Kind::kNone || message->msg_iovlen > IOV_MAX) {
    return kSendmsg(descriptor, message, flags);
  }
  return send_allowed(descriptor, *message, flags);
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  if (failpoint().kind == Kind::kNone || !is_socket(descriptor)) {
    return kWrite(descriptor, bytes, size);
  }
  const iovec part{.iov_base = const_cast<void*>(bytes), .iov_len = size};
  return send_buffers(descriptor, &part, 1, 0);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  if (failpoint().kind == Kind::kNone || !is_socket(descriptor)) {
    return kWritev(descriptor, parts, count);
  }
  return send_buffers(descriptor, parts, static_cast<std::size_t>(count), 0);
}

int socket(int domain, int type, int protocol) noexcept {
  const int descriptor = kSocket(domain, type, protocol);
  const char* const bytes = std::getenv("FENCEPOST_SOCKET_BUFFERS");
  if (descriptor < 0 || bytes == nullptr) return descriptor;
  // Accepted sockets have them from the one that listens.
  const int size = std::atoi(bytes);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  return descriptor;
}

}  // extern "C"
