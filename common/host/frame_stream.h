// Messages over one TCP connection: 4 bytes big-endian length, then a serialized protobuf message.
// Asynchronous both ways: a reader that takes many small frames with one call, and a queue of
// outgoing bytes that a flush writes with one call, so a stopped peer can stall nobody.
// One thread; handlers run from the io_context, never from inside send(), flush() or close().
//
// On demand, a stream is read only when somebody asks for what has come. Until then it waits in the
// kernel and wakes nobody: a participant would otherwise wake up for each frame of each peer, and
// then once more for the Grant that names them.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace google::protobuf {
class MessageLite;
}

namespace fencepost {

namespace asio = boost::asio;
using asio::ip::tcp;

// The largest message that is taken from, or given to, a connection whose other end is not trusted
// yet.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{16} << 20U;
// The same between the clock and a participant that it knows: a step mirrors all of its frames.
inline constexpr std::size_t kMaxStepBytes = std::size_t{256} << 20U;
// Outgoing bytes that may wait for a slow reader before the connection is given up.
inline constexpr std::size_t kMaxQueuedBytes = std::size_t{512} << 20U;

class FrameStream : public std::enable_shared_from_this<FrameStream> {
 public:
  // The bytes of one message, valid during the call.
  using OnFrame = std::function<void(std::string_view bytes)>;
  // The connection has ended; every frame that came before has been handed over. Called once, and
  // not after close().
  using OnClosed = std::function<void(const std::string& reason)>;

  explicit FrameStream(tcp::socket socket);
  ~FrameStream();
  FrameStream(const FrameStream&) = delete;
  FrameStream& operator=(const FrameStream&) = delete;

  // Starts reading from a connected socket.
  void start(OnFrame on_frame, OnClosed on_closed);
  // Connects first. What is sent meanwhile waits in the queue.
  void connect(const tcp::endpoint& to, OnFrame on_frame, OnClosed on_closed);

  // From the next message on these are the handlers. May be called from inside the old ones.
  void hand_over(OnFrame on_frame, OnClosed on_closed);

  // The address of the other end, without its port; empty if the connection is over.
  std::string remote_host() const;

  // The largest message that is taken or sent from now on; kMaxFrameBytes to begin with.
  void set_limit(std::size_t bytes) { limit_ = bytes; }

  // Queues one message; flush() writes what is queued. False, and nothing is queued, if it is over
  // the limit or would take the queue over kMaxQueuedBytes. On an ended connection it is lost like
  // any other.
  [[nodiscard]] bool send(const google::protobuf::MessageLite& message);
  void flush();
  // Runs once all that is queued has been handed to the kernel, or never will be.
  void when_flushed(std::function<void()> then);
  std::size_t queued_bytes() const { return queue_.size() + (writing_.size() - written_); }

  // From now on reads on demand only.
  void read_on_demand() { on_demand_ = true; }
  // Hands over everything that has come, from inside this call. An end is left for watch() to find.
  void pull();
  // Hands over what comes from now on, and the end, until rest().
  void watch();
  void rest();

  // Closes at once, without a call of OnClosed.
  void close();
  // No more will be sent; what the other end still says is read.
  void finish_sending();
  bool is_open() const { return open_; }

 private:
  void prepare_socket();
  void attach();
  void detach();
  int descriptor();
  void read_more();
  void on_read(const boost::system::error_code& error, std::size_t bytes);
  bool hand_over_frames();
  void make_room(std::size_t frame_bytes);
  void write_some_now();
  void write_rest();
  void writes_are_over();
  void fail(const std::string& reason);

  tcp::socket socket_;
  OnFrame on_frame_;
  OnFrame next_on_frame_;  // takes its place when the call that is under way has returned
  OnClosed on_closed_;
  std::size_t limit_ = kMaxFrameBytes;
  bool open_ = true;
  bool connected_ = false;
  bool write_failed_ = false;
  bool finishing_ = false;
  bool on_demand_ = false;
  bool watched_ = false;
  bool reading_ = false;         // a read of the io_context is under way
  std::optional<int> detached_;  // the socket, while the io_context does not know it

  std::vector<char> input_;
  std::size_t begin_ = 0;  // of what has been read and not handed over
  std::size_t end_ = 0;

  std::string queue_;    // sent, not yet given to a write
  std::string writing_;  // of the write that waits for the socket; empty: none does
  std::size_t written_ = 0;
  std::vector<std::function<void()>> flushed_;
};

}  // namespace fencepost
