// One connection to the clock of a cluster that is up: a command and its answer, or the capture as
// it grows. Blocks, with a patience; used by the commands that people type at another terminal.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

#include "proto/clock.pb.h"

namespace fencepost::lab {

// "no clock answers at 127.0.0.1:40001: Connection refused", in one line.
class ClockError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ClockClient {
 public:
  static constexpr std::chrono::milliseconds kPatience{5000};

  // Connects to "host:port". Throws ClockError.
  explicit ClockClient(const std::string& address);
  ~ClockClient();
  ClockClient(const ClockClient&) = delete;
  ClockClient& operator=(const ClockClient&) = delete;

  // Throws ClockError.
  void send(const wire::Command& command);

  enum class Heard { kMessage, kNothing, kEnd };
  // Waits for a message. Nothing if none has come in time; the end if the clock has hung up. Throws
  // ClockError if the other end is no clock.
  Heard receive(wire::ClockMessage& message, std::chrono::milliseconds patience);

 private:
  bool take(wire::ClockMessage& message);
  bool wait(std::chrono::milliseconds patience, short events) const;

  std::string address_;
  int fd_ = -1;
  std::string input_;
  std::size_t taken_ = 0;  // of the input
};

// One command and its answer; an error that it carries is left to the caller. Throws ClockError,
// also if no answer comes in time. No patience: waits for as long as the clock lives.
wire::Reply ask(const std::string& address, const wire::Command& command,
                std::chrono::milliseconds patience = ClockClient::kPatience);
wire::Status ask_status(const std::string& address,
                        std::chrono::milliseconds patience = ClockClient::kPatience);

}  // namespace fencepost::lab
