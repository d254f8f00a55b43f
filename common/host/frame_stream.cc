#include "common/host/frame_stream.h"

#include <google/protobuf/message_lite.h>
#include <netinet/tcp.h>
#include <spdlog/fmt/fmt.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace fencepost {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kInitialBuffer = std::size_t{16} << 10U;
constexpr int kKeepAliveSeconds = 5;

std::size_t read_length(const char* bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length = (length << 8U) | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

void append_length(std::string& out, std::size_t length) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    out.push_back(static_cast<char>(static_cast<unsigned char>((length >> shift) & 0xffU)));
  }
}

}  // namespace

FrameStream::FrameStream(tcp::socket socket) : socket_(std::move(socket)) {}

FrameStream::~FrameStream() {
  if (detached_) ::close(*detached_);
}

void FrameStream::start(OnFrame on_frame, OnClosed on_closed) {
  on_frame_ = std::move(on_frame);
  on_closed_ = std::move(on_closed);
  connected_ = true;
  prepare_socket();
  flush();
  read_more();
}

void FrameStream::connect(const tcp::endpoint& to, OnFrame on_frame, OnClosed on_closed) {
  on_frame_ = std::move(on_frame);
  on_closed_ = std::move(on_closed);
  socket_.async_connect(to, [self = shared_from_this()](const boost::system::error_code& error) {
    if (!self->open_) return;
    if (error) return self->fail(fmt::format("cannot connect: {}", error.message()));
    self->connected_ = true;
    self->prepare_socket();
    self->flush();
    if (!self->on_demand_ || self->watched_) return self->read_more();
    self->detach();
  });
}

void FrameStream::hand_over(OnFrame on_frame, OnClosed on_closed) {
  next_on_frame_ = std::move(on_frame);
  if (open_) on_closed_ = std::move(on_closed);
}

std::string FrameStream::remote_host() const {
  boost::system::error_code error;
  const tcp::endpoint endpoint = socket_.remote_endpoint(error);
  return error ? std::string() : endpoint.address().to_string();
}

// A socket that has died meanwhile says so when it is read. That a whole host is gone, nobody would
// say: the kernel asks. It answers for a stopped process, too.
void FrameStream::prepare_socket() {
  using SecondsIdle = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
  using SecondsBetween = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
  boost::system::error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  socket_.set_option(SecondsIdle(kKeepAliveSeconds), ignored);
  socket_.set_option(SecondsBetween(kKeepAliveSeconds), ignored);
  socket_.non_blocking(true, ignored);
  input_.resize(kInitialBuffer);
}

// ---- reading ----

void FrameStream::read_more() {
  if (reading_) return;
  reading_ = true;
  attach();
  socket_.async_read_some(
      asio::buffer(input_.data() + end_, input_.size() - end_),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t bytes) {
        self->on_read(error, bytes);
      });
}

void FrameStream::on_read(const boost::system::error_code& error, std::size_t bytes) {
  reading_ = false;
  if (!open_) return;
  end_ += bytes;
  if (bytes > 0 && !hand_over_frames()) return;
  if (error && error != asio::error::operation_aborted) {  // aborted by detach()
    if (error != asio::error::eof) return fail(error.message());
    return fail(begin_ == end_ ? "closed by the other end" : "closed in the middle of a message");
  }
  if (!on_demand_ || watched_) return read_more();
  detach();
}

void FrameStream::pull() {
  if (!open_ || !connected_ || reading_) return;
  const std::shared_ptr<FrameStream> self =
      shared_from_this();  // a handler may drop the last owner
  while (open_) {
    const std::size_t room = input_.size() - end_;
    const ssize_t bytes = ::recv(descriptor(), input_.data() + end_, room, MSG_DONTWAIT);
    if (bytes <= 0) return;
    end_ += static_cast<std::size_t>(bytes);
    if (!hand_over_frames() || static_cast<std::size_t>(bytes) < room) return;
  }
}

void FrameStream::watch() {
  watched_ = true;
  if (open_ && connected_) read_more();
}

void FrameStream::rest() {
  watched_ = false;
  if (open_ && connected_) detach();
}

// The io_context wakes up for whatever comes to a socket that it knows, read or not.
void FrameStream::detach() {
  if (!on_demand_ || watched_ || detached_ || !writing_.empty()) return;
  boost::system::error_code error;
  const int socket = socket_.release(error);
  if (!error) detached_ = socket;
}

void FrameStream::attach() {
  if (!detached_) return;
  boost::system::error_code ignored;
  socket_.assign(tcp::v4(), *std::exchange(detached_, std::nullopt), ignored);
  socket_.non_blocking(true, ignored);
}

