// Connections of strangers to the ports of a run: whatever a port scanner, a browser, a confused or
// an evil program may send there.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <vector>

#include "proto/clock.pb.h"
#include "tests/processes/process_world.h"

namespace fencepost::test {

// A message as it is on the wire: 4 bytes big-endian length in front.
std::string framed(const std::string& bytes);

// One connection of its own.
class Stranger {
 public:
  // Fails the test if nobody listens there.
  Stranger(boost::asio::io_context& context, const std::string& address);
  void say(const std::string& bytes);
  void say_no_more();  // half of the connection is closed
  // What comes back until the other end closes.
  std::string hear();

 private:
  boost::asio::ip::tcp::socket socket_;
};

// Sends bytes, and returns what comes back until the other end closes.
std::string talk(const std::string& address, const std::string& bytes);

// As a person at another terminal does: sends the command, and waits for the answer.
wire::Reply ask_clock(const std::string& address, const wire::Command& command);
std::string to_bytes(const wire::Command& command);  // as the wire has it

// The address at which this process of the run listens; empty if it does not.
std::string listening_address(pid_t pid);

// How many lines of a log are warnings or worse.
int complaints_in(const std::string& log);

}  // namespace fencepost::test
