// Accepts connections, and hears the first message of each: whoever it is remains a stranger until
// somebody has made out from it who that is. Strangers cost little: what they say that makes no
// sense ends their connection with one line in the log, silence is one line, and when there are too
// many the oldest has to go, so that they keep nobody out who introduces himself at once.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/host/frame_stream.h"
#include "common/host/process_log.h"

namespace fencepost {

class Doorway {
 public:
  static constexpr std::size_t kMaxStrangers = 512;
  // After so long a silence the log has a line. The connection stays: it may be of a process that
  // is stopped.
  static constexpr std::chrono::seconds kPatience{5};

  // Takes a stream by its first message, which is valid during the call, and gives it other
  // handlers by FrameStream::hand_over(); or says why not, and the connection is closed.
  using OnFirst = std::function<std::string(const std::shared_ptr<FrameStream>& stream,
                                            std::string_view bytes)>;

  // `strangers` is how the log calls them: "an unknown peer".
  Doorway(asio::io_context& context, ProcessLog& log, std::string strangers, OnFirst on_first);

  // Binds and listens, and returns the address. Throws std::runtime_error, in one line that names
  // the address.
  std::string listen(const std::string& address);
  bool is_listening() const { return acceptor_.is_open(); }
  // Takes calls from now on; who has called already waits in the kernel.
  void open();
  // Takes nobody any more, and forgets the strangers.
  void close();

 private:
  using Key = std::uint64_t;  // in the order of acceptance
  struct Stranger {
    std::shared_ptr<FrameStream> stream;
    std::chrono::steady_clock::time_point since;
    bool noted = false;  // the log has its line
  };

  void accept_next();
  void admit(tcp::socket socket);
  void on_first_of(Key key, std::string_view bytes);
  void turn_away(Key key, const std::string& reason);
  void watch_silence();

  asio::io_context& context_;
  ProcessLog& log_;
  std::string strangers_called_;
  OnFirst on_first_;
  tcp::acceptor acceptor_;
  asio::steady_timer accept_again_;
  asio::steady_timer silence_;
  bool watching_ = false;
  Key next_key_ = 1;
  std::map<Key, Stranger> strangers_;
};

// Lets this process have as many open files as it may: a crowd of strangers must not use them up.
void raise_file_limit();

}  // namespace fencepost