int FrameStream::descriptor() { return detached_ ? *detached_ : socket_.native_handle(); }

// False if the connection is over.
bool FrameStream::hand_over_frames() {
  while (end_ - begin_ >= kLengthBytes) {
    const std::size_t length = read_length(input_.data() + begin_);
    if (length > limit_) {
      fail(fmt::format("a message of {} bytes, over the limit of {}", length, limit_));
      return false;
    }
    if (end_ - begin_ < kLengthBytes + length) {
      make_room(kLengthBytes + length);
      return true;
    }
    const std::string_view frame(input_.data() + begin_ + kLengthBytes, length);
    begin_ += kLengthBytes + length;
    on_frame_(frame);
    if (next_on_frame_) on_frame_ = std::exchange(next_on_frame_, nullptr);
    if (!open_) return false;
  }
  make_room(kLengthBytes);
  return true;
}

// Moves what is left to the front, and grows only for a frame that needs it: what a length claims
// is taken as it arrives, doubling, so a lie costs no memory.
void FrameStream::make_room(std::size_t frame_bytes) {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ > 0) {
    std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == input_.size()) {
    input_.resize(std::max(input_.size() * 2, std::min(frame_bytes, kInitialBuffer)));
  } else if (end_ == 0 && input_.size() > kMaxFrameBytes / 16) {
    input_.resize(kInitialBuffer);
    input_.shrink_to_fit();
  }
}

bool FrameStream::send(const google::protobuf::MessageLite& message) {
  if (!open_ || write_failed_ || finishing_) return true;
  const std::size_t length = message.ByteSizeLong();
  if (length > limit_ || queued_bytes() + length > kMaxQueuedBytes) return false;
  append_length(queue_, length);
  const std::size_t at = queue_.size();
  queue_.resize(at + length);
  // The queue's bytes are chars and protobuf writes unsigned ones.
  message.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(queue_.data() + at));
  return true;
}

void FrameStream::flush() {
  if (!open_ || !connected_ || !writing_.empty() || queue_.empty()) return;
  write_some_now();
}

// Mostly all of it fits in the kernel's buffer, and no handler is needed.
void FrameStream::write_some_now() {
  const ssize_t sent =
      ::send(descriptor(), queue_.data(), queue_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return writes_are_over();
  const std::size_t bytes = sent < 0 ? 0 : static_cast<std::size_t>(sent);
  if (bytes == queue_.size()) {
    queue_.clear();
    return;
  }
  std::swap(writing_, queue_);
  queue_.clear();
  written_ = bytes;
  attach();
  write_rest();
}

void FrameStream::write_rest() {
  asio::async_write(
      socket_, asio::buffer(writing_.data() + written_, writing_.size() - written_),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
        self->writing_.clear();
        self->written_ = 0;
        if (!self->open_) return;
        if (error) return self->writes_are_over();
        self->flush();
        if (!self->reading_) self->detach();
        if (self->queued_bytes() == 0) {
          for (const std::function<void()>& then : std::exchange(self->flushed_, {})) then();
        }
      });
}

// A failed write does not close: what the other end said before it died is still to be read, and
// reading finds the end.
void FrameStream::writes_are_over() {
  write_failed_ = true;
  queue_.clear();
  for (std::function<void()>& then : std::exchange(flushed_, {})) {
    asio::post(socket_.get_executor(), std::move(then));
  }
}

void FrameStream::when_flushed(std::function<void()> then) {
  flush();
  if (open_ && !write_failed_ && queued_bytes() > 0) {
    flushed_.push_back(std::move(then));
  } else {
    asio::post(socket_.get_executor(), std::move(then));
  }
}

void FrameStream::finish_sending() {
  finishing_ = true;
  when_flushed([self = shared_from_this()] {
    boost::system::error_code ignored;
    self->attach();
    if (self->open_) self->socket_.shutdown(tcp::socket::shutdown_send, ignored);
  });
}

void FrameStream::close() {
  if (!open_) return;
  open_ = false;
  on_closed_ = nullptr;
  attach();
  boost::system::error_code ignored;
  socket_.close(ignored);
  for (std::function<void()>& then : std::exchange(flushed_, {})) {
    asio::post(socket_.get_executor(), std::move(then));
  }
}

void FrameStream::fail(const std::string& reason) {
  const OnClosed on_closed = std::exchange(on_closed_, nullptr);
  close();
  if (on_closed) on_closed(reason);
}

}  // namespace fencepost
